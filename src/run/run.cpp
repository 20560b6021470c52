#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "compile/c_compiler.h"
#include "compile/run_program.h"
#include "deployment/c_header.h"
#include "deployment/entry_point.h"
#include "deployment/member_text.h"
#include "deployment/owners.h"
#include "mlf/run.h"
#include "run/hooks.h"
#include "run/program.h"
#include "support/error.h"
#include "support/file.h"
#include "support/nearest.h"

namespace mlf {
namespace run {
namespace {

namespace fs = std::filesystem;
using compile::CCompiler;
using compile::ProgramResult;
using support::get_or_throw;

[[noreturn]] void fail(ErrorKind kind, std::string why, std::string member = {}) {
  throw support::Error(kind, std::move(why), {.member = std::move(member)});
}

// --- What is run --------------------------------------------------------------------------------

/// A tensor of `type` in memory of `bytes`, all of them 0; where its type is not known, of bytes.
Tensor tensor_of(std::string name, const graph::TensorType& type,
                 std::optional<std::uint64_t> bytes) {
  const auto known = type.bytes();
  if (!known && !bytes) {
    fail(ErrorKind::check_failed, fmt::format("the size of '{}' is not known", name));
  }
  Tensor tensor{.name = std::move(name), .dtype = type.dtype};
  if (tensor.dtype.is_void() || tensor.dtype.is_handle()) tensor.dtype = tir::DType::UInt(8);
  if (known) {
    tensor.shape = *type.shape;
    tensor.bytes.resize(*known);
    return tensor;
  }
  const std::uint64_t element =
      tensor.dtype.element_bytes() * static_cast<std::uint64_t>(tensor.dtype.lanes);
  tensor.shape = {static_cast<std::int64_t>(*bytes / element)};
  tensor.bytes.resize(*bytes);
  return tensor;
}

Tensor tensor_of_port(const graph::Topology& network, const graph::Port& port) {
  return tensor_of(port.name, port.type, port.value ? network[*port.value].bytes : std::nullopt);
}

/// "input 'x' is int8[1, 8, 8, 4]"
std::string type_text(const Tensor& tensor) {
  return fmt::format("{}[{}]", tir::to_string(tensor.dtype), fmt::join(tensor.shape, ", "));
}

/// The inputs with the values of the options.
std::vector<Tensor> filled(std::vector<Tensor> inputs, const RunOptions& options) {
  std::vector<std::string> names;
  for (const Tensor& input : inputs) names.push_back(input.name);
  std::set<std::string, std::less<>> given;
  for (const Tensor& values : options.inputs) {
    auto input = std::ranges::find(inputs, values.name, &Tensor::name);
    // Where metadata.json does not name inputs, they have the names of C.
    if (input == inputs.end()) {
      input = std::ranges::find(inputs, deployment::symbol_part(values.name), &Tensor::name);
    }
    if (input == inputs.end()) {
      fail(ErrorKind::usage, fmt::format("the network has no input '{}'{}", values.name,
                                         did_you_mean(values.name, names)));
    }
    if (!given.insert(input->name).second) {
      fail(ErrorKind::usage, fmt::format("input '{}' has values twice", values.name));
    }
    // C does not say shapes: then the input is a list of elements here.
    const bool has_shape = input->shape == values.shape || input->shape.size() == 1;
    if (!has_shape || numpy_type(input->dtype) != numpy_type(values.dtype) ||
        input->bytes.size() != values.bytes.size()) {
      fail(ErrorKind::usage, fmt::format("input '{}' is {}, and the values are {}", values.name,
                                         type_text(*input), type_text(values)));
    }
    input->bytes = values.bytes;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor& input = inputs[i];
    if (given.contains(input.name)) continue;
    if (!options.seed) {
      fail(ErrorKind::usage, fmt::format("input '{}' has no values: give them, or a seed for "
                                         "random ones",
                                         input.name));
    }
    const std::uint64_t element =
        input.dtype.element_bytes() * static_cast<std::uint64_t>(input.dtype.lanes);
    input.bytes = random_bytes(input.dtype, input.bytes.size() / element, *options.seed, i);
  }
  return inputs;
}

/// Parameters of the graph executor, by the names of the graph.
std::vector<InputTensor> parameters(const Deployment& deployment, const Network& network) {
  const graph::Topology& topology = network.topology;
  const auto& file = deployment.library().modules[network.module].files.parameters;
  std::vector<Param> params;
  if (file) {
    const std::string_view bytes = deployment::member_text(deployment.archive(), *file);
    params = get_or_throw(read_params(std::as_bytes(std::span(bytes)), file->name));
  }
  std::vector<InputTensor> result;
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const graph::Value& value = topology.values[i];
    if (value.kind != graph::ValueKind::constant) continue;
    const std::string& name = value.name;
    const auto param = std::ranges::find(params, name, &Param::name);
    if (param == params.end()) {
      fail(ErrorKind::check_failed,
           fmt::format("the archive has no values of parameter '{}'", name));
    }
    Tensor tensor{.name = name};
    tensor.bytes.assign(reinterpret_cast<const char*>(param->data.data()), param->data.size());
    if (value.bytes != tensor.bytes.size()) {
      fail(ErrorKind::check_failed, fmt::format("parameter '{}' has another size", name));
    }
    result.push_back({std::move(tensor), graph::ValueId{static_cast<std::uint32_t>(i)}});
  }
  return result;
}

/// Names behind "struct" in the parameters of the entry.
std::vector<std::string> struct_names(std::string_view header, std::string_view symbol) {
  std::vector<std::string> names;
  const std::size_t begin = header.find(fmt::format("int32_t {}(", symbol));
  std::string_view parameters = header.substr(begin, header.find(')', begin) - begin);
  constexpr std::string_view kStruct = "struct ";
  for (std::size_t at = 0; (at = parameters.find(kStruct)) != parameters.npos;) {
    parameters.remove_prefix(at + kStruct.size());
    names.emplace_back(parameters.substr(0, parameters.find_first_of("* ")));
  }
  return names;
}

/// The application has to give the pools that the header has a struct of.
std::vector<GivenPool> given_pools(std::string_view header, const graph::Topology& network,
                                   const std::string& module) {
  std::vector<GivenPool> pools;
  for (const deployment::HeaderPool& pool : deployment::read_header(header).pools) {
    std::string macro = fmt::format("TVMGEN_{}_{}_CONSTANT_POOL_DATA", module, pool.name);
    std::ranges::transform(macro, macro.begin(),
                           [](unsigned char letter) { return std::toupper(letter); });
    pools.push_back({.name = pool.name,
                     .bytes = static_cast<std::uint64_t>(pool.bytes),
                     .data = pool.is_constant ? macro : std::string()});
  }
  // The user has said the sizes of others.
  for (const graph::Pool& pool : network.pools) {
    const bool is_known = std::ranges::find(pools, pool.name, &GivenPool::name) != pools.end();
    if (!is_known && pool.bytes) pools.push_back({.name = pool.name, .bytes = *pool.bytes});
  }
  return pools;
}

void find_entry(const Deployment& deployment, const Network& network, RunPlan& plan) {
  const Module& module = deployment.library().modules[network.module];
  const auto entry = deployment::entry_point_of(deployment.archive(), module);
  if (!entry && module.files.objects.empty()) {
    fail(ErrorKind::invalid_input,
         fmt::format("the C of module '{}' has no function that runs it", module.name));
  }
  if (!entry) {
    // Objects of LLVM targets have main alone, which takes packed arguments.
    if (!network.topology.pools.empty()) {
      fail(ErrorKind::check_failed, "objects that take memory pools cannot be run");
    }
    plan.entry.symbol = network.topology.provenance.symbol;
    return;
  }
  plan.entry.symbol = entry->function;
  if (entry->interface == CInterface::packed) return;
  const auto header = std::ranges::find(module.files.headers, entry->member, &FileRef::name);
  if (header == module.files.headers.end()) {
    fail(ErrorKind::invalid_input, "no header declares how the network is called", entry->member);
  }
  const std::string_view text = deployment::member_text(deployment.archive(), *header);
  plan.entry.header = fs::path(header->name).filename().string();
  plan.entry.structs = struct_names(text, entry->function);
  if (text.find("_map_inputs(") != text.npos) {
    fail(ErrorKind::check_failed, "inputs that are in a memory pool cannot be given",
         entry->member);
  }
  plan.pools = given_pools(text, network.topology, module.name);
}

/// What an argument of a call reads or writes; nothing where its size is not known.
std::optional<Tensor> tensor_of_argument(const graph::Topology& network,
                                         const graph::Argument& argument, graph::ValueId id,
                                         std::string name) {
  const graph::Value& value = network[id];
  const auto bytes = argument.type.bytes();
  if (!bytes && !value.bytes) return std::nullopt;
  // A kernel may be given a part of it.
  const bool is_larger = bytes && value.bytes && *bytes > *value.bytes;
  return tensor_of(std::move(name), is_larger ? value.type : argument.type, value.bytes);
}

/// Adds what the calls read and write to the plan.
void add_records(RunPlan& plan, RecordedCalls what) {
  if (what == RecordedCalls::nothing) return;
  const graph::Topology& network = *plan.network;
  for (std::size_t i = 0; i < network.calls.size(); ++i) {
    const graph::Call& call = network.calls[i];
    for (const bool is_result : {false, true}) {
      if (!is_result && what != RecordedCalls::all) continue;
      std::size_t number = 0;
      for (std::size_t k = 0; k < call.arguments.size(); ++k) {
        const graph::Argument& argument = call.arguments[k];
        const auto& value = is_result ? argument.writes : argument.reads;
        if (!value || (!is_result && network[*value].kind == graph::ValueKind::constant)) continue;
        const std::string name = fmt::format("call {} {}/{}{}", i, network.kernel_of(call).symbol,
                                             is_result ? "out" : "in", number++);
        auto tensor = tensor_of_argument(network, argument, *value, name);
        if (tensor) {
          plan.records.push_back({.call = graph::CallId{static_cast<std::uint32_t>(i)},
                                  .argument = k,
                                  .is_result = is_result,
                                  .tensor = std::move(*tensor)});
        } else {
          plan.unrecorded.push_back(name);
        }
      }
    }
  }
}

RunPlan plan_of(const Deployment& deployment, const Network& network, const RunOptions& options) {
  const graph::Topology& topology = network.topology;
  if (!topology.knows_parameters()) {
    fail(
        ErrorKind::check_failed,
        fmt::format("the network of module '{}' is not understood as a whole, so it cannot be run; "
                    "mlf verify says why",
                    topology.module));
  }
  RunPlan plan{.network = &topology};
  const bool is_graph = topology.provenance.kind == graph::Provenance::Kind::graph_json;
  std::vector<Tensor> inputs;
  for (const graph::Port& port : topology.inputs) inputs.push_back(tensor_of_port(topology, port));
  inputs = filled(std::move(inputs), options);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    plan.inputs.push_back(
        {std::move(inputs[i]), topology.inputs[i].value.value_or(graph::ValueId{})});
  }
  if (is_graph) {
    for (InputTensor& one : parameters(deployment, network)) plan.inputs.push_back(std::move(one));
  } else {
    find_entry(deployment, network, plan);
  }
  for (const graph::Port& port : topology.outputs) {
    plan.outputs.push_back(tensor_of_port(topology, port));
  }
  add_records(plan, options.calls);
  plan.is_packed = topology.provenance.call_form != graph::CallForm::unpacked;
  return plan;
}

// --- The program --------------------------------------------------------------------------------

/// The machine of an ELF file, and its class: 32 or 64 bits. Nothing for other files.
std::optional<std::string> machine_of(std::string_view object) {
  if (!object.starts_with("\x7f"
                          "ELF") ||
      object.size() < 20) {
    return std::nullopt;
  }
  return std::string(object.substr(4, 2)) + std::string(object.substr(18, 2));
}

std::string file_text(const fs::path& path) {
  const support::MappedFile file(support::File::open(path.string(), O_RDONLY));
  return std::string(file.bytes());
}

/// What the linker has not found, each once, in alphabetical order.
std::set<std::string> missing_symbols(std::string_view errors) {
  std::set<std::string> names;
  for (const std::string_view before : {"undefined reference to `", "undefined symbol: "}) {
    for (std::size_t at = 0; (at = errors.find(before, at)) != errors.npos;) {
      at += before.size();
      names.emplace(errors.substr(at, errors.find_first_of("'\n", at) - at));
    }
  }
  return names;
}

class Builder {
 public:
  Builder(const Deployment& deployment, const Network& network, const RunOptions& options)
      : archive_(deployment.archive()),
        module_(deployment.library().modules[network.module]),
        user_(options.compiler),
        flags_(with_own_flags(options.compiler)),
        compiler_(archive_, module_, flags_) {}

