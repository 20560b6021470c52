// What the caller insists on, beside an archive that can be read.
#pragma once

#include <span>

#include "process/job.h"

namespace mlf::process {

/// Throws `Error` (check_failed) where TIR is required and there is none.
void require_tir(const Job& job);

/// Throws `Error` (check_failed) where graphs are required and a module has none.
void require_graphs(const Job& job, std::span<const NetworkReport> networks);

/// Whether the manifest of an earlier run tells that `require_graphs` is met.
bool listed_graphs_suffice(const Job& job);

}  // namespace mlf::process
