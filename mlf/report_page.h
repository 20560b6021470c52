// The pages of mlf report --html and mlf diff --html, and what boxes of drawn networks say.
// Functions throw `Error` with what is wrong.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "graph/formats/picture.h"
#include "mlf/diff.h"
#include "mlf/report.h"
#include "page/page.h"

namespace mlf::program {

/// Multiply-accumulates of each box: of a repeated part, those of all its calls. The layers of
/// calls.
graph::DotNotes notes_of(graph::FoldedNetwork folded, const ModuleReport& module);

/// Which symbol of a difference is that of the build that is drawn: `before` or `after`.
using SymbolOf = std::string KernelDifference::*;

/// Adds to the box of each call what happened to its kernel. `notes` is of the whole network.
void add_changes(graph::DotNotes& notes, const ModuleReport& module,
                 const ModuleDifference& difference, SymbolOf symbol);

/// Draws the networks, where this build can, and writes the page to `file`; "-" is standard output.
/// Errors: `io`, and those of `page_data`.
void write_report_page(const Deployment& deployment, const Report& report,
                       const std::string& archive, const std::string& file);

/// Draws the networks of one of two builds that are not the same, where this build of mlf can, with
/// what happened to each kernel. Errors: those of drawing.
void add_changed_pictures(const Report& report, std::span<const ModuleDifference> differences,
                          SymbolOf symbol, PageData& data);

/// What a page calls an archive that was given as `argument`: standard input is "-".
std::string title_of(const std::string& argument);

/// Writes a page to `file`, as a whole or not at all; "-" is standard output. Errors: `io`, and
/// those of `write`.
void write_page_file(const std::string& file,
                     const std::function<Result<void>(const Sink&)>& write);

}  // namespace mlf::program
