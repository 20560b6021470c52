// Sums of the numbers of calls.
#pragma once

#include "mlf/profile.h"

namespace mlf::profile {

/// Returns the sum of each number; nothing if one of the two lacks it, or above 2^63 - 1. Adds the
/// parts of spreads one by one.
ProfileNumbers sum_of(const ProfileNumbers& a, const ProfileNumbers& b);

/// Throws `Error` (`invalid_input`) if the total is less than its calls take. Limits of `mlf check`
/// apply to the total.
void require_total_of_calls(const Profile& profile);

}  // namespace mlf::profile
