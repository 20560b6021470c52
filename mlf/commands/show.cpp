// mlf show: one kernel, its costs, and its code in every form.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "commands/command.h"
#include "mlf/report.h"
#include "mlf/run.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/write.h"
#include "report/constants.h"
#include "report/kernel_text.h"
#include "report/relay_text.h"
#include "result_file.h"
#include "run/npy.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lines.h"
#include "support/lookup.h"
#include "support/nearest.h"
#include "table.h"

namespace mlf::program {
namespace {

using support::get_or_throw;

enum class KernelForm { summary, c, tvmscript, json, npy };

struct ShowArguments {
  std::string archive;
  std::string kernel;
  std::string module;
  KernelForm form = KernelForm::summary;
  bool relay = false;
  std::string constant;
  std::string output{kStandardOutput};
};

/// A kernel and the module that it belongs to.
struct ChosenKernel {
  const ModuleReport* module;
  const KernelReport* kernel;
};

[[noreturn]] void refuse(std::string message) {
  throw support::Error(ErrorKind::usage, std::move(message));
}

/// The layers of a call, one for each operator that it came from.
std::vector<std::string> layers_in(std::string_view layer) {
  std::vector<std::string> layers;
  while (!layer.empty()) {
    layers.emplace_back(first_layer(layer));
    layer.remove_prefix(std::min(layers.back().size() + 1, layer.size()));
  }
  return layers;
}

/// Whether the argument is this kernel's symbol, its short name, or the number or the first layer
/// of one of its calls.
bool is_meant(const ModuleReport& module, std::size_t kernel, const std::string& name) {
  const KernelReport& one = module.kernels[kernel];
  if (name == one.symbol || name == one.short_name) return true;
  return std::ranges::any_of(module.calls, [&](const CallReport& call) {
    return call.kernel == kernel &&
           (std::to_string(index(call.call)) == name || first_layer(call.layer) == name);
  });
}

/// Whether it is another layer of one of its calls. Several kernels may have it.
bool has_layer(const ModuleReport& module, std::size_t kernel, const std::string& name) {
  return std::ranges::any_of(module.calls, [&](const CallReport& call) {
    return call.kernel == kernel && support::is_among(layers_in(call.layer), name);
  });
}

/// The named module, or all.
std::vector<const ModuleReport*> searched_modules(const Report& report, const std::string& name) {
  std::vector<const ModuleReport*> modules;
  std::vector<std::string> names;
  for (const ModuleReport& module : report.modules) {
    names.push_back(module.name);
    if (name.empty() || module.name == name) modules.push_back(&module);
  }
  if (!modules.empty()) return modules;
  refuse(name.empty() ? "the archive has no module" : unknown_module(name, names));
}

/// The reason why no kernel of these modules matches.
std::string no_such_kernel(const std::vector<const ModuleReport*>& modules,
                           const std::string& wanted) {
  std::vector<std::string> names;
  std::vector<std::string> symbols;
  std::size_t calls = 0;
  for (const ModuleReport* module : modules) {
    calls = std::max(calls, module->calls.size());
    for (const KernelReport& kernel : module->kernels) {
      names.push_back(kernel.short_name);
      symbols.push_back(kernel.symbol);
    }
  }
  const auto& no_network = modules.front()->no_network;
  const std::string why = no_network ? fmt::format(": {}", to_string(*no_network)) : "";
  if (names.empty()) return fmt::format("module '{}' has no kernel{}", modules.front()->name, why);
  if (support::is_digits(wanted) && calls == 0) {
    return fmt::format("there is no call {}{}; name a kernel: {}", wanted, why, some_of(names));
  }
  names.insert(names.end(), symbols.begin(), symbols.end());
  if (!support::is_digits(wanted)) {
    return fmt::format("there is no kernel '{}'{} (mlf report lists all)", wanted,
                       did_you_mean(wanted, names));
  }
  return fmt::format("there is no call {}: the last is {}", wanted, calls - 1);
}

ChosenKernel chosen_kernel(const Report& report, const ShowArguments& options) {
  const auto modules = searched_modules(report, options.module);
  std::vector<ChosenKernel> meant;
  for (const auto is_named : {is_meant, has_layer}) {
    if (!meant.empty()) break;
    for (const ModuleReport* module : modules) {
      for (std::size_t i = 0; i < module->kernels.size(); ++i) {
        if (is_named(*module, i, options.kernel)) meant.push_back({module, &module->kernels[i]});
      }
    }
  }
  if (meant.empty()) refuse(no_such_kernel(modules, options.kernel));
  if (meant.size() > 1) {
    std::vector<std::string> names;
    std::vector<std::string> kernels;
    for (const ChosenKernel& one : meant) {
      support::add_once(names, one.module->name);
      kernels.push_back(one.kernel->short_name);
    }
    if (names.size() == 1) {
      refuse(fmt::format("'{}' is a layer of several kernels, name one: {}", options.kernel,
                         some_of(kernels)));
    }
    refuse(fmt::format("'{}' is in several modules, name one with --module: {}", options.kernel,
                       some_of(names)));
  }
  return meant.front();
}

// --- The summary -------------------------------------------------------------------------------

std::string place_of(const std::optional<CodeLines>& lines) {
  return lines ? fmt::format("{}:{}-{}", lines->file, lines->first, lines->last) : "-";
}

std::string calls_of(const ChosenKernel& chosen) {
  std::vector<std::uint32_t> calls;
  for (const CallReport& call : chosen.module->calls) {
    if (&chosen.module->kernels[call.kernel] == chosen.kernel) calls.push_back(index(call.call));
  }
  return calls.empty() ? "-" : fmt::format("{}", fmt::join(calls, ", "));
}

/// The layers of its calls, if Relay names them.
std::string layers_of(const ChosenKernel& chosen) {
  std::vector<std::string> layers;
  for (const CallReport& call : chosen.module->calls) {
    if (&chosen.module->kernels[call.kernel] != chosen.kernel || call.layer.empty()) continue;
    layers.push_back(fmt::format("{}", fmt::join(layers_in(call.layer), "; ")));
  }
  return fmt::format("{}", fmt::join(layers, ", "));
}

/// The operator of each call in Relay, if it is known.
std::string relay_lines(const ChosenKernel& chosen, const Deployment& deployment,
                        const Screen& screen) {
  std::string text;
  for (const CallReport& call : chosen.module->calls) {
    if (&chosen.module->kernels[call.kernel] != chosen.kernel || !call.relay) continue;
    const archive::Archive& archive = deployment.archive();
    const auto whole = archive.read(*archive.find(call.relay->file));
    if (!whole) continue;
    std::string line = report::without_comments(report::LineTable(*whole).lines_of(*call.relay));
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    line = line.substr(begin, line.find_last_not_of(" \n") + 1 - begin);
    text +=
        folded(
            printable(fmt::format("Relay   {}:{}  {}", call.relay->file, call.relay->first, line)),
            screen, 8) +
        "\n";
  }
  return text;
}

std::string head_of(const ChosenKernel& chosen, const Deployment& deployment,
                    const Screen& screen) {
  const KernelReport& kernel = *chosen.kernel;
  std::string text = printable(kernel.symbol) + "\n";
  text += fmt::format("calls   {}\n", calls_of(chosen));
  if (const std::string layers = layers_of(chosen); !layers.empty()) {
    text += folded("layer   " + printable(layers), screen, 8) + "\n";
  }
  text += fmt::format("C       {}\n", printable(place_of(kernel.c)));
  text += fmt::format("TIR     {}\n", printable(place_of(kernel.tir)));
  text += relay_lines(chosen, deployment, screen);
  if (!kernel.cost) return text + "cost    ? (the kernel has no TIR)\n";
  text += fmt::format("MAC     {}\n", to_string(kernel.cost->mac));
  text += fmt::format("bytes   loaded {}, stored {}\n", to_string(kernel.cost->loaded),
                      to_string(kernel.cost->stored));
  text += fmt::format("index   {} operations, {} of them divisions\n",
                      to_string(kernel.cost->index_operations),
                      to_string(kernel.cost->index_divisions));
  return text;
}

/// "64 iterations, 2304 MAC", or the bytes of an allocation.
std::string note_of(const report::LineCost& line, const analysis::KernelCost& cost) {
  if (!line.loop) return fmt::format("{} bytes", *line.bytes);
  const analysis::LoopCost& loop = cost.loops[*line.loop];
  std::string note = fmt::format("{} iterations", to_string(loop.iterations));
  if (loop.mac != analysis::Count{}) note += fmt::format(", {} MAC", to_string(loop.mac));
  return note;
}

// Notes of longer lines follow directly, so the other notes stay near their code.
constexpr std::size_t kWidestCode = 60;
// Expressions of the archive may be of any length.
constexpr std::size_t kLongestLine = 2000;

/// The kernel as code, with the cost of each loop beside it.
std::string code_of(const ChosenKernel& chosen, const Deployment& deployment) {
  const report::KernelText shown = report::kernel_text(deployment, *chosen.kernel);
  std::vector<std::pair<std::string, std::string>> lines;  // code, and the note beside it
  std::size_t width = 0;
  for (std::string_view rest = shown.text; !rest.empty();) {
    const std::string_view line = support::take_line(rest);
    const auto cost = shown.costs.find(static_cast<std::uint32_t>(lines.size() + 1));
    const bool has_cost = cost != shown.costs.end();
    lines.emplace_back(printable(line.substr(0, kLongestLine)),
                       has_cost ? note_of(cost->second, *chosen.kernel->cost) : "");
    if (line.size() > kLongestLine) lines.back().first += "...";
    const auto& [code, note] = lines.back();
    if (!note.empty() && code.size() <= kWidestCode) width = std::max(width, code.size());
  }
  const std::string_view comment = shown.is_tvmscript ? "#" : "//";
  std::string text;
  for (const auto& [code, note] : lines) {
    text += note.empty() ? code + "\n" : fmt::format("{:<{}}  {} {}\n", code, width, comment, note);
  }
  return text;
}

Table buffers_table(const analysis::KernelCost& cost) {
  Table table({"BUFFER", "ROLE", "#LOADS", "#STORES", "#BYTES LOADED", "#BYTES STORED"});
  for (const analysis::BufferCost& buffer : cost.buffers) {
    table.add({buffer.name, std::string(to_string(buffer.role)), to_string(buffer.loads),
               to_string(buffer.stores), to_string(buffer.bytes_loaded),
               to_string(buffer.bytes_stored)});
  }
  return table;
}

Table constants_table(const ChosenKernel& chosen) {
  Table table({"CONSTANT", "DTYPE", "SHAPE", "#BYTES", "#ZEROS", "#LEAST", "#GREATEST"});
  report::ConstantReader reader;
  for (const report::ModuleConstant& constant : reader.constants_of(*chosen.module)) {
    if (constant.kernel != chosen.kernel->symbol) continue;
    const report::ConstantSummary& summary = constant.summary;
    const auto& values = summary.values;
    const auto value_text = [&](double value) { return report::value_text(value, summary.dtype); };
    table.add(
        {std::string(constant.name), summary.dtype.is_void() ? "?" : tir::to_string(summary.dtype),
         summary.shape ? fmt::format("{}", fmt::join(*summary.shape, "x")) : "?",
         to_string(analysis::to_count(constant.bytes)),
         values ? std::to_string(values->zeros) : "?", values ? value_text(values->least) : "?",
         values ? value_text(values->greatest) : "?"});
  }
  return table;
}

Table operations_table(const analysis::KernelCost& cost) {
  Table table({"ARITHMETIC", "DTYPE", "#COUNT"});
  for (const analysis::OperationCount& operation : cost.operations) {
    table.add({std::string(to_string(operation.operation)), tir::to_string(operation.dtype),
               to_string(operation.count)});
  }
  for (const analysis::ExternCall& callee : cost.extern_calls) {
    table.add({"call of " + callee.symbol, "-", to_string(callee.count)});
  }
  return table;
}

std::string summary_of(const ChosenKernel& chosen, const Deployment& deployment,
                       const Screen& screen) {
  std::string text = head_of(chosen, deployment, screen);
  if (!chosen.kernel->cost) return text;
  const analysis::KernelCost& cost = *chosen.kernel->cost;
  text += "\n" + code_of(chosen, deployment);
  for (const Table& table :
       {buffers_table(cost), constants_table(chosen), operations_table(cost)}) {
    if (!table.empty()) text += "\n" + table.text(screen);
  }
  return text + titled_lines(kWhyNotExact, cost.uncertain, screen);
}

// --- Its code ----------------------------------------------------------------------------------

std::string c_of(const ChosenKernel& chosen, const Deployment& deployment) {
  const std::optional<CodeLines>& lines = chosen.kernel->c;
  const archive::Member* member = lines ? deployment.archive().find(lines->file) : nullptr;
  if (member == nullptr) refuse("this kernel has no C in the archive");
  const report::LineTable table(get_or_throw(deployment.archive().read(*member)));
  return std::string(table.lines_of(*lines));
}

/// The TIR of the kernel as a module with one function.
tir::Document alone(const ChosenKernel& chosen, const Deployment& deployment) {
  const TirSource* source = deployment.find_tir(chosen.kernel->source);
  if (source == nullptr) refuse("this kernel has no TIR in the archive");
  // Reads the document again to change it; reading is deterministic, so the ids are equal.
  tir::Document document = get_or_throw(deployment.read_tir(*source));
  tir::NodePair kept{};
  for (const tir::NamedFunction& one : tir::functions_of(document.module)) {
    if (one.function.id() == chosen.kernel->function) kept = {one.key.id(), one.function.id()};
  }
  const tir::NodeId root = document.module.root().id();
  tir::Builder builder(std::move(document.module));
  builder.set(root, tir::f::IRModule::functions, builder.map(std::vector<tir::NodePair>{kept}));
  document.module = std::move(builder).finish(root);
  return document;
}

std::string text_of(const ChosenKernel& chosen, const Deployment& deployment, KernelForm form,
                    const Screen& screen) {
  if (form == KernelForm::summary) return summary_of(chosen, deployment, screen);
  if (form == KernelForm::c) return c_of(chosen, deployment);
  tir::Document document = alone(chosen, deployment);
  std::string text;
  const auto sink = [&](std::string_view bytes) { text += bytes; };
  const auto name_archive = [&](Diagnostic error) {
    return of_source(std::move(error), deployment.archive().path());
  };
  if (form == KernelForm::tvmscript) {
    // A captured text may have no metadata section.
    tir::omit_missing(document);
    get_or_throw(tir::write_tvmscript(document, {}, sink).map_error(name_archive));
  } else {
    get_or_throw(tir::write_tir_json(document, {.layout = JsonLayout::pretty}, sink)
                     .map_error(name_archive));
  }
  return text;
}

// --- A constant ----------------------------------------------------------------------------------

/// The names that a constant has: its own, that with its kernel, and those of the calls whose
/// largest it is: their layer, kernel and number.
std::vector<std::string> names_of(const ModuleReport& module,
                                  const report::ModuleConstant& constant,
                                  const report::LargestConstants& largest) {
  std::vector<std::string> names{std::string(constant.name)};
  for (const KernelReport& kernel : module.kernels) {
    if (kernel.symbol != constant.kernel) continue;
    names.push_back(fmt::format("{}.{}", kernel.short_name, constant.name));
    names.push_back(fmt::format("{}.{}", kernel.symbol, constant.name));
  }
  for (const CallReport& call : module.calls) {
    if (largest.of(call) != &constant) continue;
    const KernelReport& kernel = module.kernels[call.kernel];
    names.insert(names.end(), {kernel.short_name, kernel.symbol, std::to_string(index(call.call))});
    if (!call.layer.empty()) names.emplace_back(first_layer(call.layer));
  }
  return names;
}

std::string facts_of(const ModuleReport& module, const report::ModuleConstant& constant) {
  const report::ConstantSummary& summary = constant.summary;
  std::string text = fmt::format("{}\n", printable(constant.name));
  if (!constant.kernel.empty()) text += fmt::format("kernel  {}\n", printable(constant.kernel));
  text += fmt::format("type    {} {}\n", tir::to_string(summary.dtype),
                      summary.shape ? fmt::format("{}", fmt::join(*summary.shape, "x"))
                                    : fmt::format("{}", summary.elements.value_or(0)));
  text += fmt::format("bytes   {}", summary.data->size());
  if (constant.pool) {
    text += fmt::format(", in {} from {}", printable((*module.network)[*constant.pool].name),
                        to_string(analysis::to_count(constant.offset)));
  }
  text += fmt::format("\nfile    {}\n", printable(summary.source));
  const auto lines = module.constants.c.find(constant.name);
  if (lines != module.constants.c.end()) {
    text += fmt::format("C       {}\n", printable(place_of(lines->second)));
  }
  if (!summary.values) return text;
  return text + fmt::format("range   {}..{}, {} zeros\n",
                            report::value_text(summary.values->least, summary.dtype),
                            report::value_text(summary.values->greatest, summary.dtype),
                            summary.values->zeros);
}

/// "[1,0,8]": the indices of an element in a tensor of this shape.
std::string index_of(std::uint64_t element, const std::vector<std::int64_t>& shape) {
  std::vector<std::uint64_t> indices(std::max<std::size_t>(shape.size(), 1));
  indices.front() = element;
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    const auto extent = static_cast<std::uint64_t>(shape[axis]);
    indices[axis] = indices.front() % extent;
    indices.front() /= extent;
  }
  return fmt::format("[{}]", fmt::join(indices, ","));
}

/// A constant of an archive with its elements.
struct ShownConstant {
  std::string facts;  ///< lines with its name, its place and its range
  Tensor values;
};

/// Finds the constant that `wanted` names in these modules, by one of `names_of`. Throws
/// `Error`: `usage` if there is none or if several differ, `check_failed` without its elements.
ShownConstant shown_constant(const std::vector<const ModuleReport*>& modules,
                             const std::string& wanted) {
  report::ConstantReader reader;
  std::vector<std::string> known;
  std::vector<std::string> meant;
  std::optional<ShownConstant> found;
  bool has_other = false;
  for (const ModuleReport* module : modules) {
    const std::vector<report::ModuleConstant> constants = reader.constants_of(*module);
    const report::LargestConstants largest(constants, *module);
    for (const report::ModuleConstant& constant : constants) {
      const std::vector<std::string> names = names_of(*module, constant, largest);
      known.insert(known.end(), names.begin(), names.end());
      if (std::ranges::find(names, wanted) == names.end()) continue;
      meant.push_back(names[std::min<std::size_t>(names.size() - 1, 1)]);
      const report::ConstantSummary& summary = constant.summary;
      if (!summary.data) continue;
      ShownConstant one{facts_of(*module, constant), {}};
      one.values.name = constant.name;
      one.values.dtype = summary.dtype;
      one.values.shape = summary.shape.value_or(
          std::vector{static_cast<std::int64_t>(summary.elements.value_or(0))});
      one.values.bytes.assign(reinterpret_cast<const char*>(summary.data->data()),
                              summary.data->size());
      has_other |= found && found->values.bytes != one.values.bytes;
      found = std::move(one);
    }
  }
  if (meant.empty()) {
    const std::string_view why = known.empty() ? ": the archive has none" : "";
    throw support::Error(ErrorKind::usage,
                         fmt::format("there is no constant '{}'{}{} (mlf table --rows constant "
                                     "lists all)",
                                     wanted, why, did_you_mean(wanted, known)));
  }
  if (!found) {
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("the archive does not have the values of '{}'", wanted));
  }
  if (has_other) {
    throw support::Error(ErrorKind::usage, fmt::format("several constants are called '{}': {}",
                                                       wanted, some_of(meant)));
  }
  return *std::move(found);
}

