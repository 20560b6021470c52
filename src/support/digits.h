// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mlf/export.h"

namespace mlf {

/// Returns `text` with its numbers of four digits and more in groups: "208,576". Digits that are
/// part of a name, and those of numbers with a fraction, stay.
MLF_API std::string group_digits(std::string_view text);

/// Returns `part` in percent of `whole`, rounded to one decimal: "46.1". Returns "0.0" if `whole`
/// is 0.
MLF_API std::string percent(std::uint64_t part, std::uint64_t whole);

}  // namespace mlf
