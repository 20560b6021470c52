#include "report_page.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#ifdef MLF_HAS_DRAWING
#include "mlf/drawing.h"
#endif
#include "count_text.h"
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

void draw([[maybe_unused]] PageModule& page, const ModuleReport& module) {
  const graph::Topology& network = *module.network;
  if (network.calls.size() > kMostDrawnCalls) {
    page.no_picture = "Not drawn: it has more than " + std::to_string(kMostDrawnCalls) +
                      " calls. mlf graph --format svg draws it.";
    return;
  }
#ifdef MLF_HAS_DRAWING
  std::string dot;
  const auto svg = graph::write_dot(network, notes_of(module), [&](std::string_view text) {
                     dot += text;
                   }).and_then([&] { return drawing::svg_from_dot(dot); });
  // The page is of use without the picture.
  if (svg) {
    page.picture = *svg;
  } else {
    page.no_picture = "Not drawn: " + svg.error().front().message + ".";
  }
#else
  page.no_picture = "Not drawn: this mlf was built without Graphviz.";
#endif
}

Result<void> write_to_file(const Report& report, const PageData& data, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  return write_page(report, data,
                    [&](std::string_view bytes) {
                      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
                    })
      .and_then([&]() -> Result<void> {
        out.close();
        if (out) return {};
        return tl::make_unexpected(
            Diagnostics{Diagnostic{ErrorKind::io, "cannot be written", {.file = file}}});
      });
}

Result<void> write_to_output(const Report& report, const PageData& data) {
  OutputStream out;
  return write_page(report, data, [&](std::string_view bytes) { out.write(bytes); }).and_then([&] {
    return out.finish();
  });
}

}  // namespace

Result<void> write_report_page(const Deployment& deployment, const Report& report,
                               const std::string& archive, const std::string& file) {
  return page_data(deployment, report).and_then([&](PageData data) {
    data.title = archive == "-" ? "standard input" : std::filesystem::path(archive).filename();
    for (std::size_t i = 0; i < report.modules.size(); ++i) {
      if (report.modules[i].network) draw(data.modules[i], report.modules[i]);
    }
    return file == "-" ? write_to_output(report, data) : write_to_file(report, data, file);
  });
}

}  // namespace mlf::program
