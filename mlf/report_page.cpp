#include "report_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#ifdef MLF_HAS_DRAWING
#include "mlf/drawing.h"
#endif
#include "graph/formats/picture.h"
#include "report/folding.h"
#include "result_file.h"
#include "support/digits.h"
#include "support/error.h"

namespace mlf::program {
namespace {

using graph::FoldedNetwork;
using graph::Topology;

/// Draws one form of a network into `picture`, if its layout ends. If Graphviz fails, the page is
/// written without the drawing, and says so.
void add_picture(const graph::DotNotes& notes, const Topology& network, std::string& picture,
                 std::string& no_picture) {
  if (graph::layout_effort(network, *notes.folded) > graph::kMostLayoutEffort) {
    no_picture =
        "Not drawn: the network has too many edges. mlf graph --format svg lists its calls.";
    return;
  }
  auto drawn = draw(network, notes, PictureForm::svg);
  if (drawn) {
    picture = *std::move(drawn);
  } else if (drawn.error().kind == ErrorKind::internal) {
    no_picture = "Not drawn: " + drawn.error().message + ".";
  } else {
    throw support::Error(drawn.error());
  }
}

void add_pictures(const ModuleReport& module, PageModule& page) {
  const Topology& network = *module.network;
  add_picture(notes_of(graph::whole_network(network), module), network, page.picture,
              page.no_picture);
  const FoldedNetwork folded = fold_repeats(module);
  if (folded.blocks.size() == network.calls.size()) return;
  add_picture(notes_of(folded, module), network, page.folded_picture, page.no_picture);
}

/// Adds to the box of each call the change of its kernel. `notes` is of the whole network.
void add_changes(graph::DotNotes& notes, const ModuleReport& module,
                 const ModuleDifference& difference, std::string KernelDifference::*symbol) {
  for (std::size_t i = 0; i < module.calls.size(); ++i) {
    const std::string& kernel = module.kernels[module.calls[i].kernel].symbol;
    const auto found = std::ranges::find_if(
        difference.kernels, [&](const KernelDifference& one) { return one.*symbol == kernel; });
    if (found == difference.kernels.end()) continue;
    notes.boxes[i] += fmt::format("\n{}", to_string(found->change));
    for (const NumberChange& number : found->numbers) {
      notes.boxes[i] +=
          fmt::format("\n{} {} \u2192 {}", number.what, group_digits(to_string(number.before)),
                      group_digits(to_string(number.after)));
    }
  }
}

}  // namespace

#ifdef MLF_HAS_DRAWING
Result<std::string> draw(const Topology& network, const graph::DotNotes& notes, PictureForm form) {
  // Graphviz reads its input as a whole.
  std::string dot;
  return graph::write_dot(network, notes, [&](std::string_view text) { dot += text; })
      .and_then([&] {
        return form == PictureForm::png ? drawing::png_from_dot(dot) : drawing::svg_from_dot(dot);
      });
}
#else
Result<std::string> draw(const Topology&, const graph::DotNotes&, PictureForm) {
  return tl::make_unexpected(
      Diagnostic{ErrorKind::internal, "this mlf was built without Graphviz", {}});
}
#endif

void add_changed_pictures(const Report& report, std::span<const ModuleDifference> differences,
                          const DrawnBuild& build, PageData& data) {
  for (const ModuleDifference& difference : differences) {
    const std::optional<std::size_t> position = difference.*build.module;
    if (!position || !report.modules[*position].network) continue;
    const ModuleReport& module = report.modules[*position];
    graph::DotNotes notes = notes_of(graph::whole_network(*module.network), module);
    add_changes(notes, module, difference, build.symbol);
    PageModule& page = data.modules[*position];
    add_picture(notes, *module.network, page.picture, page.no_picture);
  }
}

std::string title_of(const std::string& argument) {
  return argument == "-" ? "standard input" : argument;
}

void write_report_page(const Deployment& deployment, const Report& report,
                       const std::string& archive, const std::string& file,
                       const std::string& command) {
  PageData data = page_data(deployment, report);
  data.title = std::filesystem::path(title_of(archive)).filename();
  data.command = command;
  add_plans(deployment, data);
  for (std::size_t i = 0; i < report.modules.size(); ++i) {
    if (report.modules[i].network) add_pictures(report.modules[i], data.modules[i]);
  }
  write_result(file, [&](const Sink& sink) { write_page(report, data, sink); });
}

graph::DotNotes notes_of(graph::FoldedNetwork folded, const ModuleReport& module) {
  std::vector<std::string> boxes;
  for (const graph::CallBlock& block : folded.blocks) {
    const std::span calls =
        std::span(module.calls).subspan(graph::index(block.first), block.size());
    std::string text = group_digits(to_string(total(calls, CallMeasure::mac))) + " MAC";
    std::vector<graph::CallId> ids;
    for (const CallReport& call : calls) ids.push_back(call.call);
    if (const auto share = share_of(module, ids)) {
      const CallMeasureInfo& counted =
          call_measures()[static_cast<std::size_t>(counted_measure(module))];
      text += fmt::format("\n{} % of {}", to_string(*share * 100), counted.unit);
    }
    boxes.push_back(std::move(text));
  }
  std::vector<std::string> layers;
  for (const CallReport& call : module.calls) layers.emplace_back(first_layer(call.layer));
  return {.folded = std::move(folded), .boxes = std::move(boxes), .layers = std::move(layers)};
}

}  // namespace mlf::program
