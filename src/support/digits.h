// Numbers in groups of three digits, as people read them.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <string>
#include <string_view>

#include "mlf/export.h"

namespace mlf {

/// Returns `text` with its numbers of four digits and more in groups: "208,576". Digits that are
/// part of a name, and those of numbers with a fraction, stay.
MLF_API std::string group_digits(std::string_view text);

}  // namespace mlf
