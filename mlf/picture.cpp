#include "picture.h"

#include "mlf/drawing.h"
#include "mlf/graph/dot.h"

namespace mlf::program {

Result<void> write_picture(const graph::Topology& topology, const tir::Sink& sink) {
  std::string dot;
  return graph::write_dot(topology, [&](std::string_view text) { dot += text; })
      .and_then([&] { return drawing::svg_from_dot(dot); })
      .map([&](const std::string& svg) { sink(svg); });
}

}  // namespace mlf::program