  const compile::WorkFolder& folder() const { return compiler_.folder(); }

  /// `edited` has members with hooks.
  void build(const std::string& program, const optimize::EditedMembers& edited) {
    compile_file("program", ".c", program, {});
    for (const FileRef& file : module_.files.sources) {
      const std::string end = fs::path(file.name).extension().string();
      compile_file(std::to_string(objects_.size()), end == ".c" ? end : ".cc",
                   edited.text_of(*archive_.find(file.name)), file.name);
    }
    const auto machine = machine_of(file_text(folder().path() / "program.o"));
    for (const FileRef& file : module_.files.objects) {
      const std::string_view bytes = deployment::member_text(archive_, file);
      if (machine_of(bytes) != machine) {
        fail(ErrorKind::invalid_input,
             "this object is not for the processor that the compiler compiles for", file.name);
      }
      objects_.push_back(path(std::to_string(objects_.size()) + ".o"));
      folder().write(fs::path(objects_.back()).filename(), bytes);
    }
    link();
  }

 private:
  /// TVM writes `half`, which C does not know. MLF_RUN: our headers have no functions in the place
  /// of those of libraries. The user's flags count over ours.
  static Compiler with_own_flags(Compiler compiler) {
    const char* const own[] = {"-O1", "-std=gnu11", "-w", "-Dhalf=_Float16", "-DMLF_RUN"};
    compiler.flags.insert(compiler.flags.begin(), std::begin(own), std::end(own));
    return compiler;
  }

