// The known name that an unknown one is probably a misspelling of, for messages.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"

namespace mlf {

/// The name of `known` that is most like `name`: the one with the fewest letters to insert, remove,
/// replace or swap, at most a third of the letters of `name`; else the shortest one that contains
/// `name`, if this has three letters or more. Capitals do not matter. The first of several.
MLF_API std::optional<std::string> nearest(std::string_view name,
                                           std::span<const std::string> known);

/// "; did you mean 'kernel'?", or nothing where no known name is near.
MLF_API std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace mlf
