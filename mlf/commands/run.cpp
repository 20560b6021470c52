// mlf run: the network on this computer, its values and those of each call.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/output_file.h"
#include "arguments.h"
#include "commands/command.h"
#include "commands/network_run.h"
#include "deployment/tir_name.h"
#include "mlf/report.h"
#include "mlf/run.h"
#include "output.h"
#include "result_file.h"
#include "run/call_pairs.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/numbers.h"
#include "support/sha256.h"
#include "table.h"

namespace mlf::program {
namespace {

using support::get_or_throw;

struct RunArguments {
  NetworkRunArguments network{.seconds = 60, .cpu = std::string(kThisComputer)};
  std::string random;
  std::string output;
  std::string layers;
  std::string other;
  double tolerance = 0;
  std::string host_flags;
  bool json = false;
};

void declare_run_options(CLI::App& app, RunArguments& options) {
  app.add_option("ARCHIVE", options.network.archive, kArchiveHelp)->required();
  add_network_options(app, options.network);
  add_enum_option(app, "--cpu", options.network.cpu, processor_names(), {"CPU", "Processor"},
                  fmt::format("Run on this processor, which QEMU emulates: {}; {} is this computer",
                              fmt::join(processors(), ", "), kThisComputer));
  add_option(app, "--random", options.random, {"SEED", "Inputs"},
             "Random values for all other inputs, the same for the same seed: integers of any "
             "value, floating-point numbers from -1 up to 1. Several with --compare: 1..5");
  add_result_option(app, "-o,--output", options.output, {"FILE", "Output"},
                    "Write the outputs here, as .npz, and print no table; - is standard output");
  add_flag(app, "--json", options.json, "Output", "Print JSON (schemas/run.md)");
  add_result_option(app, "--layers", options.layers, {"FILE", "Output"},
                    "Write what each call of main wrote here, as .npz; - is standard output");
  auto* other = add_option(
      app, "--compare", options.other, {"OTHER", "Comparison"},
      "Compare outputs and calls with those of another archive; with host, of this one on this "
      "computer; or with arrays of a framework (.npz, .npy); exit code 1 if they differ");
  add_option(app, "--tolerance", options.tolerance, {"NUMBER", "Comparison"},
             "The largest difference of two elements that counts as none")
      ->check([](const std::string& text) {
        double number = -1;
        const bool is_number = CLI::detail::lexical_cast(text, number) && number >= 0;
        return is_number ? std::string() : "'" + text + "' is no number from 0";
      })
      ->needs(other);
  add_option(
      app, "--cc", options.network.compiler.command, {"COMMAND", "Compiler"},
      "Compile the archive's C with this command in place of cc, or of Debian's compiler for "
      "the processor")
      ->check(not_empty());
  add_option(app, "--cflags", options.network.compiler.flags, {"FLAGS", "Compiler"},
             "Options for it in one word, for the linker as well: --cflags=\"-O2 -lfoo\"");
  add_option(app, "--host-cflags", options.host_flags, {"ARGS", "Compiler"},
             "--cflags for --compare host; without it, its -D, -U and -I")
      ->needs(other);
  add_run_limits(app, options.network);
}

/// Those of "1" or "1..5".
std::vector<std::uint64_t> seeds_of(const std::string& text) {
  constexpr std::uint64_t kMost = 100;
  constexpr std::string_view kTo = "..";
  if (text.empty()) return {};
  const std::size_t to = text.find(kTo);
  const auto first = support::whole_number<std::uint64_t>(text.substr(0, to));
  const auto last =
      to == text.npos ? first : support::whole_number<std::uint64_t>(text.substr(to + kTo.size()));
  if (!first || !last || *last < *first || *last - *first >= kMost) {
    throw support::Error(
        ErrorKind::usage,
        fmt::format("--random: '{}' is no whole number, and no range of at most {} such as 1..5",
                    text, kMost));
  }
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t i = 0; i <= *last - *first; ++i) seeds.push_back(*first + i);
  return seeds;
}

/// Of the flags of a cross compiler, those that this computer's understands: macros and headers.
std::vector<std::string> flags_of_preprocessor(const std::vector<std::string>& flags) {
  constexpr std::string_view kOptions[] = {"-D", "-U", "-I", "-include", "-isystem"};
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool has_argument = std::ranges::find(kOptions, flags[i]) != std::end(kOptions);
    const bool is_kept = has_argument || flags[i].starts_with("-D") || flags[i].starts_with("-U") ||
                         flags[i].starts_with("-I");
    if (is_kept) kept.push_back(flags[i]);
    if (has_argument && i + 1 < flags.size()) kept.push_back(flags[++i]);
  }
  return kept;
}

