#include "run/plan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "deployment/entry_point.h"
#include "deployment/member_text.h"
#include "deployment/tir_name.h"
#include "graph/formats/graph_json.h"
#include "mlf/inspection.h"
#include "support/error.h"
#include "support/nearest.h"
#include "tir/c/c.h"

namespace mlf::run {
namespace {

using graph::Topology;

[[noreturn]] void fail_plan(ErrorKind kind, std::string why, std::string member = {}) {
  throw support::Error(kind, std::move(why), {.member = std::move(member)});
}

/// The dtype for .npy files; bytes if they do not support it.
tir::DType known_or_bytes(tir::DType dtype) {
  const bool is_known = dtype.is_scalar() && !dtype.is_handle() && !numpy_type(dtype).empty();
  return is_known ? dtype : tir::DType::UInt(8);
}

std::string text_of(std::span<const std::byte> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

/// "int8[1, 8, 8, 4]"
std::string type_text(const Tensor& tensor) {
  return fmt::format("{}[{}]", tir::to_string(tensor.dtype), fmt::join(tensor.shape, ", "));
}

/// The array of the C that the runtime uses as a parameter (v0.8); empty if its values are not
/// known.
std::string linked_bytes(const Deployment& deployment, std::size_t module,
                         const std::string& storage) {
  for (const TirSource& c : support::get_or_throw(deployment.generated_c(module))) {
    const auto document = support::get_or_throw(deployment.document(c));
    for (const auto& [name, param] : graph::linked_parameters({document.get(), c.name})) {
      const std::int64_t id = param.integer(tir::f::LinkedParam::id);
      if (graph::storage_name(id) != storage) continue;
      const auto data = param[tir::f::LinkedParam::param].bytes(tir::f::NDArray::data);
      return data ? text_of(*data) : std::string();
    }
  }
  return {};
}

std::optional<std::uint64_t> known_bytes(const Topology& network, const graph::Port& port) {
  return port.value ? network[*port.value].bytes : std::nullopt;
}

std::optional<std::uint64_t> rest_of_io(const std::vector<MainMemory>& memory,
                                        const Topology& network, const graph::Port& unknown) {
  if (memory.size() != 1 || !memory.front().io_size_bytes) return std::nullopt;
  std::uint64_t others = 0;
  for (const auto* const ports : {&network.inputs, &network.outputs}) {
    for (const graph::Port& port : *ports) {
      if (&port == &unknown) continue;
      const auto bytes = port.type.bytes() ? port.type.bytes() : known_bytes(network, port);
      if (!bytes) return std::nullopt;
      others += *bytes;
    }
  }
  if (others >= *memory.front().io_size_bytes) return std::nullopt;
  return *memory.front().io_size_bytes - others;
}

Tensor& input_named(std::vector<InputTensor>& inputs, const std::string& name) {
  // If metadata.json does not name inputs, they have their C names.
  for (const std::string& wanted : {name, deployment::symbol_part(name)}) {
    for (InputTensor& input : inputs) {
      if (input.tensor.name == wanted) return input.tensor;
    }
  }
  std::vector<std::string> names;
  for (const InputTensor& input : inputs) names.push_back(input.tensor.name);
  fail_plan(ErrorKind::usage, fmt::format("the network has no input '{}', only {}{}", name,
                                          some_of(names), did_you_mean(name, names)));
}

// For inputs, outputs and tensors of calls together, whose sizes come from the archive.
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;

class Planner {
 public:
  Planner(const Deployment& deployment, const Network& network, const RunOptions& options)
      : deployment_(deployment),
        index_(network.module),
        module_(deployment.library().modules[network.module]),
        network_(network.topology),
        options_(options) {}

  RunPlan run() {
    if (!network_.knows_parameters()) {
      fail_plan(ErrorKind::check_failed,
                fmt::format("the network of module '{}' is not understood as a whole, so it cannot "
                            "be run; mlf verify says why",
                            network_.module));
    }
    plan_.network = &network_;
    add_inputs();
    if (network_.provenance.kind == graph::ProvenanceKind::graph_json) {
      add_parameters();
    } else {
      find_entry();
    }
    for (const graph::Port& port : network_.outputs) {
      plan_.outputs.push_back(tensor_of(port.name, port.type, known_bytes(network_, port)));
    }
    if (options_.calls != RecordedCalls::nothing) add_records();
    plan_.is_packed = network_.provenance.call_form != graph::CallForm::unpacked;
    return std::move(plan_);
  }

 private:
  /// A tensor of `type` in memory of `bytes`, all 0. If the type is unknown, its elements are
  /// bytes.
  Tensor tensor_of(std::string name, const graph::TensorType& type,
                   std::optional<std::uint64_t> bytes) {
    Tensor tensor{.name = std::move(name), .dtype = known_or_bytes(type.dtype)};
    const bool has_type = tensor.dtype == type.dtype && type.bytes();
    const std::optional<std::uint64_t> size = has_type || !bytes ? type.bytes() : bytes;
    if (!size) {
      fail_plan(ErrorKind::check_failed,
                fmt::format("the archive does not state the size of '{0}': give its values with "
                            "--input {0}=FILE.npy",
                            tensor.name));
    }
    if (*size > left_) {
      fail_plan(ErrorKind::check_failed,
                fmt::format("with '{}' there are more than 2 GiB of data", tensor.name));
    }
    left_ -= *size;
    tensor.bytes.resize(*size);
    tensor.shape =
        has_type ? *type.shape
                 : std::vector{static_cast<std::int64_t>(*size / tensor.dtype.element_bytes())};
    return tensor;
  }

  /// An input whose size is not known has that of its values, or what other inputs and outputs
  /// leave of the size of all of them.
  Tensor input_of(const graph::Port& port) {
    const auto bytes = known_bytes(network_, port);
    if (port.type.bytes() || bytes) return tensor_of(port.name, port.type, bytes);
    for (const Tensor& values : options_.inputs) {
      if (values.name != port.name && deployment::symbol_part(values.name) != port.name) continue;
      const std::uint64_t least = port.value ? network_[*port.value].least_bytes : 0;
      if (values.bytes.size() < least) {
        fail_plan(ErrorKind::usage,
                  fmt::format("the network reads {} bytes of input '{}', and the values are {}",
                              least, values.name, type_text(values)));
      }
      const bool is_known = !numpy_type(port.type.dtype).empty();
      return tensor_of(port.name, {is_known ? port.type.dtype : values.dtype, values.shape}, {});
    }
    return tensor_of(port.name, port.type, rest_of_io(module_.memory.main, network_, port));
  }

  void add_inputs() {
    for (const graph::Port& port : network_.inputs) {
      plan_.inputs.push_back({input_of(port), port.value.value_or(graph::ValueId{})});
    }
    std::set<std::string, std::less<>> given;
    for (const Tensor& values : options_.inputs) {
      Tensor& input = input_named(plan_.inputs, values.name);
      if (!given.insert(input.name).second) {
        fail_plan(ErrorKind::usage, fmt::format("input '{}' has values twice", values.name));
      }
      // C does not state shapes. Then the input is a list of elements.
      const bool has_shape = input.shape == values.shape || input.shape.size() == 1;
      if (!has_shape || numpy_type(input.dtype) != numpy_type(values.dtype) ||
          input.bytes.size() != values.bytes.size()) {
        fail_plan(ErrorKind::usage, fmt::format("input '{}' is {}, and the values are {}",
                                                values.name, type_text(input), type_text(values)));
      }
      input.bytes = values.bytes;
    }
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      Tensor& input = plan_.inputs[i].tensor;
      if (!given.contains(input.name)) fill(input, i);
    }
  }

  void fill(Tensor& input, std::size_t stream) const {
    if (!options_.seed) {
      fail_plan(ErrorKind::usage,
                fmt::format("input '{0}' has no values: --input {0}=FILE.npy gives them, --random "
                            "SEED random ones",
                            input.name));
    }
    input.bytes = random_bytes(input.dtype, input.bytes.size() / input.dtype.element_bytes(),
                               *options_.seed, stream);
  }

  /// Adds the parameters of the graph executor, by their names in the graph.
  void add_parameters() {
    std::vector<Param> params;
    if (const auto& file = module_.files.parameters) {
      const std::string_view bytes = deployment::member_text(deployment_.archive(), *file);
      params = support::get_or_throw(read_params(std::as_bytes(std::span(bytes)), file->name));
    }
    for (std::size_t i = 0; i < network_.values.size(); ++i) {
      const graph::Value& value = network_.values[i];
      if (value.kind != graph::ValueKind::constant) continue;
      const auto param = std::ranges::find(params, value.name, &Param::name);
      Tensor tensor{.name = value.name};
      if (network_[value.storage].memory == graph::MemoryKind::program) {
        tensor.bytes = linked_bytes(deployment_, index_, network_[value.storage].name);
      } else if (param != params.end()) {
        tensor.bytes = text_of(param->data);
      }
      if (tensor.bytes.empty()) {
        fail_plan(ErrorKind::check_failed,
                  fmt::format("the archive has no values of parameter '{}'", value.name));
      }
      if (value.bytes != tensor.bytes.size()) {
        fail_plan(ErrorKind::check_failed,
                  fmt::format("parameter '{}' has another size", value.name));
      }
      plan_.inputs.push_back({std::move(tensor), graph::ValueId{static_cast<std::uint32_t>(i)}});
    }
  }

  void find_entry() {
    auto entry = deployment::called_function(deployment_.archive(), module_, &network_);
    if (!entry && module_.files.objects.empty()) {
      fail_plan(ErrorKind::invalid_input,
                fmt::format("the C of module '{}' has no function that runs it", module_.name));
    }
    if (!entry) {
      // Objects of LLVM targets contain only main, which takes packed arguments.
      if (!network_.pools.empty()) {
        fail_plan(ErrorKind::check_failed,
                  "objects that take memory pools cannot be run; the target 'c' of the same "
                  "build can");
      }
      plan_.entry.function = network_.provenance.symbol;
      return;
    }
    plan_.entry = *std::move(entry);
    if (plan_.entry.interface == CInterface::packed) return;
    const std::size_t tensors = network_.inputs.size() + network_.outputs.size();
    const bool has_others =
        static_cast<std::size_t>(std::ranges::count(plan_.entry.prototype, ',')) + 1 != tensors;
    plan_.takes_tensors = plan_.entry.function == network_.provenance.symbol && !has_others;
    if (plan_.takes_tensors) return;
    const auto header =
        std::ranges::find(module_.files.headers, plan_.entry.member, &FileRef::name);
    if (header == module_.files.headers.end()) {
      fail_plan(ErrorKind::invalid_input, "no header declares how the network is called",
                plan_.entry.member);
    }
    const std::string_view text = deployment::member_text(deployment_.archive(), *header);
    if (text.find("_map_inputs(") != text.npos) {
      fail_plan(ErrorKind::check_failed, "inputs that are in a memory pool cannot be given",
                plan_.entry.member);
    }
    plan_.header = std::filesystem::path(header->name).filename().string();
    plan_.pools = deployment::given_pools(text, network_, module_.name);
  }

  /// Adds the tensors that the calls read and write.
  void add_records() {
    for (std::size_t i = 0; i < network_.calls.size(); ++i) {
      const graph::CallId call{static_cast<std::uint32_t>(i)};
      if (options_.calls == RecordedCalls::all) add_tensors(call, false);
      add_tensors(call, true);
    }
  }

  void add_tensors(graph::CallId id, bool is_result) {
    const graph::Call& call = network_[id];
    std::size_t number = 0;
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      const graph::Argument& argument = call.arguments[k];
      const auto& value = is_result ? argument.writes : argument.reads;
      if (!value || (!is_result && network_[*value].kind == graph::ValueKind::constant)) continue;
      std::string name = fmt::format("call {} {}/{}{}", index(id), network_.kernel_of(call).symbol,
                                     is_result ? "out" : "in", number++);
      const std::optional<std::uint64_t> bytes = network_[*value].bytes;
      const std::optional<std::uint64_t> seen = argument.type.bytes();
      if (!seen && !bytes) {
        plan_.unrecorded.push_back(std::move(name));
        continue;
      }
      // A kernel may get a part of it.
      const bool is_larger = seen && bytes && *seen > *bytes;
      plan_.records.push_back(
          {.call = id,
           .argument = k,
           .is_result = is_result,
           .tensor = tensor_of(std::move(name), is_larger ? network_[*value].type : argument.type,
                               bytes)});
    }
  }

  const Deployment& deployment_;
  std::size_t index_;
  const Module& module_;
  const Topology& network_;
  const RunOptions& options_;
  RunPlan plan_;
  std::uint64_t left_ = kMostBytes;
};

}  // namespace

RunPlan plan_of(const Deployment& deployment, const Network& network, const RunOptions& options) {
  return Planner(deployment, network, options).run();
}

}  // namespace mlf::run
