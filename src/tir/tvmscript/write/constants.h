// The data of constants.
#pragma once

#include <optional>
#include <string>

#include "mlf/tir/module.h"

namespace mlf::tir::tvmscript {

/// All elements of an NDArray as a Python list; nothing where a list would be too long, or would
/// not say it all: TVM's parser makes no array of bfloat16, and numbers lose what NaNs carry.
std::optional<std::string> constant_elements(Node constant);

}  // namespace mlf::tir::tvmscript
