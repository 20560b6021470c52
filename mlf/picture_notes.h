// What boxes of a drawn network say beside their kernels.
#pragma once

#include "graph/formats/picture.h"
#include "mlf/diff.h"
#include "mlf/report.h"

namespace mlf::program {

/// Multiply-accumulates of each box: of a repeated part, those of all its calls. The layers of
/// calls.
graph::DotNotes notes_of(graph::FoldedNetwork folded, const ModuleReport& module);

/// Which symbol of a difference is that of the build that is drawn: `before` or `after`.
using SymbolOf = std::string KernelDifference::*;

/// Adds to the box of each call what happened to its kernel. `notes` is of the whole network.
void add_changes(graph::DotNotes& notes, const ModuleReport& module,
                 const ModuleDifference& difference, SymbolOf symbol);

}  // namespace mlf::program
