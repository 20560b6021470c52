// Sums of the numbers of calls.
#pragma once

#include "mlf/profile.h"

namespace mlf::profile {

/// Unknown where one of the two is, and above 2^63 - 1. Spreads have the sums of the least, of the
/// medians and of the most.
ProfileNumbers sum_of(const ProfileNumbers& a, const ProfileNumbers& b);

/// Throws `Error` (`invalid_input`) unless the total is one that the calls can have, rounding of
/// each by one unit aside. Limits of `mlf check` apply to the total.
void require_total_of_calls(const Profile& profile);

}  // namespace mlf::profile
