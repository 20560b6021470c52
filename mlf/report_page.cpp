#include "report_page.h"

#include <cstdio>
#include <filesystem>

#ifdef MLF_HAS_DRAWING
#include "mlf/drawing.h"
#endif
#include "mlf/file.h"
#include "mlf/folding.h"
#include "mlf/graph/column.h"
#include "mlf/graph/dot.h"
#include "output.h"
#include "picture_notes.h"

namespace mlf::program {
namespace {

using graph::FoldedNetwork;
using graph::Topology;

#ifdef MLF_HAS_DRAWING
Result<std::string> draw(const FoldedNetwork& folded, const ModuleReport& module) {
  std::string dot;
  return graph::write_dot(*module.network, notes_of(folded, module),
                          [&](std::string_view text) { dot += text; })
      .and_then([&] { return drawing::svg_from_dot(dot); });
}
#else
Result<std::string> draw(const FoldedNetwork&, const ModuleReport&) {
  return tl::make_unexpected(
      Diagnostics{Diagnostic{ErrorKind::internal, "this mlf was built without Graphviz", {}}});
}
#endif

/// Draws one form of a network into `picture`, where its layout ends. Where Graphviz fails, the
/// page is of use without it, and says so.
Result<void> add_picture(const FoldedNetwork& folded, const ModuleReport& module,
                         std::string& picture, std::string& no_picture) {
  if (graph::layout_effort(*module.network, folded) > graph::kMostLayoutEffort) {
    no_picture = "Not drawn: it has too many edges. mlf graph --format svg lists its calls.";
    return {};
  }
  auto drawn = draw(folded, module);
  if (drawn) {
    picture = *std::move(drawn);
  } else if (drawn.error().front().kind == ErrorKind::internal) {
    no_picture = "Not drawn: " + drawn.error().front().message + ".";
  } else {
    return tl::make_unexpected(drawn.error());
  }
  return {};
}

Result<void> add_pictures(const Deployment& deployment, const ModuleReport& module,
                          PageModule& page) {
  const Topology& network = *module.network;
  return add_picture(graph::whole_network(network), module, page.picture, page.no_picture)
      .and_then([&] { return fold_repeats(deployment, network); })
      .and_then([&](const FoldedNetwork& folded) -> Result<void> {
        if (folded.blocks.size() == network.calls.size()) return {};
        return add_picture(folded, module, page.folded_picture, page.no_picture);
      });
}

}  // namespace

std::string title_of(const std::string& argument) {
  return argument == "-" ? "standard input" : argument;
}

Result<void> write_page_file(const std::string& file,
                             const std::function<Result<void>(const tir::Sink&)>& write) {
  if (file != "-") return write_file(file, write);
  OutputStream out;
  return write([&](std::string_view bytes) { out.write(bytes); }).and_then([&] {
    return out.finish();
  });
}

Result<void> write_report_page(const Deployment& deployment, const Report& report,
                               const std::string& archive, const std::string& file) {
  return page_data(deployment, report).and_then([&](PageData data) -> Result<void> {
    data.title = std::filesystem::path(title_of(archive)).filename();
    if (auto planned = add_plans(deployment, data); !planned) return planned;
    for (std::size_t i = 0; i < report.modules.size(); ++i) {
      if (!report.modules[i].network) continue;
      auto drawn = add_pictures(deployment, report.modules[i], data.modules[i]);
      if (!drawn) return drawn;
    }
    return write_page_file(file,
                           [&](const tir::Sink& sink) { return write_page(report, data, sink); });
  });
}

}  // namespace mlf::program
