// The bytes of a file in an archive, and their digest.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "mlf/archive.h"
#include "mlf/model_library.h"
#include "support/error.h"

namespace mlf::deployment {

/// For readers: other readers of the member do not count it again. It must outlive the result,
/// which throws `Error`.
inline std::function<std::string()> digest_of(const archive::Archive& archive,
                                              const archive::Member& member) {
  return [&archive, &member] { return support::get_or_throw(archive.sha256(member)); };
}

/// `file` comes from the archive's own list of members. Throws `Error`.
inline std::string_view member_text(const archive::Archive& archive, const FileRef& file) {
  return support::get_or_throw(archive.read(*archive.find(file.name)));
}

}  // namespace mlf::deployment