  std::string path(const std::string& name) const { return (folder().path() / name).string(); }

  void compile_file(const std::string& stem, const std::string& end, std::string_view text,
                    const std::string& member) {
    folder().write(stem + end, text);
    objects_.push_back(path(stem + ".o"));
    compiler_.run({"-c", path(stem + end), "-o", objects_.back()}, {.member = member});
  }

  void link() {
    std::vector<std::string> arguments = objects_;
    // Libraries come behind what needs them.
    arguments.insert(arguments.end(), user_.flags.begin(), user_.flags.end());
    arguments.insert(arguments.end(), {"-lm", "-o", path("program")});
    const ProgramResult result = compiler_.start(arguments);
    if (!result.timed_out && result.status == 0) return;
    const std::set<std::string> missing = missing_symbols(result.errors);
    if (!missing.empty()) {
      fail(
          ErrorKind::invalid_input,
          fmt::format("the network needs functions that are not in the archive: {}; name a library "
                      "that has them among the flags of the compiler",
                      fmt::join(missing, ", ")));
    }
    fail(ErrorKind::invalid_input,
         fmt::format("the network was not linked: {} says: {}", user_.command,
                     compile::first_error(result.errors, folder().path())));
  }

  const archive::Archive& archive_;
  const Module& module_;
  const Compiler& user_;
  Compiler flags_;
  CCompiler compiler_;
  std::vector<std::string> objects_;
};

/// The message of the program itself, or the end of its process.
std::string why_it_ended(const ProgramResult& result, std::chrono::milliseconds timeout) {
  if (result.timed_out)
    return fmt::format("took longer than {} s", std::chrono::duration<double>(timeout).count());
  constexpr std::string_view kOwn = "mlf: ";
  const std::size_t at = result.errors.rfind(kOwn);
  if (at != result.errors.npos && result.status == 3) {
    const std::size_t begin = at + kOwn.size();
    return "failed: " + result.errors.substr(begin, result.errors.find('\n', begin) - begin);
  }
  if (result.status > 128) {
    return fmt::format("ended with signal {} ({})", result.status - 128,
                       strsignal(result.status - 128));
  }
  return fmt::format("ended with exit code {}", result.status);
}

std::string read_results(const fs::path& path, std::uint64_t size) {
  // The program may have put anything there: a link, a pipe.
  const support::File file = support::File::open(path.string(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const struct stat status = file.status();
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != size) {
    fail(ErrorKind::invalid_input, "the network did not write all its results");
  }
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size;) {
    const std::size_t part = file.read_some(bytes.data() + at, size - at);
    if (part == 0) fail(ErrorKind::invalid_input, "the network did not write all its results");
    at += part;
  }
  return bytes;
}

void take(Tensor& tensor, std::string_view& bytes) {
  const std::size_t size = tensor.bytes.size();
  tensor.bytes = bytes.substr(0, size);
  bytes.remove_prefix(size);
}

std::uint64_t result_bytes(const RunPlan& plan) {
  std::uint64_t sum = 0;
  for (const RecordedTensor& one : plan.records) sum += one.tensor.bytes.size();
  for (const Tensor& one : plan.outputs) sum += one.bytes.size();
  return sum;
}

// TMPDIR is often in memory.
constexpr std::uint64_t kMostResults = std::uint64_t{2} << 30;

RunResult run(const Deployment& deployment, const Network& network, const RunOptions& options) {
  RunPlan plan = plan_of(deployment, network, options);
  const std::uint64_t size = result_bytes(plan);
  if (size > kMostResults) fail(ErrorKind::check_failed, "what it writes is more than 2 GiB");
  const bool has_hooks = !plan.records.empty() && !plan.entry.symbol.empty();
  const optimize::EditedMembers edited =
      has_hooks ? with_hooks(deployment, network) : optimize::EditedMembers(deployment.archive());
  Builder builder(deployment, network, options);
  builder.build(program_text(plan), edited);
  std::string inputs;
  for (const InputTensor& input : plan.inputs) inputs += input.tensor.bytes;
  const compile::WorkFolder& folder = builder.folder();
  folder.write(kInputs, inputs);
  const ProgramResult ended = compile::run_program(
      {.arguments = {(folder.path() / "program").string()},
       .directory = folder.path(),
       .limits = {.time = options.timeout, .memory = options.memory, .file = size}},
      folder);
  if (ended.timed_out || ended.status != 0) {
    fail(ErrorKind::invalid_input, "the network " + why_it_ended(ended, options.timeout));
  }
  const std::string results = read_results(folder.path() / kResults, size);
  std::string_view left = results;
  RunResult result;
  // In the order of their hooks: what a call reads comes before what it writes.
  for (RecordedTensor& one : plan.records) take(one.tensor, left);
  for (Tensor& one : plan.outputs) take(one, left);
  for (std::size_t i = 0; i < network.topology.inputs.size(); ++i) {
    result.inputs.push_back(std::move(plan.inputs[i].tensor));
  }
  result.outputs = std::move(plan.outputs);
  result.calls = std::move(plan.records);
  result.unrecorded = std::move(plan.unrecorded);
  return result;
}

}  // namespace
}  // namespace run

Result<RunResult> run_network(const Deployment& deployment, const Network& network,
                              const RunOptions& options) {
  return support::to_result([&] {
           try {
             return run::run(deployment, network, options);
           } catch (const std::filesystem::filesystem_error& error) {
             throw support::Error(ErrorKind::io, error.what());
           }
         })
      .map_error([&](Diagnostic diagnostic) {
        return in_file(std::move(diagnostic), deployment.archive().path());
      });
}

}  // namespace mlf
