#include "picture_notes.h"

#include <utility>

#include "count_text.h"

namespace mlf::program {

graph::DotNotes notes_of(graph::FoldedNetwork folded, const ModuleReport& module) {
  std::vector<std::string> boxes;
  for (const graph::CallBlock& block : folded.blocks) {
    analysis::Count mac;
    for (std::uint32_t i = 0; i < block.size(); ++i) {
      mac += module.calls[graph::index(block.first) + i].mac;
    }
    boxes.push_back(spelled(mac) + " MAC");
  }
  std::vector<std::string> layers;
  for (const CallReport& call : module.calls) {
    // TFLite joins the names of all that it has fused: the first is the one people know.
    layers.push_back(call.layer.substr(0, call.layer.find(';')));
  }
  return {.folded = std::move(folded), .boxes = std::move(boxes), .layers = std::move(layers)};
}

}  // namespace mlf::program
