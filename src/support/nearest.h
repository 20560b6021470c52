// Names in messages: the known name that an unknown one probably misspells, and short lists.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mlf/export.h"

namespace mlf {

/// Returns the name in `known` with the smallest edit distance to `name` (insert, remove, replace
/// or swap a letter), if the distance is at most a third of the length of `name`. Otherwise returns
/// the shortest name that contains `name`, if `name` has at least three letters, or two that are in
/// one name only. Ignores case. Of several, returns the first.
MLF_API std::optional<std::string> nearest(std::string_view name,
                                           std::span<const std::string> known);

/// Returns "; did you mean 'kernel'?", or an empty text if no known name is near.
MLF_API std::string did_you_mean(std::string_view name, std::span<const std::string> known);

/// Returns "expf, memcpy and 3 more", with the first `most` names: an archive may have thousands.
MLF_API std::string some_of(std::span<const std::string> names, std::size_t most = 10);

}  // namespace mlf
