// mlf graph: prints the network of an archive.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "arguments.h"
#include "graph/formats/picture.h"
#include "mlf/graph/write.h"
#include "mlf/profile.h"
#include "mlf/report.h"
#include "report/folding.h"
#include "report_page.h"
#include "support/error.h"

namespace mlf::program {
namespace {

using support::Error;
using support::get_or_throw;

enum class NetworkFormat { topology, json, dot, svg, png, perfetto, model_explorer };

struct GraphArguments {
  std::string archive;
  std::string module;
  std::vector<std::string> tir_files;
  NetworkFormat format = NetworkFormat::topology;
  bool pretty = false;
  bool fold = false;
  std::string profile;
};

void declare_graph_options(CLI::App& app, GraphArguments& options) {
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->required();
  add_enum_option(
      app, "--format", options.format,
      {{"topology", NetworkFormat::topology, "calls, tensors and storage: schemas/topology.md"},
       {"json", NetworkFormat::json, "for TVM's graph executor and Netron: schemas/graph.md"},
       {"dot", NetworkFormat::dot, "for Graphviz"},
       {"svg", NetworkFormat::svg, "a picture"},
       {"png", NetworkFormat::png, "the picture in pixels, with the fonts of this machine"},
       {"perfetto", NetworkFormat::perfetto, "memory in use over a run, for ui.perfetto.dev"},
       {"model-explorer", NetworkFormat::model_explorer,
        "for Google's Model Explorer; mlf report --node-data adds colours"}},
      {"FORMAT", "Output"}, "Form of the network");
  add_json_flag(app, options.format, NetworkFormat::topology,
                "topology (--format json is the graph executor's JSON)");
  add_flag(app, "--fold", options.fold, "Output",
           "Draw repeated parts of the network once (dot, svg, png)");
  add_flag(app, "--pretty", options.pretty, "Output",
           "Indent the JSON of topology, json, perfetto and model-explorer");
  add_option(app, "--module", options.module, {"MODULE", "Input"},
             "The module, if the archive has several");
  add_tir_option(app, options.tir_files);
  add_option(app, "--profile", options.profile, {"FILE", "Output"},
             "Show the times of calls, by mlf profile --json --clock (perfetto)");
}

JsonLayout layout_of(const GraphArguments& options) {
  return options.pretty ? JsonLayout::pretty : JsonLayout::compact;
}

/// The graph executor would run an inconsistent graph; a topology lists its failed checks, and dot
/// shows them in red.
void require_sound(const graph::Topology& topology) {
  const graph::Check* error = topology.first_error();
  if (error == nullptr) return;
  throw Error(ErrorKind::check_failed, "no graph (see mlf verify): " + error->detail);
}

bool is_drawn(NetworkFormat format) {
  return format == NetworkFormat::dot || format == NetworkFormat::svg ||
         format == NetworkFormat::png;
}

/// The network to lay out, and whether the layout ends in time.
struct Picture {
  graph::DotNotes notes{};
  std::uint64_t effort = 0;

