// The bytes of a file that metadata lists.
#pragma once

#include <string_view>

#include "mlf/archive.h"
#include "mlf/model_library.h"
#include "support/error.h"

namespace mlf::deployment {

/// `file` comes from the archive's own list of members. Throws `Error`.
inline std::string_view member_text(const archive::Archive& archive, const FileRef& file) {
  return support::get_or_throw(archive.read(*archive.find(file.name)));
}

}  // namespace mlf::deployment
