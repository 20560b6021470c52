#include "picture_notes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace mlf::program {

graph::DotNotes notes_of(graph::FoldedNetwork folded, const ModuleReport& module) {
  std::vector<std::string> boxes;
  for (const graph::CallBlock& block : folded.blocks) {
    const std::span calls =
        std::span(module.calls).subspan(graph::index(block.first), block.size());
    const analysis::Count mac = total(calls, CallMeasure::mac);
    boxes.push_back(to_string(mac) + " MAC");
  }
  std::vector<std::string> layers;
  for (const CallReport& call : module.calls) {
    // TFLite joins the names of all that it has fused: the first is the one people know.
    layers.push_back(call.layer.substr(0, call.layer.find(';')));
  }
  return {.folded = std::move(folded), .boxes = std::move(boxes), .layers = std::move(layers)};
}

void add_changes(graph::DotNotes& notes, const ModuleReport& module,
                 const ModuleDifference& difference, SymbolOf symbol) {
  for (std::size_t i = 0; i < module.calls.size(); ++i) {
    const std::string& kernel = module.kernels[module.calls[i].kernel].symbol;
    const auto found = std::ranges::find_if(
        difference.kernels, [&](const KernelDifference& one) { return one.*symbol == kernel; });
    if (found == difference.kernels.end()) continue;
    notes.boxes[i] += fmt::format("\n{}", to_string(found->change));
    for (const NumberChange& number : found->numbers) {
      notes.boxes[i] += fmt::format("\n{} {} \u2192 {}", number.what, to_string(number.before),
                                    to_string(number.after));
    }
  }
}

}  // namespace mlf::program
