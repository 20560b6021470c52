// Data types, numbers, strings and the elements of constants as Python words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mlf/tir/dtype.h"
#include "mlf/tir/module.h"
#include "tir/tvmscript/write/spelling.h"

namespace mlf::tir::tvmscript {

/// Whether TVMScript has a function of this type's name: `T.int32`, `T.float16x4`.
bool has_function(DType dtype);
/// Whether TVMScript has a form of its own for a type: `T.int32`, `T.handle("int8", "global")`.
bool has_type_function(Node type, const Spelling& spelling);
/// Whether it has one for the type of a variable.
bool has_annotation(Node var, const Spelling& spelling);
/// The spelling in quotes: `"int32"`. Throws for custom types, whose names no source has.
std::string quoted_dtype(DType dtype);
/// `text` as a Python string literal, escaped.
std::string quoted(std::string_view text);
/// The shortest literal that reads back as `value`; whole numbers as v0.18 or older ones print
/// them. Infinite values and NaN are words in quotes.
std::string real_literal(double value, std::uint8_t tvm_minor_version);

/// All elements of an NDArray as a Python list; nothing where a list would be too long, or would
/// not say it all: TVM's parser makes no array of bfloat16, and numbers lose what NaNs carry.
/// Before v0.12 there is nothing but the list, and it is spelled without blanks, with a comma at
/// its end: what TVM itself prints there has blanks, and says less.
std::optional<std::string> constant_elements(Node constant, const Spelling& spelling);

}  // namespace mlf::tir::tvmscript
