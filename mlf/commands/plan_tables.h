// Plans of an archive's memory as tables.
#pragma once

#include <string>

#include "mlf/plan.h"
#include "table.h"

namespace mlf::program {

/// What of a plan is shown beside its sums.
struct PlanDetails {
  bool offsets = false;  ///< every buffer that moves
  bool scratch = false;  ///< what the workspaces of each call cost
  /// New offsets are those with results over what they are computed from, where that is smaller.
  bool in_place = false;
};

/// A table of pools, one of what allocates while it runs, then what was asked for: a split into
/// memories, where some were given, with the place of each buffer if offsets are shown; a line for
/// each pool that is refused and each module without a network.
std::string to_text(const ArchivePlan& plan, const PlanDetails& details, const Screen& screen);

}  // namespace mlf::program
