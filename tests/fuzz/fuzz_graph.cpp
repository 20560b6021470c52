// Graphs of the graph executor: read or refused. One that can be written is read again as the same
// network, and written once more it is the same text.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "graph/compare.h"
#include "graph/formats/graph_json.h"
#include "mlf/graph/write.h"

namespace {

using mlf::graph::Topology;

mlf::Result<Topology> read(std::string_view text) {
  return mlf::graph::read_graph_json({.file = "fuzz", .member = "", .text = text});
}

std::string graph_of(const Topology& topology) {
  std::string text;
  const auto written = write_graph_json(topology, mlf::JsonLayout::compact,
                                        [&](std::string_view bytes) { text += bytes; });
  return written ? text : std::string();
}

void discard(std::string_view) {}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto topology = read({reinterpret_cast<const char*>(data), size});
  if (!topology) return 0;
  static_cast<void>(write_topology_json(*topology, mlf::JsonLayout::compact, discard));
  static_cast<void>(write_dot(*topology, discard));
  if (!topology->is_sound()) return 0;
  const std::string text = graph_of(*topology);
  if (text.empty()) return 0;
  const auto again = read(text);
  if (!again || graph_of(*again) != text) std::abort();
  if (!differences_between(*topology, *again).empty()) std::abort();
  return 0;
}
