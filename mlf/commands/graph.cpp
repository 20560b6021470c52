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
#include "deployment/folding.h"
#include "graph/formats/picture.h"
#include "mlf/graph/write.h"
#include "mlf/report.h"
#include "output.h"
#include "report_page.h"

namespace mlf::program {
namespace {

enum class NetworkFormat { topology, json, dot, svg, png, perfetto, model_explorer };

struct GraphArguments {
  std::string archive;
  std::string module;
  std::vector<std::string> tir_files;
  NetworkFormat format = NetworkFormat::topology;
  bool pretty = false;
  bool fold = false;
};

void declare_graph_options(CLI::App& app, GraphArguments& options) {
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->required();
  add_enum_option(
      app, "--format", options.format,
      {{"topology", NetworkFormat::topology, "calls, values and storage: schemas/topology.md"},
       {"json", NetworkFormat::json, "for TVM's graph executor and Netron: schemas/graph.md"},
       {"dot", NetworkFormat::dot, "for Graphviz"},
       {"svg", NetworkFormat::svg, "a picture"},
       {"png", NetworkFormat::png, "the picture in pixels, with the fonts of this machine"},
       {"perfetto", NetworkFormat::perfetto, "memory in use over a run, for ui.perfetto.dev"},
       {"model-explorer", NetworkFormat::model_explorer,
        "for Google's Model Explorer; mlf report --node-data adds colours"}},
      {"FORMAT", "Output"}, "Form of the network");
  app.add_flag("--fold", options.fold, "Draw repeated parts of the network once (dot, svg, png)")
      ->group("Output");
  app.add_flag("--pretty", options.pretty,
               "Indent the JSON of topology, json, perfetto and model-explorer")
      ->group("Output");
  app.add_option("--module", options.module, "The module, if the archive has several")
      ->type_name("MODULE")
      ->group("Input");
  app.add_option("--tir", options.tir_files,
                 "Also read TIR from this file (see mlf process); repeatable")
      ->type_name("FILE")
      ->group("Input");
}

/// The first check that says why no graph of this network can be trusted.
const graph::Check& first_failure(const graph::Topology& topology) {
  // There is one: the topology is not sound.
  return *std::find_if(topology.checks.begin(), topology.checks.end(), [](const auto& check) {
    return info(check.code).severity == graph::Severity::error;
  });
}

Result<void> write_graph(const graph::Topology& topology, JsonLayout layout, const Sink& sink) {
  if (topology.is_sound()) return graph::write_graph_json(topology, layout, sink);
  // The graph executor would run it as it is; a topology shows its checks beside it, dot in red.
  const std::string message = "no graph (see mlf verify): " + first_failure(topology).detail;
  return tl::make_unexpected(Diagnostic{ErrorKind::check_failed, message, {}});
}

tl::unexpected<Diagnostic> no_picture(std::string message) {
  return tl::make_unexpected(Diagnostic{ErrorKind::usage, std::move(message), {}});
}

bool is_drawn(NetworkFormat format) {
  return format == NetworkFormat::dot || format == NetworkFormat::svg ||
         format == NetworkFormat::png;
}

/// What is laid out of a network, and whether that ends.
struct Picture {
  graph::DotNotes notes{};
  std::uint64_t effort = 0;

