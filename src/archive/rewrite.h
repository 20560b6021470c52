// Changes members of mlf in an archive. Every other byte stays.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "support/byte_sink.h"
#include "support/file.h"

namespace mlf::archive {

struct NewMember {
  std::string name;  ///< normal form; a tar whose names begin with "./" gets that prefix
  const Member* like = nullptr;  ///< member of the archive that gives mode, time and owner
  std::function<void(support::ByteSink&)> write;  ///< called once, streams the content
  std::uint64_t size = 0;  ///< bytes of the content if already known, for `check_changes`
};

/// New content for a file of a tar, which keeps its place and its headers except for the size.
struct EditedMember {
  std::string name;
  std::string content;
};

/// A member in both `remove` and `add` is replaced. In a tar all new members follow the old ones,
/// in this order.
struct Changes {
  std::vector<std::string> remove;  ///< names of existing members
  std::vector<NewMember> add;
  /// The member that lists the others, if there is one. In a directory, which changes file by file,
  /// it is written before other new members and after other members are removed.
  std::string list{};
  std::vector<EditedMember> edit{};  ///< of a tar, none of `remove`

  bool empty() const noexcept { return remove.empty() && add.empty() && edit.empty(); }
};

/// Attributes that the replaced file had and the new one lacks, a sentence each: see
/// `Replacement::adopt`.
using Lost = std::vector<std::string>;

// All of these functions throw `Error`, and then leave the archive and the output as they were (in
// a directory each file; a stream may have received a part). The result depends only on the members
// that stay and on the new ones, not on removed ones. Without changes it equals the archive, byte
// for byte. Exceptions of `NewMember::write` pass through.

/// Throws `invalid_input` if mlf would reject the changed archive for its names, their number, or
/// sizes that are known. The functions below check this too, before they change anything, and check
/// the headers of a complete tar again.
void check_changes(const Archive& archive, const Changes& changes);

/// Replaces the archive atomically; it must have been opened for update. Owner, permissions and
/// symbolic links to it stay.
Lost update_in_place(const Archive& archive, const Changes& changes);

/// Writes the changed archive to `path`: atomically, unless that is a device or a FIFO. A directory
/// becomes a tar of its files. "-" is standard output.
Lost write_to_path(const Archive& archive, const Changes& changes, const std::string& path);

/// Writes the changed archive to an open file or pipe.
void write_to(const Archive& archive, const Changes& changes, const support::File& out);

/// Returns the changed archive in memory, with the bytes that would be written.
Archive changed(const Archive& archive, const Changes& changes, const Limits& limits);

}  // namespace mlf::archive
