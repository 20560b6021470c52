// The calls of a network as a profile lists them, without numbers of a run.
#pragma once

#include <vector>

#include "mlf/deployment.h"
#include "mlf/profile.h"

namespace mlf::profile {

/// Layers and costs are those of the report. Throws `Error` if there is no report.
std::vector<ProfiledCall> described_calls(const Deployment& deployment, const Network& network);

}  // namespace mlf::profile