RunOptions on_this_computer(RunOptions options, const std::string& host_flags) {
  if (options.cpu != kThisComputer) {
    options.cpu = kThisComputer;
    options.compiler.command.clear();
    options.compiler.flags = flags_of_preprocessor(options.compiler.flags);
  }
  if (!host_flags.empty()) options.compiler.flags = support::words_of(host_flags);
  return options;
}

std::string shape_text(const Tensor& tensor) {
  return fmt::format("{}", fmt::join(tensor.shape, "x"));
}

Table outputs_table(const std::vector<Tensor>& outputs) {
  // So many digits of the digest tell outputs apart.
  constexpr std::size_t kDigits = 16;
  Table table({"OUTPUT", "DTYPE", "SHAPE", "#MIN", "#MAX", "SHA-256"});
  for (const Tensor& output : outputs) {
    const TensorRange range = range_of(output);
    table.add({output.name, tir::to_string(output.dtype), shape_text(output), range.smallest,
               range.largest, support::sha256_hex(output.bytes).substr(0, kDigits)});
  }
  return table;
}

// --- Comparison ---------------------------------------------------------------------------------

/// Two digits tell how far a small difference is from a tolerance.
std::string largest_text(const TensorDifference& one) {
  return fmt::format("{:.{}g}", one.largest, one.largest < 1 ? 2 : 6);
}

std::string difference_text(const TensorDifference& one) {
  if (!one.reason.empty()) return one.reason;
  return fmt::format("{} of {} elements, the largest difference is {}", one.differing, one.elements,
                     largest_text(one));
}

Table differences_table(const std::vector<TensorDifference>& differences, double tolerance) {
  Table table({"OUTPUT", "#ELEMENTS", "#DIFFERENT", "#LARGEST", "?#FIRST", "?REMARK"});
  for (const TensorDifference& one : differences) {
    const bool is_compared = one.reason.empty();
    table.add(
        {one.name, std::to_string(one.elements), is_compared ? std::to_string(one.differing) : "?",
         is_compared ? largest_text(one) : "?", one.differing > 0 ? std::to_string(one.first) : "",
         one.reason},
        one.exceeds(tolerance) ? Emphasis::warning : Emphasis::none);
  }
  return table;
}

/// The layers of the calls of a network.
class Layers {
 public:
  explicit Layers(const NetworkArgument& argument)
      : argument_(argument),
        report_(report_of(argument.deployment, {.searches_findings = false})) {}

  /// Empty: not known.
  std::string of(graph::CallId call) const {
    if (!report_) return {};
    const std::vector<CallReport>& calls = report_->modules[argument_.module].calls;
    return graph::index(call) < calls.size() ? calls[graph::index(call)].layer : std::string();
  }

  /// By call: the layers whose results they write.
  std::vector<CallLayer> of_results() const {
    std::vector<CallLayer> all(argument_.topology.calls.size());
    if (!report_) return all;
    for (const CallReport& call : report_->modules[argument_.module].calls) {
      all[graph::index(call.call)] = call.result;
    }
    return all;
  }

 private:
  const NetworkArgument& argument_;
  Result<Report> report_;
};

/// "call 3, tvmgen_default_fused_add (layer conv1)"
std::string call_text(const NamedCall& call) {
  std::string text = fmt::format("call {}, {}", graph::index(call.call), printable(call.kernel));
  return call.layer.empty() ? text : fmt::format("{} (layer {})", text, printable(call.layer));
}

