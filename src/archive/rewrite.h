// Giving an archive other members of ours, and nothing else: every other byte stays as it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "support/byte_sink.h"
#include "support/file.h"

namespace mlf::archive {

struct NewMember {
  std::string name;              ///< normal form; a tar that spells its names with "./" gets it so
  const Member* like = nullptr;  ///< member of the archive that gives mode, time and owner
  std::function<void(support::ByteSink&)> write;  ///< called once, streams the content
  std::uint64_t size =
      0;  ///< bytes of the content where they are known already: for `check_changes`
};

/// Other content for a file of a tar, which keeps its place and its headers but for the size.
struct EditedMember {
  std::string name;
  std::string content;
};

/// A member in `remove` and `add` is replaced. In a tar all new members come behind the old ones,
/// in this order.
struct Changes {
  std::vector<std::string> remove;  ///< names of existing members
  std::vector<NewMember> add;
  /// The one of these members that lists the others, if there is one. In a directory, which changes
  /// file by file, no other new member is there before it, and no other removed one after it.
  std::string list{};
  std::vector<EditedMember> edit{};  ///< of a tar, none of `remove`

  bool empty() const noexcept { return remove.empty() && add.empty() && edit.empty(); }
};

/// What a replaced file had and the new one has not, a sentence each: see `Replacement::adopt`.
using Lost = std::vector<std::string>;

// All of them throw `Error`, and leave the archive and the output as they were if they do (of a
// directory: every single file; of a stream: what was written is written). The result depends on
// the members that stay and on the new ones only, not on what was removed. Without changes it is
// the archive, byte for byte. What `NewMember::write` throws passes through.

/// Throws `invalid_input` where the changed archive would be refused: for its names, for their
/// number, or for sizes that are known. The others below do so too, before they change anything,
/// and a tar is walked once more when all of it is there.
void check_changes(const Archive& archive, const Changes& changes);

/// Replaces the archive atomically; it must have been opened for update. Owner, permissions and
/// symbolic links to it stay.
Lost update_in_place(const Archive& archive, const Changes& changes);

/// Writes the changed archive to `path`: atomically where that is, or becomes, a regular file.
Lost write_to_path(const Archive& archive, const Changes& changes, const std::string& path);

/// Writes the changed archive to an open file or pipe.
void write_to(const Archive& archive, const Changes& changes, const support::File& out);

}  // namespace mlf::archive