  bool can_be_laid_out() const { return effort <= graph::kMostLayoutEffort; }
};

Result<Picture> picture_of(graph::FoldedNetwork folded, const NetworkArgument& network) {
  return report_of(network.deployment).map([&](const Report& report) {
    const std::uint64_t effort = graph::layout_effort(network.topology, folded);
    return Picture{notes_of(std::move(folded), report.modules[network.module]), effort};
  });
}

Result<Picture> folded_picture(const NetworkArgument& network) {
  return fold_repeats(network.deployment, network.topology)
      .and_then(
          [&](graph::FoldedNetwork folded) { return picture_of(std::move(folded), network); });
}

/// Networks that are too large for a layout are folded, asked for or not. DOT is written as it is.
Result<Picture> picture_of(const NetworkArgument& network, const GraphArguments& options) {
  if (options.fold) return folded_picture(network);
  const bool fits = graph::layout_effort(network.topology) <= graph::kMostLayoutEffort;
  if (!fits && options.format != NetworkFormat::dot) return folded_picture(network);
  return picture_of(graph::whole_network(network.topology), network);
}

#ifdef MLF_HAS_DRAWING
using Draw = Result<std::string>(const std::string& dot);
constexpr Draw* kDrawSvg = drawing::svg_from_dot;
constexpr Draw* kDrawPng = drawing::png_from_dot;

Result<void> lay_out(const graph::Topology& topology, const graph::DotNotes& notes, Draw* draw,
                     const Sink& sink) {
  // Graphviz reads its input as a whole.
  std::string dot;
  return graph::write_dot(topology, notes, [&](std::string_view text) { dot += text; })
      .and_then([&] { return draw(dot); })
      .map([&](const std::string& picture) { sink(picture); });
}
#else
// A layout needs Graphviz, which a build may lack.
constexpr const char* kDrawSvg = "-Tsvg";
constexpr const char* kDrawPng = "-Tpng";

Result<void> lay_out(const graph::Topology&, const graph::DotNotes&, std::string_view option,
                     const Sink&) {
  return no_picture("this mlf was built without Graphviz: give --format dot to its dot " +
                    std::string(option));
}
#endif

/// What `format` is drawn with, or the column of calls where nothing can be laid out.
Result<void> draw(const graph::Topology& topology, const Picture& picture, NetworkFormat format,
                  const Console& console, const Sink& sink) {
  if (format == NetworkFormat::dot) return graph::write_dot(topology, picture.notes, sink);
  if (picture.can_be_laid_out()) {
    const bool is_png = format == NetworkFormat::png;
    return lay_out(topology, picture.notes, is_png ? kDrawPng : kDrawSvg, sink);
  }
  if (format == NetworkFormat::png) {
    return no_picture("too many edges for a layout: --format svg lists the calls");
  }
  console.note("too many edges for a layout: the picture is a column of the calls");
  return graph::write_column_svg(topology, sink);
}

Result<void> write_picture(const NetworkArgument& network, const GraphArguments& options,
                           const Console& console, const Sink& sink) {
  return picture_of(network, options).and_then([&](const Picture& picture) {
    const bool is_folded = picture.notes.folded->blocks.size() < network.topology.calls.size();
    if (is_folded && !options.fold && picture.can_be_laid_out()) {
      console.note("too many edges for a layout: repeated parts are drawn once, as with --fold");
    }
    return draw(network.topology, picture, options.format, console, sink);
  });
}

Result<void> write_text(const graph::Topology& topology, const GraphArguments& options,
                        const Sink& sink) {
  const auto layout = options.pretty ? JsonLayout::pretty : JsonLayout::compact;
  if (options.format == NetworkFormat::json) return write_graph(topology, layout, sink);
  if (options.format == NetworkFormat::perfetto) {
    return graph::write_trace_json(topology, layout, sink);
  }
  if (options.format == NetworkFormat::model_explorer) {
    return graph::write_model_explorer_json(topology, layout, sink);
  }
  return graph::write_topology_json(topology, layout, sink);
}

int run_graph(const GraphArguments& options, const Context& context) {
  if (options.fold && !is_drawn(options.format)) {
    return context.console.fail(ErrorKind::usage, "--fold is for --format dot, svg and png");
  }
  const auto network = read_network_argument(options.archive, options.module, options.tir_files,
                                             context.limits, context.console);
  if (!network) return context.console.fail(network.error());
  // Written as it is made: the text need not be in memory as a whole.
  OutputStream out;
  const auto sink = [&](std::string_view bytes) { out.write(bytes); };
  const auto written =
      (is_drawn(options.format) ? write_picture(*network, options, context.console, sink)
                                : write_text(network->topology, options, sink))
          .map_error([&](Diagnostic diagnostic) {
            return in_file(std::move(diagnostic), options.archive);
          });
  // What was written before the failure is out already; the exit code says not to use it.
  if (!written) return context.console.fail(written.error());
  const auto finished = out.finish();
  return finished ? 0 : context.console.fail(finished.error());
}

}  // namespace

Command graph_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("graph",
                                        "Print the network of an archive: the calls in execution "
                                        "order, their tensors, and the memory "
                                        "that each tensor is in");
  // Shared with CLI11's callbacks, which outlive this function.
  const auto options = std::make_shared<GraphArguments>();
  declare_graph_options(*app, *options);
  return {app, [options](const Context& context) { return run_graph(*options, context); }};
}

}  // namespace mlf::program