std::string first_difference_text(const CallDifference& first) {
  const std::string before = call_text(first.before);
  const std::string after = call_text(first.after);
  std::string text = fmt::format("first difference: {}\n", before);
  if (after != before) text += fmt::format("  the other one: {}\n", after);
  text += fmt::format("  {}: {}\n", printable(first.result.name), difference_text(first.result));
  if (first.overwritten) {
    text += fmt::format(
        "  argument {} was overwritten before the call: the call that wrote it wrote the same in "
        "both\n",
        *first.overwritten);
  }
  if (first.overwriter) {
    text += fmt::format("  its memory overlaps that of {}\n", call_text(*first.overwriter));
  }
  return text;
}

/// "call 3" of "call 3 tvmgen_default_fused_add/out0"; the name of an output.
std::string short_name(const std::string& tensor) {
  constexpr std::string_view kCall = "call ";
  return tensor.starts_with(kCall) ? tensor.substr(0, tensor.find(' ', kCall.size())) : tensor;
}

/// How arrays of a framework were paired, and how they differ.
std::string arrays_text(const RunComparison& comparison) {
  if (comparison.arrays.empty() && comparison.unpaired.empty()) return {};
  Table table({"TENSOR", "PAIRED BY", "#ELEMENTS", "#DIFFERENT", "#LARGEST", "?REMARK", "ARRAY"});
  for (const PairedArray& one : comparison.arrays) {
    const TensorDifference& difference = one.difference;
    table.add({short_name(one.tensor), std::string(to_string(one.by)),
               std::to_string(difference.elements),
               difference.reason.empty() ? std::to_string(difference.differing) : "?",
               difference.reason.empty() ? largest_text(difference) : "?",
               difference.reason.empty() ? one.conversion : difference.reason, one.array},
              difference.exceeds(comparison.tolerance) ? Emphasis::warning : Emphasis::none);
  }
  std::string text = table.empty() ? "" : table.text(screen_of_standard_output());
  if (const std::size_t others = comparison.unpaired.size(); others > 0) {
    constexpr std::size_t kShown = 40;
    std::vector<std::string> short_names;
    for (const std::string& name : comparison.unpaired) {
      short_names.push_back(
          printable(name.size() > kShown ? name.substr(0, kShown) + "..." : name));
    }
    text += fmt::format("not compared: {} other array{}: {}\n", others, others == 1 ? "" : "s",
                        some_of(short_names, 3));
  }
  return text + "\n";
}

/// "compared: 4 of 4 calls, with seeds 1..5", and what is known of them.
std::string calls_text(const RunComparison& comparison, const RunArguments& arguments) {
  std::string text = "compared: outputs";
  if (comparison.calls) {
    text += fmt::format(" and {} of {} calls", comparison.calls->compared,
                        comparison.calls->compared + comparison.calls->uncompared.size());
  }
  const bool has_files = !arguments.network.inputs.empty();
  if (has_files) text += fmt::format(", with {}", fmt::join(arguments.network.inputs, ", "));
  if (!arguments.random.empty()) {
    text += fmt::format("{} --random {}", has_files ? " and" : ", with", arguments.random);
  }
  text += '\n';
  if (!comparison.calls) return text;
  const CallDifferences& calls = *comparison.calls;
  if (!calls.uncompared.empty()) {
    std::vector<std::string> names;
    for (const graph::CallId call : calls.uncompared) {
      names.push_back(std::to_string(graph::index(call)));
    }
    text += fmt::format("not compared: call {}\n", some_of(names));
  }
  if (!calls.differing.empty()) {
    text += fmt::format("calls that differ: {}\n{}", calls.differing.size(),
                        first_difference_text(*calls.first));
  } else if (comparison.differs()) {
    text += "no call that was compared differs\n";
  }
  return text;
}