  bool can_be_laid_out() const { return effort <= graph::kMostLayoutEffort; }
};

/// Folds networks that are too large for a layout, also without --fold. DOT is always written.
Picture picture_of(const NetworkArgument& network, const GraphArguments& options) {
  const graph::Topology& topology = network.topology;
  const bool is_folded =
      options.fold || (options.format != NetworkFormat::dot &&
                       graph::layout_effort(topology) > graph::kMostLayoutEffort);
  const Report report = get_or_throw(report_of(network.deployment, {.searches_findings = false}));
  const ModuleReport& module = report.modules[network.module];
  auto folded = is_folded ? fold_repeats(module) : graph::whole_network(topology);
  const std::uint64_t effort = graph::layout_effort(topology, folded);
  return {notes_of(std::move(folded), module), effort};
}

void lay_out(const graph::Topology& topology, const graph::DotNotes& notes, PictureForm form,
             const Sink& sink) {
#ifndef MLF_HAS_DRAWING
  throw Error(ErrorKind::usage,
              fmt::format("this mlf was built without Graphviz: give --format dot to its dot -T{}",
                          form == PictureForm::png ? "png" : "svg"));
#endif
  sink(get_or_throw(draw(topology, notes, form)));
}

/// The drawing in `format`, or a column of calls if the network cannot be laid out.
void write_drawing(const graph::Topology& topology, const Picture& picture, NetworkFormat format,
                   const Console& console, const Sink& sink) {
  if (format == NetworkFormat::dot) {
    return get_or_throw(graph::write_dot(topology, picture.notes, sink));
  }
  if (picture.can_be_laid_out()) {
    const bool is_png = format == NetworkFormat::png;
    return lay_out(topology, picture.notes, is_png ? PictureForm::png : PictureForm::svg, sink);
  }
  if (format == NetworkFormat::png) {
    throw Error(ErrorKind::usage, "too many edges for a layout: --format svg lists the calls");
  }
  console.note("too many edges for a layout: the picture is a column of the calls");
  graph::write_column_svg(topology, sink);
}

void write_picture(const NetworkArgument& network, const GraphArguments& options,
                   const Console& console, const Sink& sink) {
  const Picture picture = picture_of(network, options);
  const bool is_folded = picture.notes.folded->blocks.size() < network.topology.calls.size();
  if (is_folded && !options.fold && picture.can_be_laid_out()) {
    console.note("too many edges for a layout: repeated parts are drawn once, as with --fold");
  }
  write_drawing(network.topology, picture, options.format, console, sink);
}

using WriteText = Result<void>(const graph::Topology&, JsonLayout, const Sink&);

WriteText* writer_of(NetworkFormat format) {
  switch (format) {
    case NetworkFormat::json:
      return graph::write_graph_json;
    case NetworkFormat::perfetto:
      return graph::write_trace_json;
    case NetworkFormat::model_explorer:
      return graph::write_model_explorer_json;
    default:
      return graph::write_topology_json;
  }
}

void write_timed_trace(const NetworkArgument& network, const GraphArguments& options,
                       const Sink& sink) {
  const Profile profile = get_or_throw(load_profile(options.profile));
  const auto times = trace_times(network.deployment, network, profile).map_error([&](auto error) {
    return in_file(std::move(error), options.profile);
  });
  get_or_throw(
      graph::write_trace_json(network.topology, get_or_throw(times), layout_of(options), sink));
}

void write_text(const NetworkArgument& network, const GraphArguments& options, const Sink& sink) {
  const graph::Topology& topology = network.topology;
  if (!options.profile.empty()) return write_timed_trace(network, options, sink);
  if (options.format == NetworkFormat::json) require_sound(topology);
  get_or_throw(writer_of(options.format)(topology, layout_of(options), sink));
}

int run_graph(const GraphArguments& options, const Context& context) {
  if (options.fold && !is_drawn(options.format)) {
    throw Error(ErrorKind::usage, "--fold is for --format dot, svg and png");
  }
  if (!options.profile.empty() && options.format != NetworkFormat::perfetto) {
    throw Error(ErrorKind::usage, "--profile is for --format perfetto");
  }
  const NetworkArgument network =
      read_network_argument(options.archive, options.module, options.tir_files, context);
  std::string text;
  const auto sink = [&](std::string_view bytes) { text += bytes; };
  try {
    is_drawn(options.format) ? write_picture(network, options, context.console, sink)
                             : write_text(network, options, sink);
  } catch (const Error& error) {
    throw Error(in_file(error.diagnostic(), options.archive));
  }
  print(text);
  return 0;
}

}  // namespace

Command graph_command(CLI::App& parent) {
  return make_command(parent, "graph",
                      "Print the network of an archive: the calls in execution order, their "
                      "tensors, and the memory that each tensor is in",
                      declare_graph_options, run_graph);
}

}  // namespace mlf::program
