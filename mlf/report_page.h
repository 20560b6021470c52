// The pages of mlf report --html and mlf diff --html, and the texts in the boxes of drawn networks.
// Functions throw `Error`.
#pragma once

#include <span>
#include <string>

#include "graph/formats/picture.h"
#include "mlf/diff.h"
#include "mlf/report.h"
#include "page/page.h"

namespace mlf::program {

/// The multiply-accumulates of each box (for a repeated part, those of all its calls), its share of
/// what all calls take if there is a profile, and the layers of calls.
graph::DotNotes notes_of(graph::FoldedNetwork folded, const ModuleReport& module);

/// What of a difference belongs to the build that is drawn.
struct DrawnBuild {
  std::optional<std::size_t> ModuleDifference::*module;
  std::string KernelDifference::*symbol;
};
constexpr DrawnBuild kBuildBefore{&ModuleDifference::before, &KernelDifference::before};
constexpr DrawnBuild kBuildAfter{&ModuleDifference::after, &KernelDifference::after};

enum class PictureForm { svg, png };

/// Draws a network. Errors: those of drawing; `internal` if this build of mlf has no Graphviz.
Result<std::string> draw(const graph::Topology& network, const graph::DotNotes& notes,
                         PictureForm form);

/// Draws the networks if this build of mlf can, and writes the page to `file`; "-" is standard
/// output. `command` is for readers. Errors: `io`, and those of `page_data`.
void write_report_page(const Deployment& deployment, const Report& report,
                       const std::string& archive, const std::string& file,
                       const std::string& command);

/// Draws the networks of one of two different builds if this build of mlf can, with the change of
/// each kernel. Errors: those of drawing.
void add_changed_pictures(const Report& report, std::span<const ModuleDifference> differences,
                          const DrawnBuild& build, PageData& data);

/// The name of an archive on a page: "-" is standard input.
std::string title_of(const std::string& argument);

}  // namespace mlf::program
