// Which member of the archive belongs to which module.
#pragma once

#include <span>
#include <string_view>

#include "mlf/model_library.h"

namespace mlf::model_library {

/// The member that makes an archive a model library.
inline constexpr std::string_view kMetadata = "metadata.json";

/// Fills `files` of every module and `shared` of the library.
void assign_files(ModelLibrary& library, std::span<const FileRef> members);

}  // namespace mlf::model_library