/// The facts, and a line for each row of the last axis.
std::string text_of(const ShownConstant& constant, const Screen& screen) {
  const Tensor& values = constant.values;
  std::string text = constant.facts;
  if (report::reader_of(values.dtype) == nullptr) {
    return text + "\nNo text has elements of this type: see --format npy.\n";
  }
  const std::size_t width = values.dtype.element_bytes();
  const std::size_t count = values.bytes.size() / width;
  std::vector<std::string> cells;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* bytes = reinterpret_cast<const std::byte*>(values.bytes.data());
    cells.push_back(report::element_text(values.dtype, bytes + i * width));
    widest = std::max(widest, cells.back().size());
  }
  // A line ends with a row of the last axis; longer rows take several lines.
  const std::size_t row = values.shape.empty() || values.shape.back() <= 0
                              ? count
                              : static_cast<std::size_t>(values.shape.back());
  const std::size_t label = index_of(count == 0 ? 0 : count - 1, values.shape).size();
  constexpr std::size_t kUsualWidth = 80;
  const std::size_t left = screen.width.value_or(kUsualWidth) - std::min(label, kUsualWidth / 2);
  const std::size_t in_line = std::max<std::size_t>(1, left / (widest + 2));
  for (std::size_t i = 0; i < count; ++i) {
    const bool begins = i % row % in_line == 0;
    if (begins) text += fmt::format("\n{:<{}}", index_of(i, values.shape), label);
    text += fmt::format("  {:>{}}", cells[i], widest);
  }
  return text + "\n";
}

