// What boxes of a drawn network say beside their kernels.
#pragma once

#include "mlf/graph/dot.h"
#include "mlf/graph/fold.h"
#include "mlf/report.h"

namespace mlf::program {

/// Multiply-accumulates of each box: of a repeated part, those of all its calls.
graph::DotNotes notes_of(graph::FoldedNetwork folded, const ModuleReport& module);

}  // namespace mlf::program
