// The bytes of a file in an archive, and their digest.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "mlf/archive.h"
#include "mlf/model_library.h"
#include "support/error.h"

namespace mlf::deployment {

/// Returns a function for readers that computes the digest once for all readers of the member. The
/// archive must outlive the function, which throws `Error`.
inline std::function<std::string()> digest_of(const archive::Archive& archive,
                                              const archive::Member& member) {
  return [&archive, &member] { return support::get_or_throw(archive.sha256(member)); };
}

/// `file` must come from the archive's own list of members. Throws `Error`.
inline std::string_view member_text(const archive::Archive& archive, const FileRef& file) {
  return support::get_or_throw(archive.read(*archive.find(file.name)));
}

/// Where the member is on disk, relative to the directory that has the directories of the format.
/// Without those, relative to the archive.
inline std::string_view stored_name(const archive::Member& member) {
  std::string_view name = member.raw_name;
  if (name.ends_with(member.name)) return member.name;
  while (name.starts_with("./")) name.remove_prefix(2);
  return name;
}

}  // namespace mlf::deployment