// --- Relay ---------------------------------------------------------------------------------------

/// Main of the model in Relay, as in the archive.
std::string relay_of(const ShowArguments& options, const Deployment& deployment) {
  const ModelLibrary& library = deployment.library();
  const Module& module =
      library.modules[chosen_module(library, options.module, deployment.archive().path())];
  const auto& file = module.files.relay;
  if (!file) {
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("module '{}' has no text of Relay", module.name),
                         {.file = deployment.archive().path()});
  }
  const archive::Archive& archive = deployment.archive();
  const std::string_view main =
      report::main_of_relay(get_or_throw(archive.read(*archive.find(file->name))));
  if (!main.empty()) return std::string(main);
  throw support::Error(ErrorKind::invalid_input, "there is no 'def @main(' in it",
                       {.file = archive.path(), .member = file->name});
}

/// The result, as text or as the bytes of a NumPy file.
std::string shown(const ShowArguments& options, const Deployment& deployment) {
  const bool is_printed = options.output == kStandardOutput;
  const Screen screen = is_printed ? screen_of_standard_output() : Screen();
  const Report report = get_or_throw(report_of(deployment, {.searches_findings = false}));
  if (options.constant.empty()) {
    return text_of(chosen_kernel(report, options), deployment, options.form, screen);
  }
  const auto modules = searched_modules(report, options.module);
  const ShownConstant constant = shown_constant(modules, options.constant);
  return options.form == KernelForm::npy ? run::npy_bytes(constant.values)
                                         : text_of(constant, screen);
}