std::string comparison_text(const RunComparison& comparison, const RunArguments& arguments) {
  return differences_table(comparison.outputs, comparison.tolerance)
             .text(screen_of_standard_output()) +
         "\n" + arrays_text(comparison) + calls_text(comparison, arguments);
}

/// By its first bytes: a file of NumPy, not an archive.
bool names_tensors(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::string head(6, '\0');
  std::ifstream(path, std::ios::binary)
      .read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == "\x93NUMPY" || head.starts_with("PK");
}

std::string type_text(const graph::Port& port) {
  std::string text = fmt::format("'{}' {}", printable(port.name), tir::to_string(port.type.dtype));
  if (port.type.shape) text += fmt::format("[{}]", fmt::join(*port.type.shape, ", "));
  return text;
}

std::string inputs_text(const graph::Topology& network) {
  std::vector<std::string> texts;
  for (const graph::Port& port : network.inputs) texts.push_back(type_text(port));
  return texts.empty() ? "none" : some_of(texts);
}

/// Where one of them does not state a type, it may be any.
bool may_be_same(const graph::Port& one, const graph::Port& other) {
  const auto bytes = one.type.bytes();
  const auto other_bytes = other.type.bytes();
  const bool has_lists = one.type.shape && other.type.shape &&
                         std::min(one.type.shape->size(), other.type.shape->size()) == 1;
  if (deployment::symbol_part(one.name) != deployment::symbol_part(other.name)) return false;
  if (!bytes || !other_bytes) return true;
  return one.type.dtype == other.type.dtype && *bytes == *other_bytes &&
         (has_lists || one.type.shape == other.type.shape);
}

void require_same_inputs(const NetworkArgument& argument, const NetworkArgument& other) {
  if (std::ranges::equal(argument.topology.inputs, other.topology.inputs, may_be_same)) return;
  throw support::Error(
      ErrorKind::check_failed,
      fmt::format("the networks have other inputs, so they cannot be compared: {}; the other one: "
                  "{}",
                  inputs_text(argument.topology), inputs_text(other.topology)),
      {.file = other.deployment.archive().path()});
}

std::vector<RunResult> run_with(const NetworkArgument& argument, const RunOptions& options,
                                const std::vector<std::uint64_t>& seeds) {
  return get_or_throw(run_network(argument.deployment, argument, options, seeds));
}

/// Records all of the calls where that is possible, else what `options` ask for.
std::vector<RunResult> run_recorded(const NetworkArgument& argument, const RunOptions& options,
                                    const std::vector<std::uint64_t>& seeds,
                                    const Console& console) {
  RunOptions all = options;
  all.calls = RecordedCalls::all;
  try {
    return run_with(argument, all, seeds);
  } catch (const support::Error& error) {
    if (error.diagnostic().kind != ErrorKind::check_failed) throw;
    console.warn("calls are not compared: " + to_string(error.diagnostic()));
  }
  return run_with(argument, options, seeds);
}

void add_layers(CallDifference& first, const Layers& layers, const Layers& other_layers) {
  first.before.layer = layers.of(first.before.call);
  first.after.layer = other_layers.of(first.after.call);
  if (first.overwriter) first.overwriter->layer = other_layers.of(first.overwriter->call);
}

/// Whether there may be more than the outputs.
bool has_calls(std::span<const Tensor> arrays, const graph::Topology& network,
               const std::vector<CallLayer>& layers) {
  return arrays.size() > network.outputs.size() ||
         std::ranges::any_of(arrays, [&](const Tensor& one) {
           const bool is_layer =
               std::ranges::find(layers, one.name, &CallLayer::name) != layers.end();
           return is_layer || one.name.starts_with("call ");
         });
}

std::vector<RunResult> run_on_this_computer(const NetworkArgument& argument,
                                            const RunOptions& options,
                                            const std::vector<std::uint64_t>& seeds,
                                            const Console& console) {
  try {
    return run_recorded(argument, options, seeds, console);
  } catch (const support::Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.message =
        "on this computer, whose flags are those of --host-cflags: " + diagnostic.message;
    throw support::Error(std::move(diagnostic));
  }
}

