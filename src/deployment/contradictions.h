// The parts of `contradictions_of` that `mlf verify` counts apart.
#pragma once

#include <optional>
#include <vector>

#include "mlf/contradictions.h"

namespace mlf::deployment {

/// metadata.json declares less workspace of main than its network certainly uses. Nothing also
/// where nothing can be said: TVM overwrites the numbers of one target by those of another of its
/// device type.
std::optional<Contradiction> too_small_metadata(const Module& module,
                                                const graph::Topology& network);

/// What of its memory cannot be right in the generated C of a module whose network was read off
/// captured TIR: C is what runs. Throws `Error`.
std::vector<graph::Check> errors_of_c(const Deployment& deployment, std::size_t module,
                                      const graph::Topology& network);

/// C of the module that no compiler takes, file by file. Throws `Error`.
std::vector<Contradiction> invalid_c(const Deployment& deployment, const Module& module);

}  // namespace mlf::deployment