int run_show(const ShowArguments& options, const Context& context) {
  const bool is_constant = !options.constant.empty();
  if (options.form == KernelForm::npy) {
    if (!is_constant) refuse("--format npy needs --constant NAME");
    check_terminal(options.output);
  } else if (is_constant && options.form != KernelForm::summary) {
    refuse("with --constant, --format is summary or npy");
  }
  if (options.kernel.empty() && !options.relay && !is_constant) {
    refuse("KERNEL is required, or --relay, or --constant NAME (see mlf show --help)");
  }
  check_output(options.output, std::array{options.archive});
  const Deployment deployment = open_archive(options.archive, context);
  const std::string text =
      options.relay ? relay_of(options, deployment) : shown(options, deployment);
  if (options.output == kStandardOutput) {
    print_source(text);
  } else {
    write_result(options.output, [&](const Sink& sink) { sink(text); });
  }
  return 0;
}

void declare_show_options(CLI::App& app, ShowArguments& options) {
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->required();
  auto* kernel = app.add_option(
      "KERNEL", options.kernel,
      "Its symbol, its name in mlf report, or the number or layer of one of its calls");
  add_option(app, "--module", options.module, {"MODULE", "Input"},
             "The module, if several have such a kernel");
  add_enum_option(
      app, "--format", options.form,
      {{"summary", KernelForm::summary, "TVMScript with the cost of each loop, and buffers"},
       {"c", KernelForm::c, "its lines of generated C"},
       {"tvmscript", KernelForm::tvmscript, "its TIR as TVMScript"},
       {"json", KernelForm::json, "its TIR as JSON (schemas/tir.md)"},
       {"npy", KernelForm::npy, "the constant as a NumPy file"}},
      {"FORMAT", "Output"}, "What to print");
  add_json_flag(app, options.form, KernelForm::json);
  auto* relay = add_flag(app, "--relay", options.relay, "Output",
                         "Print the model's main function in Relay instead")
                    ->excludes(kernel)
                    ->excludes(app.get_option("--format"))
                    ->excludes(app.get_option("--json"));
  add_option(app, "--constant", options.constant, {"CONSTANT", "Output"},
             "Print the values of a constant instead: its name in mlf table --rows constant, "
             "KERNEL.CONSTANT, or the kernel, call or layer whose weights it has")
      ->excludes(kernel)
      ->excludes(relay);
  add_result_option(app, "-o,--output", options.output, {"FILE", "Output"},
                    "Write to this file; - is standard output");
}

}  // namespace

Command show_command(CLI::App& parent) {
  return make_command(parent, "show",
                      "Show one kernel: its loops and what they cost, its memory, its code",
                      declare_show_options, run_show);
}

}  // namespace mlf::program
