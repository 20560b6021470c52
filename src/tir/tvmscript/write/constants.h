// The data of constants.
#pragma once

#include <optional>
#include <string>

#include "mlf/tir/module.h"
#include "tir/tvmscript/spelling.h"

namespace mlf::tir::tvmscript {

/// All elements of an NDArray as a Python list; nothing where a list would be too long, or would
/// not say it all: TVM's parser makes no array of bfloat16, and numbers lose what NaNs carry.
/// Before v0.12 there is nothing but the list, and it is spelled without blanks, with a comma at
/// its end: what TVM itself prints there has blanks, and says less.
std::optional<std::string> constant_elements(Node constant, const Spelling& spelling);

}  // namespace mlf::tir::tvmscript
