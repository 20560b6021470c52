// mlf graph: the network of an archive, on standard output.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands/command.h"
#ifdef MLF_HAS_DRAWING
#include "mlf/drawing.h"
#endif
#include "mlf/graph/column.h"
#include "mlf/graph/dot.h"
#include "mlf/graph/graph_json.h"
#include "mlf/graph/write.h"
#include "output.h"

namespace mlf::program {
namespace {

enum class NetworkFormat { topology, json, dot, svg, png, perfetto, model_explorer };

struct GraphArguments {
  std::string archive;
  std::string module;
  std::vector<std::string> tir_files;
  NetworkFormat format = NetworkFormat::topology;
  bool pretty = false;
};

void declare_graph_options(CLI::App& app, GraphArguments& options) {
  app.add_option("ARCHIVE", options.archive,
                 "A tar (plain, gzip, xz or zstd) or an unpacked directory; - is standard input")
      ->required();
  add_enum_option(
      app, "--format", options.format,
      {{"topology", NetworkFormat::topology},
       {"json", NetworkFormat::json},
       {"dot", NetworkFormat::dot},
       {"svg", NetworkFormat::svg},
       {"png", NetworkFormat::png},
       {"perfetto", NetworkFormat::perfetto},
       {"model-explorer", NetworkFormat::model_explorer}},
      "topology: all there is to know (schemas/topology.schema.json); json: for TVM's "
      "graph executor and for Netron; dot: for Graphviz; svg: a picture; png: the same in pixels, "
      "with the fonts of this machine; perfetto: memory "
      "in use over the steps of a run, for ui.perfetto.dev; model-explorer: for Google's Model "
      "Explorer, mlf report --node-data colours it");
  app.add_option("--module", options.module, "Which module, where the archive has several")
      ->type_name("NAME");
  app.add_option("--tir", options.tir_files,
                 "Take TIR from this file too, as mlf process does; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--pretty", options.pretty,
               "Indent topology, json, perfetto and model-explorer for reading");
}

/// The first check that says why no graph of this network can be trusted.
const graph::Check& first_failure(const graph::Topology& topology) {
  // There is one: the topology is not sound.
  return *std::find_if(topology.checks.begin(), topology.checks.end(), [](const auto& check) {
    return info(check.code).severity == graph::Severity::error;
  });
}

Result<void> write_graph(const graph::Topology& topology, tir::JsonLayout layout,
                         const tir::Sink& sink) {
  if (topology.is_sound()) return graph::write_graph_json(topology, layout, sink);
  // The graph executor would run it as it is; a topology shows its checks beside it, dot in red.
  const std::string message = "no graph, mlf verify says more: " + first_failure(topology).detail;
  return tl::make_unexpected(Diagnostics{Diagnostic{ErrorKind::check_failed, message, {}}});
}

bool can_be_laid_out(const graph::Topology& topology) {
  return graph::layout_effort(topology) <= graph::kMostLayoutEffort;
}

tl::unexpected<Diagnostics> no_picture(std::string message) {
  return tl::make_unexpected(Diagnostics{Diagnostic{ErrorKind::usage, std::move(message), {}}});
}

#ifdef MLF_HAS_DRAWING
using Draw = Result<std::string>(const std::string& dot);
constexpr Draw* kDrawSvg = drawing::svg_from_dot;
constexpr Draw* kDrawPng = drawing::png_from_dot;

Result<void> lay_out(const graph::Topology& topology, Draw* draw, const tir::Sink& sink) {
  // Graphviz reads its input as a whole.
  std::string dot;
  return graph::write_dot(topology, [&](std::string_view text) { dot += text; })
      .and_then([&] { return draw(dot); })
      .map([&](const std::string& picture) { sink(picture); });
}
#else
// A layout needs Graphviz, which a build may lack.
constexpr const char* kDrawSvg = "-Tsvg";
constexpr const char* kDrawPng = "-Tpng";

Result<void> lay_out(const graph::Topology&, std::string_view option, const tir::Sink&) {
  return no_picture("this mlf was built without Graphviz: give --format dot to its dot " +
                    std::string(option));
}
#endif

Result<void> write_svg(const graph::Topology& topology, const tir::Sink& sink) {
  if (!can_be_laid_out(topology)) return graph::write_column_svg(topology, sink);
  return lay_out(topology, kDrawSvg, sink);
}

Result<void> write_png(const graph::Topology& topology, const tir::Sink& sink) {
  if (can_be_laid_out(topology)) return lay_out(topology, kDrawPng, sink);
  return no_picture("too many edges for a layout: --format svg lists the calls");
}

Result<void> write_network(const graph::Topology& topology, const GraphArguments& options,
                           const tir::Sink& sink) {
  const auto layout = options.pretty ? tir::JsonLayout::pretty : tir::JsonLayout::compact;
  switch (options.format) {
    case NetworkFormat::topology:
      return graph::write_topology_json(topology, layout, sink);
    case NetworkFormat::json:
      return write_graph(topology, layout, sink);
    case NetworkFormat::dot:
      return graph::write_dot(topology, sink);
    case NetworkFormat::svg:
      return write_svg(topology, sink);
    case NetworkFormat::png:
      return write_png(topology, sink);
    case NetworkFormat::perfetto:
      return graph::write_trace_json(topology, layout, sink);
    case NetworkFormat::model_explorer:
      return graph::write_model_explorer_json(topology, layout, sink);
  }
  return {};
}

int run_graph(const GraphArguments& options, const Context& context) {
  const auto topology =
      read_network_argument(options.archive, options.module, options.tir_files, context.limits);
  if (!topology) return context.console.fail(topology.error());
  if (options.format == NetworkFormat::svg && !can_be_laid_out(*topology)) {
    context.console.note("too many edges for a layout: the picture is a column of the calls");
  }
  // Written as it is made: networks may be larger than a terminal's patience, but not than memory.
  OutputStream out;
  const auto written =
      write_network(*topology, options, [&](std::string_view bytes) {
        out.write(bytes);
      }).map_error([&](Diagnostics all) { return in_file(std::move(all), options.archive); });
  // What was written before the failure is out already; the exit code says not to use it.
  if (!written) return context.console.fail(written.error());
  const auto finished = out.finish();
  return finished ? 0 : context.console.fail(finished.error());
}

}  // namespace

Command graph_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "graph",
      "Print the network of an archive: which kernel is called with what, and where it lies");
  // Shared with CLI11's callbacks, which outlive this function.
  const auto options = std::make_shared<GraphArguments>();
  declare_graph_options(*app, *options);
  return {app, [options](const Context& context) { return run_graph(*options, context); }};
}

}  // namespace mlf::program