RunComparison compare_runs(const NetworkArgument& argument, const std::vector<RunResult>& results,
                           const NetworkArgument& other, const std::vector<RunResult>& others,
                           double tolerance) {
  RunComparison comparison{.tolerance = tolerance};
  for (std::size_t r = 0; r < results.size(); ++r) {
    const auto differences = compare_outputs(results[r].outputs, others[r].outputs);
    if (r == 0) comparison.outputs = differences;
    for (std::size_t i = 0; r > 0 && i < differences.size(); ++i) {
      comparison.outputs[i].add(differences[i]);
    }
  }
  if (results.front().calls.empty() || others.front().calls.empty()) return comparison;
  comparison.calls = compare_calls(argument.topology, results, other.topology, others, tolerance);
  if (auto& first = comparison.calls->first) add_layers(*first, Layers(argument), Layers(other));
  return comparison;
}

RunComparison compare_with_file(const NetworkArgument& argument, const RunResult& result,
                                const std::vector<Tensor>& arrays, double tolerance) {
  const Layers layers(argument);
  const std::vector<CallLayer> of_results = layers.of_results();
  if (!has_calls(arrays, argument.topology, of_results)) {
    return {.tolerance = tolerance, .outputs = compare_outputs(result.outputs, arrays)};
  }
  RunComparison comparison =
      compare_with_arrays(argument.topology, result, arrays, of_results, tolerance);
  if (comparison.calls && comparison.calls->first) {
    add_layers(*comparison.calls->first, layers, layers);
  }
  return comparison;
}

// --- The command --------------------------------------------------------------------------------

void save(const std::string& path, std::span<const Tensor> tensors) {
  write_result(path, [&](const Sink& out) { out(get_or_throw(npz_bytes(tensors))); });
}

void save_results(const RunArguments& arguments, const RunResult& result) {
  if (!arguments.layers.empty()) {
    std::vector<Tensor> layers;
    for (const RecordedTensor& one : result.calls) {
      if (one.is_result) layers.push_back(one.tensor);
    }
    save(arguments.layers, layers);
  }
  if (!arguments.output.empty()) save(arguments.output, result.outputs);
}

Printed printed_by(const RunArguments& arguments) {
  return arguments.json ? Printed::json : Printed::table;
}

std::string failure_of(const RunComparison& comparison) {
  if (!comparison.outputs_differ()) return "calls differ, but no outputs";
  const auto differs = [&](const TensorDifference& one) {
    return one.reason.empty() && one.exceeds(comparison.tolerance);
  };
  if (std::ranges::any_of(comparison.outputs, differs)) return "the outputs differ";
  const auto one =
      std::ranges::find_if_not(comparison.outputs, &std::string::empty, &TensorDifference::reason);
  return fmt::format("output '{}' is not compared: {}", printable(one->name), one->reason);
}

/// Prints the outputs, or how they differ.
int show(const RunArguments& arguments, const std::string& module, const RunResult& result,
         const std::optional<RunComparison>& comparison, const DocumentForm& form,
         const Console& console) {
  if (takes_standard_output({arguments.output, arguments.layers}, printed_by(arguments))) {
    // Only the exit code and a message say more.
  } else if (arguments.json) {
    print(to_json(module, result, comparison, form));
  } else if (comparison) {
    print(comparison_text(*comparison, arguments));
  } else if (arguments.output.empty()) {
    print(outputs_table(result.outputs).text(screen_of_standard_output()));
  }
  if (!comparison || !comparison->differs()) return 0;
  return console.fail(ErrorKind::check_failed, failure_of(*comparison));
}

