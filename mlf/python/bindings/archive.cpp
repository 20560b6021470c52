// An archive: its modules, TIR, networks and documents, and writing mlf's outputs into it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "bindings.h"
#include "documents.h"
#include "errors.h"
#include "mlf/budget.h"
#include "mlf/deployment.h"
#include "mlf/diff.h"
#include "mlf/graph/write.h"
#include "mlf/inspection.h"
#include "mlf/integration.h"
#include "mlf/optimize.h"
#include "mlf/plan.h"
#include "mlf/process.h"
#include "mlf/report.h"
#include "mlf/verify.h"
#include "strings.h"
#ifdef MLF_HAS_DRAWING
#include "mlf/drawing.h"
#endif

namespace mlf::python {
namespace {

namespace nb = nanobind;
using DeploymentPtr = std::shared_ptr<Deployment>;

using Path = std::filesystem::path;

DeploymentPtr open(const Path& path, const std::vector<Path>& beside) {
  auto opened = without_gil([&] {
    const std::vector<std::string> names(beside.begin(), beside.end());
    return load_tir_files(names).and_then([&](std::vector<TirFile> files) {
      return Deployment::open(path.native(), {.tir_files = std::move(files)});
    });
  });
  return std::make_shared<Deployment>(value_or_raise(std::move(opened)));
}

DeploymentPtr open_bytes(const nb::bytes& bytes, const std::string& name) {
  const std::string_view view(bytes.c_str(), bytes.size());
  auto opened = without_gil([&] {
    return archive::Archive::from_bytes(view, name).and_then([](archive::Archive archive) {
      return Deployment::open(std::move(archive));
    });
  });
  return std::make_shared<Deployment>(value_or_raise(std::move(opened)));
}

/// Stem, stage and member of every TIR.
nb::list sources(const Deployment& self) {
  nb::list list;
  for (const TirSource& source : self.tir_sources()) {
    list.append(nb::make_tuple(source.stem, source.stage, source.name));
  }
  return list;
}

DocumentPtr document(const Deployment& self, const std::string& name) {
  const TirSource* source = self.find_tir(name);
  if (source == nullptr) throw nb::key_error(name.c_str());
  return handle_of(value_or_raise(without_gil([&] { return self.document(*source); })));
}

/// A network as text: its JSON (schemas/topology.schema.json) and DOT.
struct NetworkText {
  std::size_t module = 0;
  std::string json;
  std::string dot;
};

Result<NetworkText> text_of_network(const Network& network) {
  return text_of([&](const Sink& sink) {
           return graph::write_topology_json(network.topology, JsonLayout::compact, sink);
         })
      .and_then([&](std::string json) {
        return text_of([&](const Sink& sink) { return graph::write_dot(network.topology, sink); })
            .map([&](std::string dot) {
              return NetworkText{network.module, std::move(json), std::move(dot)};
            });
      });
}

/// The networks, and for every other module the reason why it has none.
nb::tuple networks(const Deployment& self) {
  std::vector<NetworkText> texts;
  const auto networks = value_or_raise(without_gil([&]() -> Result<Networks> {
    auto found = self.networks();
    if (!found) return found;
    for (const Network& network : found->found) {
      auto text = text_of_network(network);
      if (!text) return tl::unexpected(text.error());
      texts.push_back(std::move(*text));
    }
    return found;
  }));
  nb::list found;
  for (const NetworkText& text : texts) {
    found.append(nb::make_tuple(text.module, text.json, text.dot));
  }
  nb::list missing;
  for (const MissingNetwork& network : networks.missing) {
    missing.append(nb::make_tuple(network.module, str(to_string(network.reason))));
  }
  return nb::make_tuple(found, missing);
}

std::optional<Compiler> compiler(const std::optional<std::string>& command,
                                 const std::vector<std::string>& flags) {
  if (!command) return std::nullopt;
  return Compiler{*command, flags};
}

std::shared_ptr<Report> report(const Deployment& self, const std::optional<std::string>& command,
                               const std::vector<std::string>& flags) {
  auto made = without_gil([&] { return report_of(self, {compiler(command, flags)}); });
  return std::make_shared<Report>(value_or_raise(std::move(made)));
}

std::string report_json(const Report& self) {
  return value_or_raise(without_gil([&] {
    return text_of(
        [&](const Sink& sink) { return write_report_json(self, JsonLayout::compact, sink); });
  }));
}

plan::SearchLimits limits_of(std::optional<double> seconds) {
  plan::SearchLimits limits;
  if (seconds) {
    // As in `mlf plan --seconds`: the time is the limit, whatever the number of steps.
    limits.seconds = seconds_above_0(*seconds);
    limits.steps = UINT64_MAX;
  }
  return limits;
}

std::string plan(const Deployment& self, std::optional<double> seconds) {
  return value_or_raise(without_gil([&] {
    return plan_archive(self, limits_of(seconds)).map([](const ArchivePlan& plan) {
      return to_json(plan, JsonLayout::compact);
    });
  }));
}

/// `only`: empty for all.
std::string optimize(const Deployment& self, const Path& output,
                     const std::vector<std::string>& only, bool reorder, bool in_place,
                     bool drop_unused, std::optional<double> seconds,
                     const std::optional<std::string>& command,
                     const std::vector<std::string>& flags) {
  OptimizeOptions options{.output = output.native(),
                          .search = limits_of(seconds),
                          .compiler = compiler(command, flags)};
  if (!only.empty()) options.what = value_or_raise(optimizations_named(only));
  options.what.reorder = reorder;
  options.what.in_place = in_place;
  options.what.drop_unused = drop_unused;
  return value_or_raise(without_gil([&] {
    return write_optimized(self, options).map([](const OptimizeReport& report) {
      return to_json(report, JsonLayout::compact);
    });
  }));
}

std::string inspection(const Deployment& self) {
  return without_gil([&] { return to_json(self, inspect(self), JsonLayout::compact); });
}

std::string integration(const Deployment& self, const std::optional<std::string>& command,
                        const std::vector<std::string>& flags) {
  return value_or_raise(without_gil([&] {
    return integration_of(self, {.compiler = compiler(command, flags), .searches_findings = false})
        .map([&](const Integration& list) { return to_json(self, list, JsonLayout::compact); });
  }));
}

std::string difference(const Deployment& old_archive, const Report& before,
                       const Deployment& new_archive, const Report& after) {
  return value_or_raise(without_gil([&] {
    return diff({old_archive, before}, {new_archive, after}).map([](const BuildDifference& found) {
      return to_json(found, JsonLayout::compact);
    });
  }));
}

using NamedLimit = std::pair<std::string, std::uint64_t>;

std::string checked(const Report& self, const std::vector<NamedLimit>& limits,
                    const std::vector<std::string>& no_findings) {
  Budget budget;
  for (const auto& [name, most] : limits) {
    budget.common.limits.push_back({value_or_raise(resource_named(name)), most});
  }
  for (const std::string& code : no_findings) {
    budget.common.no_findings.push_back(value_or_raise(finding_named(code)));
  }
  return without_gil([&] { return to_json(check(self, budget), JsonLayout::compact); });
}

std::string verification(const Path& path, const std::vector<Path>& beside) {
  const std::vector<std::string> names(beside.begin(), beside.end());
  return value_or_raise(without_gil([&] {
    return verify_archive(path.native(), {.tir_files = names}).map([&](Verification done) {
      const VerifiedArchive archive{path.native(), std::move(done)};
      return to_json({&archive, 1}, JsonLayout::compact);
    });
  }));
}

nb::object cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return nb::int_(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return str(*text);
  return nb::none();
}

/// Name, meaning, and whether it is text.
nb::list columns(RowKind kind) {
  nb::list list;
  for (const RowColumn& column : columns_of(kind)) {
    list.append(
        nb::make_tuple(str(column.name), str(column.meaning), column.type == CellType::text));
  }
  return list;
}

nb::list table(const Report& self, RowKind kind) {
  const auto rows = without_gil([&] { return rows_of(self, kind); });
  nb::list list;
  for (const auto& row : rows) {
    nb::list cells;
    for (const Cell& value : row) cells.append(cell(value));
    list.append(nb::tuple(cells));
  }
  return list;
}

/// Members written, members removed, and the number of TIR sources.
nb::tuple process(const Path& path, const Path& output, bool is_dry_run) {
  ProcessOptions options{.output = output.native()};
  options.effect = is_dry_run ? Effect::dry_run : Effect::write;
  const auto done =
      value_or_raise(without_gil([&] { return process_archive(path.native(), options); }));
  nb::list written;
  for (const WrittenMember& member : done.written) written.append(str(member.name));
  nb::list removed;
  for (const std::string& name : done.removed) removed.append(str(name));
  return nb::make_tuple(written, removed, done.tir_sources);
}

#ifdef MLF_HAS_DRAWING
/// With the GIL, because Graphviz has global state.
std::string svg(const std::string& dot) {
  return value_or_raise(drawing::svg_from_dot(dot));
}
#endif

}  // namespace

void bind_archive(nb::module_& module) {
  nb::enum_<RowKind> kinds(module, "RowKind");
  for (const RowKindInfo& one : row_kinds()) kinds.value(one.name.data(), one.kind);
  nb::class_<Report>(module, "Report")
      .def("json", &report_json)
      .def("check", &checked, nb::arg("limits"), nb::arg("no_findings"))
      .def("table", &table,
           nb::sig("def table(self, rows: RowKind) -> list[tuple[int | str | None, ...]]"));
  module.def("columns", &columns,
             nb::sig("def columns(rows: RowKind) -> list[tuple[str, str, bool]]"));
  nb::class_<Deployment>(module, "Archive")
      .def_static("open", &open, nb::arg("path"), nb::arg("tir_files"),
                  nb::sig("def open(path: str | os.PathLike[str], "
                          "tir_files: list[str | os.PathLike[str]]) -> Archive"))
      .def_static("open_bytes", &open_bytes, nb::arg("data"), nb::arg("name"))
      .def_prop_ro("path", [](const Deployment& self) { return str(self.archive().path()); })
      .def_prop_ro("version", [](const Deployment& self) { return self.library().version; })
      .def_prop_ro("modules", [](const Deployment& self) { return self.library().modules; })
      .def_prop_ro("sources", &sources,
                   nb::for_getter(nb::sig("def sources(self, /) -> list[tuple[str, str, str]]")))
      .def("document", &document, nb::arg("name"))
      .def(
          "networks", &networks,
          nb::sig("def networks(self) -> tuple[list[tuple[int, str, str]], list[tuple[int, str]]]"))
      .def("report", &report, nb::arg("compiler"), nb::arg("flags"))
      .def("plan", &plan, nb::arg("seconds"))
      .def(
          "optimize", &optimize,
          nb::sig("def optimize(self, output: str | os.PathLike[str], only: list[str], reorder: "
                  "bool, in_place: bool, drop_unused: bool, seconds: float | None, compiler: str | "
                  "None, flags: list[str]) -> str"))
      .def("inspect", &inspection)
      .def("integration", &integration, nb::arg("compiler"), nb::arg("flags"));
  module.def("diff", &difference);
  module.def("verify", &verification, nb::arg("path"), nb::arg("tir_files"),
             nb::sig("def verify(path: str | os.PathLike[str], "
                     "tir_files: list[str | os.PathLike[str]]) -> str"));
  module.def("process", &process,
             nb::sig("def process(path: str | os.PathLike[str], output: str | os.PathLike[str], "
                     "dry_run: bool) -> tuple[list[str], list[str], int]"));
  // Archives have the same names as in `mlf table`.
  module.def("printable", [](const nb::bytes& text) {
    return str(printable({text.c_str(), text.size()}));
  });
#ifdef MLF_HAS_DRAWING
  module.def("svg", &svg, nb::arg("dot"));
#endif
}

}  // namespace mlf::python
