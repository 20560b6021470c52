// Which member of the archive belongs to which module.
#pragma once

#include <span>

#include "mlf/model_library.h"

namespace mlf::model_library {

/// Fills `files` of every module and `shared` of the library.
void assign_files(ModelLibrary& library, std::span<const FileRef> members);

}  // namespace mlf::model_library
