#include "report_page.h"

#include <cstdio>
#include <filesystem>

#ifdef MLF_HAS_DRAWING
#include "mlf/drawing.h"
#endif
#include "count_text.h"
#include "mlf/file.h"
#include "mlf/graph/column.h"
#include "mlf/graph/dot.h"
#include "output.h"

namespace mlf::program {
namespace {

// Graphviz needs a minute for a few thousand nodes, and nobody can see them.
constexpr std::size_t kMostDrawnCalls = 600;

#ifdef MLF_HAS_DRAWING
graph::DotNotes notes_of(const ModuleReport& module) {
  graph::DotNotes notes;
  for (const CallReport& call : module.calls) notes.calls.push_back(spelled(call.mac) + " MAC");
  return notes;
}
#endif

Result<void> draw([[maybe_unused]] PageModule& page, const ModuleReport& module) {
  const graph::Topology& network = *module.network;
  if (network.calls.size() > kMostDrawnCalls) {
    page.no_picture = "Not drawn: it has more than " + std::to_string(kMostDrawnCalls) +
                      " calls. mlf graph --format svg draws it.";
    return {};
  }
  if (graph::layout_effort(network) > graph::kMostLayoutEffort) {
    page.no_picture =
        "Not drawn: its edges cross too many ranks. mlf graph --format svg lists its calls.";
    return {};
  }
#ifdef MLF_HAS_DRAWING
  std::string dot;
  const auto svg = graph::write_dot(network, notes_of(module), [&](std::string_view text) {
                     dot += text;
                   }).and_then([&] { return drawing::svg_from_dot(dot); });
  if (svg) {
    page.picture = *svg;
  } else if (svg.error().front().kind != ErrorKind::internal) {
    return tl::make_unexpected(svg.error());
  } else {
    // The page is of use without the picture.
    page.no_picture = "Not drawn: " + svg.error().front().message + ".";
  }
#else
  page.no_picture = "Not drawn: this mlf was built without Graphviz.";
#endif
  return {};
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
      if (auto drawn = draw(data.modules[i], report.modules[i]); !drawn) return drawn;
    }
    return write_page_file(file,
                           [&](const tir::Sink& sink) { return write_page(report, data, sink); });
  });
}

}  // namespace mlf::program
