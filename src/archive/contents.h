// What an open archive holds, for the rest of the library.
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

/// Other names for the members of an archive that holds what it holds in another place, such as
/// below one directory.
struct Layout {
  std::vector<std::string> names;  ///< by member; unique, but for "."
  std::string directory{};         ///< what new members are stored below: "model/"
  std::string no_new_members{};    ///< why there can be none, a clause; empty where there can be
};

struct Archive::Contents {
  std::string path;      ///< as given, for messages
  std::string resolved;  ///< what an update replaces; empty unless opened for update
  Storage storage = Storage::tar;
  Limits limits;

  /// The archive as stored: the locked file, the directory, or spooled input.
  support::File source;
  struct stat opened {};  ///< of `source` when it was read

  std::vector<Member> members;
  std::vector<std::uint32_t> by_name;  ///< indices into `members`, sorted

  /// Content of the members that `overlay` added, by name: seen as all others, and stored nowhere.
  std::map<std::string, support::MappedFile, std::less<>> overlaid;

  std::string directory{};       ///< of the layout
  std::string no_new_members{};  ///< of the layout

  // Of a tar only.
  support::File unpacked;  ///< open where `source` is compressed
  support::MappedFile mapped;
  std::uint64_t end_of_members = 0;

  // Of a directory only: files read so far, by name.
  mutable std::mutex reading;
  mutable std::map<std::string, std::string, std::less<>> loaded;
  std::vector<std::string> temporaries;  ///< that are no members

  // Digests of members asked for so far, by name.
  mutable std::mutex digesting;
  mutable std::map<std::string, std::shared_future<std::string>, std::less<>> digests;

  /// False for what is laid over.
  bool is_stored(const Member& member) const { return !overlaid.contains(member.name); }

  /// The uncompressed tar.
  const support::File& tar() const noexcept { return unpacked ? unpacked : source; }
};

/// Names the members by a layout; `raw_name` stays what the archive says. Pointers to members stay.
void apply(Archive& archive, Layout layout);

/// Throws `invalid_input` where the layout allows no new members.
void require_new_members(const Archive& archive);

struct OverlaidFile {
  std::string name;  ///< normal form, of no member
  support::MappedFile content;
};

/// What is in a file, or comes from a stream to its end, as a member `name`.
OverlaidFile open_overlaid(std::string name, const std::string& path, const Limits& limits);

/// Shows files as members behind the others, with time and owner of the member `like`. Readers
/// cannot tell; they are written where `Changes` adds them. Pointers to members do not stay.
/// Throws `Error` for what a limit or the form of names forbids.
void overlay(Archive& archive, std::vector<OverlaidFile> files, std::string_view like);

/// Throws `io` if the archive's file changed after it was opened.
void check_unchanged(const Archive::Contents& contents);

}  // namespace mlf::archive
