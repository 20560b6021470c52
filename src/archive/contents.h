// The contents of an open archive, for the rest of the library.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "support/file.h"

namespace mlf::archive {

/// The names of members in the Model Library Format, for an archive that stores them elsewhere,
/// such as below one directory.
struct Layout {
  std::vector<std::string> names;  ///< by member; unique, but for "."
  std::string directory{};         ///< where new members are stored: "model/"
  std::string no_new_members{};    ///< the reason why it can have no new members; else empty
};

struct Archive::Contents {
  std::string path;      ///< as given by the user, for messages
  std::string resolved;  ///< the file that an update replaces; empty unless opened for update
  Storage storage = Storage::tar;
  Limits limits;

  /// The archive as stored: the locked file, the directory, or spooled input.
  support::File source;
  struct stat opened {};  ///< of `source` when it was read

  std::vector<Member> members;
  std::vector<std::uint32_t> by_name;  ///< indices into `members`, sorted

  /// Content of the members that `overlay` added, by name. They are not stored in the archive.
  std::map<std::string, support::FileContent, std::less<>> overlaid;

  std::string directory{};       ///< of the layout
  std::string no_new_members{};  ///< of the layout

  // Of a tar only.
  support::File unpacked;  ///< open where `source` is compressed
  support::FileContent content;  ///< uncompressed
  std::uint64_t end_of_members = 0;

  // Of a directory only: files read so far, by name.
  mutable std::mutex reading;
  mutable std::map<std::string, std::string, std::less<>> loaded;
  std::vector<std::string> temporaries;  ///< that are not members

  // Digests computed so far, by name of the member.
  mutable std::mutex digesting;
  mutable std::map<std::string, std::shared_future<std::string>, std::less<>> digests;

  /// Returns whether the member is stored in the archive, not added by `overlay`.
  bool is_stored(const Member& member) const { return !overlaid.contains(member.name); }

  /// The uncompressed tar.
  const support::File& tar() const noexcept { return unpacked ? unpacked : source; }
};

/// Names the members by a layout; `raw_name` keeps the stored name. Pointers to members stay valid.
void apply(Archive& archive, Layout layout);

/// Throws `invalid_input` if the layout allows no new members.
void require_new_members(const Archive& archive);

struct OverlaidFile {
  std::string name;  ///< normal form, of no member
  support::FileContent content;
};

/// The content of a file or stream that becomes a member `name`.
OverlaidFile open_overlaid(std::string name, const std::string& path, const Limits& limits);

/// Adds files as members behind the others, with time and owner of the member `like`. Readers see
/// no difference; they are written only if `Changes` adds them. Invalidates pointers to members.
/// Throws `Error` if a limit is exceeded or a name is invalid.
void overlay(Archive& archive, std::vector<OverlaidFile> files, std::string_view like);

/// Throws `io` if the archive's file changed after it was opened.
void check_unchanged(const Archive::Contents& contents);

}  // namespace mlf::archive