void check_outputs(const RunArguments& arguments) {
  takes_standard_output({arguments.output, arguments.layers}, printed_by(arguments));
  std::vector<std::string> read{arguments.network.archive};
  if (!arguments.other.empty() && arguments.other != kThisComputer) read.push_back(arguments.other);
  for (const std::string& input : arguments.network.inputs) {
    read.push_back(input.substr(input.find('=') + 1));
  }
  const auto place_of = [](const std::string& path) {
    return std::filesystem::path(path).lexically_normal();
  };
  if (!arguments.output.empty() && place_of(arguments.output) == place_of(arguments.layers)) {
    throw support::Error(ErrorKind::usage, "-o and --layers name the same file");
  }
  for (const std::string& output : {arguments.output, arguments.layers}) {
    check_terminal(output);
    if (!output.empty()) check_output(output, read);
  }
}

int run_and_show(const RunArguments& arguments, const Context& context) {
  const Console& console = context.console;
  if (!std::isfinite(arguments.tolerance)) {
    throw support::Error(ErrorKind::usage, "--tolerance: a finite number is expected");
  }
  check_outputs(arguments);
  RunOptions options = run_options(arguments.network, context.limits);
  if (!arguments.layers.empty()) options.calls = RecordedCalls::results;
  NetworkArgument argument =
      read_network_argument(arguments.network.archive, arguments.network.module, {}, context);
  warn_if_invalid(argument.topology, console);
  const bool is_host = arguments.other == kThisComputer;
  if (!arguments.host_flags.empty() && !is_host) {
    throw support::Error(ErrorKind::usage, "--host-cflags needs --compare host");
  }
  const bool has_other = !arguments.other.empty() && !is_host;
  const bool has_arrays = has_other && names_tensors(arguments.other);
  std::optional<NetworkArgument> other;
  std::vector<Tensor> arrays;
  if (has_arrays) {
    arrays = get_or_throw(load_tensors(arguments.other));
  } else if (has_other) {
    other = read_network_argument(arguments.other, arguments.network.module, {}, context);
    warn_if_invalid(other->topology, console);
    require_same_inputs(argument, *other);
    run::take_sizes(argument.topology, other->topology);
    run::take_sizes(other->topology, argument.topology);
  }
  const NetworkArgument* const against = is_host ? &argument : other ? &*other : nullptr;
  const std::vector<std::uint64_t> seeds = seeds_of(arguments.random);
  const bool has_files = !arguments.output.empty() || !arguments.layers.empty();
  if (seeds.size() > 1 && (against == nullptr || has_files)) {
    throw support::Error(ErrorKind::usage,
                         "several seeds need --compare with an archive, without -o and --layers");
  }
  const std::vector<RunResult> results = against != nullptr || has_arrays
                                             ? run_recorded(argument, options, seeds, console)
                                             : run_with(argument, options, seeds);
  const RunResult& result = results.front();
  if (!result.unrecorded.empty()) {
    console.warn(
        fmt::format("{} tensors of calls are not recorded, as their sizes are not known: {}",
                    result.unrecorded.size(), printable(result.unrecorded.front())));
  }
  save_results(arguments, result);
  std::optional<RunComparison> comparison;
  if (against != nullptr) {
    const std::vector<RunResult> others =
        is_host ? run_on_this_computer(argument, on_this_computer(options, arguments.host_flags),
                                       seeds, console)
                : run_recorded(*against, options, seeds, console);
    comparison = compare_runs(argument, results, *against, others, arguments.tolerance);
  } else if (has_arrays) {
    comparison = compare_with_file(argument, result, arrays, arguments.tolerance);
  }
  if (comparison) comparison->seeds = seeds;
  const std::string& module = argument.deployment.library().modules[argument.module].name;
  DocumentForm form(JsonLayout::pretty);
  if (arguments.json) {
    form = other ? form_of(context, {&argument.deployment, &other->deployment})
                 : form_of(context, {&argument.deployment});
  }
  return show(arguments, module, result, comparison, form, console);
}

}  // namespace

Command run_command(CLI::App& parent) {
  return make_command(
      parent, "run",
      "Run the network on this computer, or on a microcontroller in QEMU, and show its outputs. "
      "This compiles and executes the archive's C, with limits of time, memory and size of files "
      "but, on this computer, with your rights: run only what you trust. TVM is not needed",
      declare_run_options, run_and_show);
}

}  // namespace mlf::program
