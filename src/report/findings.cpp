#include "report/findings.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "report/constants.h"
#include "report/layers.h"
#include "support/name_map.h"
#include "support/nearest.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;
using tir::Kind;
namespace f = tir::f;

/// The schedule of a kernel, as far as its loops and tensors show it.
struct Schedule {
  std::string symbol;
  bool is_understood = true;  ///< other code may have vectors
  bool has_vectors = false;
  std::optional<bool> has_blocks{};  ///< nullopt: not an operator of images, or unknown shapes
};

/// After VectorizeLoop, loads in the body are vectors; earlier stages have a vectorized loop.
bool has_vectors(tir::Node function) {
  bool found = false;
  tir::for_each_pre_order(function[f::PrimFunc::body], [&](tir::Node node) {
    const bool is_load = node.is(Kind::BufferLoad) || node.is(Kind::Load);
    found |= is_load && node.dtype().lanes != 1;
    found |= node.is(Kind::For) &&
             node.integer(f::For::kind) == static_cast<std::int64_t>(tir::ForKind::vectorized);
  });
  return found;
}

/// Dimensions of the data without blocks: batch, channels and those of the image.
std::optional<std::size_t> plain_rank(std::string_view operation) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 3> kRanks{
      {{"1d", 3}, {"2d", 4}, {"3d", 5}}};
  const bool is_layered = operation.starts_with("conv") || operation.ends_with("pool1d") ||
                          operation.ends_with("pool2d");
  for (const auto& [image, rank] : kRanks) {
    if (is_layered && operation.find(image) != operation.npos) return rank;
  }
  return std::nullopt;
}

/// NCHWc has one dimension more than NCHW: the channels of a block.
std::optional<bool> has_blocks(const graph::Call& call, std::string_view operation) {
  const auto plain = plain_rank(operation);
  std::size_t largest = 0;
  for (const graph::Argument& argument : call.arguments) {
    const bool is_tensor = argument.storage && !argument.pool;
    if (is_tensor && !argument.type.shape) return std::nullopt;
    if (argument.type.shape) largest = std::max(largest, argument.type.shape->size());
  }
  // Since v0.9, texts may have flattened the tensors of kernels: then nothing is known.
  if (!plain || largest < *plain) return std::nullopt;
  return largest > *plain;
}

/// By operator: the kernels with TIR, each once.
std::map<std::string_view, std::vector<Schedule>> schedules_of(
    const graph::Topology& network, const std::vector<NamedFunction>& functions) {
  support::NameMap<std::string_view, const graph::Call*> first_calls;
  for (const graph::Call& call : network.calls) {
    first_calls.try_emplace(network.kernel_of(call).symbol, &call);
  }
  std::map<std::string_view, std::vector<Schedule>> schedules;
  for (const NamedFunction& function : functions) {
    const std::string_view operation = anchor_in(function.symbol);
    const auto known = first_calls.find(function.symbol);
    if (operation.empty() || known == first_calls.end()) continue;
    const graph::Call& call = *known->second;
    schedules[operation].push_back({std::string(function.symbol),
                                    network.kernel_of(call).is_understood(),
                                    has_vectors(function.function), has_blocks(call, operation)});
  }
  return schedules;
}

/// Adds kernels that have a plainer schedule than others of the same operator.
void find_plain_schedules(const ModuleReport& module, const std::vector<NamedFunction>& functions,
                          std::vector<CostFinding>& findings) {
  if (!module.network) return;
  const auto schedules = schedules_of(*module.network, functions);
  for (const auto& [operation, kernels] : schedules) {
    const auto vectors = std::ranges::find(kernels, true, &Schedule::has_vectors);
    for (const Schedule& kernel : kernels) {
      if (vectors == kernels.end() || kernel.has_vectors || !kernel.is_understood) continue;
      findings.push_back(
          {CostFindingCode::unvectorized_kernel, kernel.symbol, Count::unknown(),
           fmt::format("no loop or load is vectorized; '{}' has the same operator ({}) "
                       "and uses vectors",
                       vectors->symbol, operation)});
    }
  }
  for (const auto& [operation, kernels] : schedules) {
    const auto blocks = std::ranges::find_if(
        kernels, [](const Schedule& one) { return one.has_blocks.value_or(false); });
    for (const Schedule& kernel : kernels) {
      if (blocks == kernels.end() || kernel.has_blocks.value_or(true)) continue;
      findings.push_back({CostFindingCode::untiled_kernel, kernel.symbol, Count::unknown(),
                          fmt::format("no tensor has blocks of channels (NCHWc); '{}' has the same "
                                      "operator ({}) and has them",
                                      blocks->symbol, operation)});
    }
  }
}

using tir::Node;

using Bytes = std::span<const std::byte>;

// Scalars and short tables are not worth a finding.
constexpr std::size_t kSmallestConstant = 16;

/// A constant with data, as it is in flash.
struct Constant {
  std::string name;  ///< with the kernel that it is in
  tir::DType dtype;
  Bytes data;
};

// --- Functions, tensors and pools that nothing uses ----------------------------------------------

/// The bytes that AllocateConst puts into flash. Constants in pools count as main's.
Count bytes_of_constants(tir::Node function) {
  if (!function) return Count::unknown();
  Count bytes;
  tir::for_each_pre_order(function, [&](tir::Node node) {
    if (!node.is(Kind::AllocateConst)) return;
    bytes += analysis::to_count(
        graph::bytes_of(node.dtype(f::AllocateConst::dtype), node.list(f::AllocateConst::extents)));
  });
  return bytes;
}

void find_unused_kernels(const std::vector<NamedFunction>& uncalled,
                         std::vector<CostFinding>& findings) {
  for (const NamedFunction& function : uncalled) {
    findings.push_back({CostFindingCode::unused_kernel, std::string(function.symbol),
                        bytes_of_constants(function.function),
                        fmt::format("main does not call '{}'", function.symbol)});
  }
}

/// Also for the graph executor, whose graph gives directions to arguments that kernels ignore.
bool is_unused(const KernelReport& kernel, std::size_t argument) {
  return kernel.cost && kernel.cost->uncertain.empty() &&
         std::ranges::any_of(kernel.cost->buffers, [&](const analysis::BufferCost& one) {
           return one.parameter == argument && one.role == analysis::BufferRole::unused;
         });
}

/// Whether a call neither loads nor stores a tensor that it is given. Functions that the kernel
/// calls may use a pool or a context.
bool is_ignored(const ModuleReport& module, const graph::Call& call, std::size_t argument) {
  const graph::Argument& given = call.arguments[argument];
  return given.storage && !given.pool &&
         ((given.decided_by == graph::DecidedBy::untouched && !given.writes) ||
          is_unused(module.kernels[index(call.kernel)], argument));
}

/// The memory of outputs and of values that something reads.
std::set<graph::StorageId> needed_storages(const ModuleReport& module) {
  const graph::Topology& network = *module.network;
  std::set<graph::StorageId> needed;
  for (const graph::Value& value : network.values) {
    const bool is_needed = std::ranges::any_of(value.consumers, [&](const graph::Endpoint& end) {
      return end.kind != graph::EndpointKind::call ||
             !is_ignored(module, network.calls[end.step], end.argument);
    });
    if (is_needed) needed.insert(value.storage);
  }
  for (const graph::Port& output : network.outputs) {
    if (output.value) needed.insert(network[*output.value].storage);
  }
  return needed;
}

/// Lists each parameter of a kernel once, for all its calls. Removing it saves nothing where
/// another call needs the tensor.
void find_unused_parameters(const ModuleReport& module, std::vector<CostFinding>& findings) {
  const graph::Topology& network = *module.network;
  std::set<std::pair<graph::KernelId, std::size_t>> seen;
  const std::set<graph::StorageId> needed = needed_storages(module);
  for (const graph::Call& call : network.calls) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const graph::Argument& argument = call.arguments[i];
      if (!is_ignored(module, call, i)) continue;
      if (!seen.emplace(call.kernel, i).second) continue;
      findings.push_back(
          {CostFindingCode::unused_parameter, network.kernel_of(call).symbol,
           needed.contains(*argument.storage) ? Count() : analysis::to_count(argument.type.bytes()),
           fmt::format("argument {}{} is neither loaded nor stored", i,
                       argument.parameter.empty() ? "" : " ('" + argument.parameter + "')")});
    }
  }
  // Parts of main that are not understood may read any constant.
  if (!network.gaps.empty()) return;
  std::set<graph::ValueId> results;
  for (const graph::Port& port : network.outputs) {
    if (port.value) results.insert(*port.value);
  }
  for (std::size_t i = 0; i < network.values.size(); ++i) {
    const graph::Value& value = network.values[i];
    if (value.kind != graph::ValueKind::constant || !value.consumers.empty()) continue;
    if (results.contains(static_cast<graph::ValueId>(i))) continue;
    findings.push_back({CostFindingCode::unused_parameter, value.name,
                        analysis::to_count(value.bytes), "no call reads this constant of main"});
  }
}

void find_unused_constants(const graph::Topology& network, const SearchedCode& code,
                           std::vector<CostFinding>& findings) {
  for (const tir::OtherMemory& one : network.other_memory) {
    if (!code.unread.contains(one.name) || one.bytes.value_or(0) < kSmallestConstant) continue;
    findings.push_back({CostFindingCode::unused_constant, one.name, Count(0, one.bytes),
                        fmt::format("no function reads its {} bytes", *one.bytes)});
  }
}

void find_unused_pools(const graph::Topology& network, std::vector<CostFinding>& findings) {
  for (const graph::MemoryUse& use : network.memory) {
    const bool is_empty =
        use.pool && use.used == 0 && use.exactness == graph::Exactness::exact && use.bytes != 0;
    if (!is_empty) continue;
    findings.push_back({CostFindingCode::unused_pool, network[*use.pool].name,
                        analysis::to_count(use.bytes), "the pool has no tensor and no workspace"});
  }
}

void find_unused(const ModuleReport& module, const SearchedCode& code,
                 const std::vector<NamedFunction>& uncalled, std::vector<CostFinding>& findings) {
  find_unused_kernels(uncalled, findings);
  if (!module.network) return;
  find_unused_parameters(module, findings);
  find_unused_constants(*module.network, code, findings);
  find_unused_pools(*module.network, findings);
}

// --- All others ----------------------------------------------------------------------------------

/// Constants of the graph executor that the C does not have.
std::vector<const graph::Value*> values_of_file(const ModuleReport& module) {
  std::vector<const graph::Value*> values;
  if (!module.network) return values;
  for (const graph::Value& value : module.network->values) {
    if (is_in_file(*module.network, value)) values.push_back(&value);
  }
  return values;
}

std::string_view as_text(Bytes data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

/// Whether the value is an element of another tensor, or a constant outside of that tensor.
bool is_padded_copy(Node value) {
  value = graph::without_casts(value);
  if (graph::operator_of(value) != "if_then_else") return false;
  const tir::NodeList args = value.list(f::Call::args);
  return args.size() == 3 && args[1].is(Kind::BufferLoad) &&
         (args[2].is(Kind::IntImm) || args[2].is(Kind::FloatImm));
}

class Finder {
 public:
  Finder(const ModuleReport& module, const SearchedCode& code)
      : module_(module), code_(code), functions_(code.functions) {}

  std::vector<CostFinding> run(const std::vector<NamedFunction>& uncalled) {
    for (const NamedFunction& function : functions_) collect_constants(function);
    collect_pools();
    collect_parameters();
    // In the order of findings.def.
    find_constants(CostFindingCode::constants_twice, &Finder::find_constants_twice);
    find_metadata_copies();
    find_writable_constants();
    find_constants(CostFindingCode::widened_weights, &Finder::find_widened_weights);
    find_constants(CostFindingCode::uniform_constant, &Finder::find_uniform_constants);
    find_padding_scratch();
    find_index_divisions();
    find_half();
    find_unused(module_, code_, uncalled, findings_);
    find_plain_schedules(module_, functions_, findings_);
    find_recomputed();
    return std::move(findings_);
  }

 private:
  std::span<const tir::OtherMemory> other_memory() const {
    if (!module_.network) return {};
    return module_.network->other_memory;
  }

  /// Without those that compilers leave out.
  void collect_constants(const NamedFunction& function) {
    tir::for_each_pre_order(function.function, [&](Node node) {
      if (!node.is(Kind::AllocateConst)) return;
      const std::string_view name = node[f::AllocateConst::buffer_var].text(f::Var::name);
      if (code_.unread.contains(name)) return;
      add_constant(fmt::format("{}.{}", function.symbol, name), node[f::AllocateConst::data]);
    });
  }

  /// Constants in pools: the attributes of every function list its pools, those of main all pools.
  void collect_pools() {
    if (!code_.main) return;
    tir::for_each_pre_order(code_.main, [&](Node node) {
      if (!node.is(Kind::ConstantInfo)) return;
      add_constant(std::string(node.text(f::ConstantInfo::name_hint)), node[f::ConstantInfo::data]);
    });
  }

  void collect_parameters() {
    for (const graph::Value* value : values_of_file(module_)) {
      const Param* const param = module_.constants.parameter_of(*value);
      if (param == nullptr || param->data.size() < kSmallestConstant) continue;
      constants_.push_back({param->name, value->type.dtype, param->data});
    }
  }

  void add_constant(std::string name, Node array) {
    const auto data = tir::data_of(array);
    if (!data || data->size() < kSmallestConstant) return;
    // Functions may share an array of the C.
    if (!seen_.insert(data->data()).second) return;
    constants_.push_back({std::move(name), array.dtype(f::NDArray::dtype), *data});
  }

  void add(CostFindingCode code, std::string where, Count bytes, std::string evidence) {
    findings_.push_back({code, std::move(where), bytes, std::move(evidence)});
  }

  /// A constant may be smaller for several reasons: the last change counts.
  static CostFindingCode code_of(const OptimizedConstant& constant) {
    if (!constant.equal.empty()) return CostFindingCode::constants_twice;
    return constant.is_collapsed ? CostFindingCode::uniform_constant
                                 : CostFindingCode::widened_weights;
  }

  /// As `mlf optimize` saves. Where it reads no constants, `by_values` finds them.
  void find_constants(CostFindingCode code, void (Finder::*by_values)()) {
    if (code_.smaller == nullptr) return (this->*by_values)();
    for (const OptimizedConstant& one : code_.smaller->constants) {
      if (one.bytes_saved == 0 || code_of(one) != code || code_.unread.contains(one.name)) continue;
      const std::uint64_t elements = one.bytes_before / one.before.element_bytes();
      add(code, one.kernel.empty() ? one.name : one.kernel + "." + one.name, one.bytes_saved,
          code == CostFindingCode::constants_twice
              ? fmt::format("its {} bytes equal those of {}", one.bytes_before, one.equal)
          : code == CostFindingCode::uniform_constant
              ? fmt::format("all {} elements have the same value", elements)
              : fmt::format("its {} elements of {} fit {}", elements, to_string(one.before),
                            to_string(one.after)));
    }
  }

  void find_constants_twice() {
    std::map<std::string_view, std::vector<const Constant*>> by_data;
    for (const Constant& constant : constants_)
      by_data[as_text(constant.data)].push_back(&constant);
    // In the order of the first constant of each group, not of their bytes.
    for (const Constant& constant : constants_) {
      const auto& same = by_data[as_text(constant.data)];
      if (same.size() < 2 || same.front() != &constant) continue;
      std::vector<std::string> others;
      for (const Constant* one : same) {
        if (one != &constant) others.push_back(one->name);
      }
      add(CostFindingCode::constants_twice, constant.name, others.size() * constant.data.size(),
          fmt::format("its {} bytes equal those of {}", constant.data.size(), some_of(others, 2)));
    }
  }

  void find_metadata_copies() {
    const Count copies = module_.flash.copies;
    if (copies.min == 0) return;
    add(CostFindingCode::metadata_copies, "get_c_metadata", copies,
        fmt::format("{} bytes of TVMConstantInfo", copies.min));
  }

  void find_writable_constants() {
    bool has_pool = false;
    for (const tir::OtherMemory& one : other_memory()) {
      if (one.kind != tir::OtherKind::writable) continue;
      has_pool = true;
      add(CostFindingCode::writable_constants, one.name, analysis::to_count(one.bytes),
          "the pool is declared without const: a linker that goes by flags puts it into RAM");
    }
    if (has_pool || !module_.code || module_.code->writable_rodata == 0) return;
    add(CostFindingCode::writable_constants, ".rodata", module_.code->writable_rodata,
        "its constants are declared without const: a linker that goes by flags puts them into RAM");
  }

  void find_widened_weights() {
    for (const Constant& constant : constants_) {
      if (constant.dtype != tir::DType::Int(16)) continue;
      // Little-endian: the high byte only extends the sign of the low one.
      int lowest = 0;
      int highest = 0;
      for (std::size_t i = 0; i + 1 < constant.data.size(); i += 2) {
        const auto low = std::to_integer<unsigned>(constant.data[i]);
        const auto high = std::to_integer<unsigned>(constant.data[i + 1]);
        const auto value = static_cast<std::int16_t>(low | high << 8);
        lowest = std::min<int>(lowest, value);
        highest = std::max<int>(highest, value);
      }
      if (lowest < -128 || highest > 127) continue;
      add(CostFindingCode::widened_weights, constant.name, constant.data.size() / 2,
          fmt::format("{} elements of int16 between {} and {}", constant.data.size() / 2, lowest,
                      highest));
    }
  }

  void find_uniform_constants() {
    for (const Constant& constant : constants_) {
      const std::size_t width = (static_cast<std::size_t>(constant.dtype.bits) + 7) / 8;
      if (width == 0 || constant.data.size() <= width) continue;
      const std::string_view text = as_text(constant.data);
      // Every element equals the one before it.
      if (text.substr(width) != text.substr(0, text.size() - width)) continue;
      add(CostFindingCode::uniform_constant, constant.name, constant.data.size() - width,
          fmt::format("all {} elements have the same value", constant.data.size() / width));
    }
  }

  // The name of the buffer's variable identifies the workspace.
  void find_padding_scratch() {
    if (!module_.network) return;
    const support::NameIndex kernels(module_.network->kernels, &graph::Kernel::symbol);
    for (const NamedFunction& function : functions_) {
      const graph::Kernel* kernel = kernels.find(function.symbol);
      if (kernel == nullptr) continue;
      std::vector<std::string_view> padded;
      tir::for_each_pre_order(function.function, [&](Node node) {
        if (!node.is(Kind::BufferStore) || !is_padded_copy(node[f::BufferStore::value])) return;
        padded.push_back(node[f::BufferStore::buffer][f::Buffer::data].text(f::Var::name));
      });
      for (const graph::KernelBuffer& workspace : kernel->workspaces) {
        if (std::ranges::find(padded, workspace.name) == padded.end()) continue;
        add(CostFindingCode::padding_scratch, kernel->symbol, analysis::to_count(workspace.bytes),
            fmt::format("workspace '{}' is a padded copy of a tensor", workspace.name));
      }
    }
  }

  void find_index_divisions() {
    for (const KernelReport& kernel : module_.kernels) {
      if (!kernel.cost || kernel.cost->index_divisions.min == 0) continue;
      add(CostFindingCode::index_divisions, kernel.symbol, Count::unknown(),
          fmt::format("{} divisions by no power of two, in {} operations on indices",
                      kernel.cost->index_divisions.min, kernel.cost->index_operations.min));
    }
  }

  // TVM prints float16 as `half`, a type that only CUDA and OpenCL have.
  void find_half() {
    const support::NameIndex kernels(module_.kernels, &KernelReport::symbol);
    for (const NamedFunction& function : functions_) {
      bool uses_half = false;
      tir::for_each_pre_order(function.function, [&](Node node) {
        if (tir::is_expr(node.category())) uses_half |= node.dtype() == tir::DType::Float(16);
      });
      const KernelReport* kernel = kernels.find(function.symbol);
      if (!uses_half || kernel == nullptr || !kernel->c) continue;
      add(CostFindingCode::half_in_c, std::string(function.symbol), Count::unknown(),
          fmt::format("C has no type half: {}, lines {} to {}", kernel->c->file, kernel->c->first,
                      kernel->c->last));
    }
  }

  // Several calls of a kernel may come from operators of other shapes.
  void find_recomputed() {
    std::set<std::size_t> seen;
    for (const CallReport& call : module_.calls) {
      const KernelReport& kernel = module_.kernels[call.kernel];
      if (!kernel.cost || !call.relay_macs || kernel.cost->mac.min <= *call.relay_macs) continue;
      if (!seen.insert(call.kernel).second) continue;
      add(CostFindingCode::recomputed, kernel.symbol, Count::unknown(),
          fmt::format("{} multiply-accumulates; the operator in Relay needs {}",
                      kernel.cost->mac.min, *call.relay_macs));
    }
  }

  const ModuleReport& module_;
  const SearchedCode& code_;
  const std::vector<NamedFunction>& functions_;
  std::set<const std::byte*> seen_;
  std::vector<Constant> constants_;
  std::vector<CostFinding> findings_;
};

// --- What could not be searched ------------------------------------------------------------------

constexpr std::array kOfConstants{CostFindingCode::constants_twice,
                                  CostFindingCode::widened_weights,
                                  CostFindingCode::uniform_constant};

/// The kernels whose code an external compiler wrote, according to TVM's naming convention.
std::set<std::string_view> kernels_of_external_compilers(const ModuleReport& module) {
  std::set<std::string_view> symbols;
  if (!module.network) return symbols;
  for (const graph::Kernel& kernel : module.network->kernels) {
    const bool is_external = kernel.origin == graph::KernelOrigin::external;
    if (is_external && !kernel.target.empty()) symbols.insert(kernel.symbol);
  }
  return symbols;
}

/// Code that is missing or not understood: it may contain any finding.
std::vector<std::string> unseen_code(const ModuleReport& module) {
  std::vector<std::string> reasons;
  if (module.no_network && *module.no_network != NoNetwork::operators) {
    reasons.emplace_back(to_string(*module.no_network));
  }
  if (module.network) reasons = module.network->gaps;
  if (module.no_network && module.kernels.empty()) {
    reasons.emplace_back("no function of the module could be read");
  }
  const std::set<std::string_view> external = kernels_of_external_compilers(module);
  for (const KernelReport& kernel : module.kernels) {
    const std::string name = graph::quoted(kernel.symbol);
    if (kernel.cost) {
      for (const std::string& gap : kernel.cost->gaps) reasons.push_back(name + ": " + gap);
    } else if (!external.contains(kernel.symbol)) {
      reasons.push_back(name + " has no TIR");
    }
  }
  return reasons;
}

void add_constants_of_pools(const graph::Topology& network, tir::Node main,
                            std::vector<std::string>& reasons) {
  const std::set<std::uint64_t> offsets = offsets_with_data(main);
  for (const graph::Kernel& kernel : network.kernels) {
    for (const graph::KernelBuffer& constant : kernel.constants) {
      const bool has_data =
          !constant.pool || (constant.offset && offsets.contains(*constant.offset));
      if (!has_data) {
        reasons.push_back("the data of " + graph::quoted(constant.name) + " is unknown");
      }
    }
  }
}

std::vector<std::string> constants_without_data(const ModuleReport& module,
                                                const SearchedCode& code) {
  std::vector<std::string> reasons;
  if (code.smaller != nullptr) {
    if (!code.smaller->constants_kept.empty()) reasons.push_back(code.smaller->constants_kept);
    for (const OptimizedConstant& one : code.smaller->constants) {
      if (one.kept.empty()) continue;
      reasons.push_back(fmt::format("{} could be smaller, and mlf optimize keeps it: {}",
                                    graph::quoted(one.name), one.kept));
    }
  }
  for (const NamedFunction& function : code.functions) {
    tir::for_each_pre_order(function.function, [&](tir::Node node) {
      if (!node.is(Kind::AllocateConst)) return;
      if (tir::data_of(node[f::AllocateConst::data])) return;
      const std::string_view name = node[f::AllocateConst::buffer_var].text(f::Var::name);
      reasons.push_back("the data of " + graph::quoted(name) + " is unknown");
    });
  }
  if (module.network) add_constants_of_pools(*module.network, code.main, reasons);
  for (const graph::Value* value : values_of_file(module)) {
    if (module.constants.parameter_of(*value) != nullptr) continue;
    reasons.push_back("the data of " + graph::quoted(value->name) + " is unknown");
  }
  if (!module.flash.constants.max) {
    reasons.emplace_back("the module has constants, or texts, that are not read");
  }
  return reasons;
}

/// Kernels with multiply-accumulates of which Relay's text does not state how many they need.
std::vector<std::string> kernels_without_needed_macs(const ModuleReport& module) {
  std::set<std::size_t> known;
  for (const CallReport& call : module.calls) known.insert(call.kernel);
  for (const CallReport& call : module.calls) {
    if (!call.relay_macs) known.erase(call.kernel);
  }
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < module.kernels.size(); ++i) {
    const KernelReport& kernel = module.kernels[i];
    if (!kernel.cost || kernel.cost->mac.max == 0 || known.contains(i)) continue;
    reasons.push_back(fmt::format("the multiply-accumulates that Relay needs for {} are not known",
                                  graph::quoted(kernel.symbol)));
  }
  return reasons;
}

}  // namespace

std::set<std::uint64_t> offsets_with_data(tir::Node main) {
  std::set<std::uint64_t> offsets;
  if (!main) return offsets;
  tir::for_each_pre_order(main, [&](tir::Node node) {
    if (!node.is(Kind::ConstantInfo)) return;
    const auto offset = tir::pool_offset(node);
    if (offset && tir::data_of(node[f::ConstantInfo::data])) offsets.insert(*offset);
  });
  return offsets;
}

std::vector<CostFinding> findings_of(const ModuleReport& module, const SearchedCode& code,
                                     const std::vector<NamedFunction>& uncalled) {
  return Finder(module, code).run(uncalled);
}

std::vector<UnsearchedFinding> unsearched_findings(const ModuleReport& module,
                                                   const SearchedCode& searched) {
  std::vector<UnsearchedFinding> unsearched;
  const std::vector<std::string> code = unseen_code(module);
  const std::vector<std::string> data = constants_without_data(module, searched);
  for (const CostFindingInfo& one : all_cost_findings()) {
    const bool is_of_constants = std::ranges::find(kOfConstants, one.finding) != kOfConstants.end();
    // Gives one reason of each kind.
    if (!code.empty()) unsearched.push_back({one.finding, code.front()});
    if (is_of_constants && !data.empty()) unsearched.push_back({one.finding, data.front()});
  }
  if (const auto kernels = kernels_without_needed_macs(module); !kernels.empty()) {
    unsearched.push_back({CostFindingCode::recomputed, kernels.front()});
  }
  if (!module.code || !module.code->uncompiled.empty()) {
    unsearched.push_back({CostFindingCode::writable_constants, "not all C was compiled (--cc)"});
  }
  if (!module.flash.copies.is_exact()) {
    unsearched.push_back(
        {CostFindingCode::metadata_copies, "generated C of the module is missing"});
  }
  return unsearched;
}

}  // namespace report

std::span<const CostFindingInfo> all_cost_findings() {
  static constexpr CostFindingInfo kInfos[] = {
#define MLF_FINDING(name, code, meaning) {CostFindingCode::name, code, meaning},
#include "mlf/findings.def"
#undef MLF_FINDING
  };
  return kInfos;
}

const CostFindingInfo& info(CostFindingCode finding) {
  return all_cost_findings()[static_cast<std::size_t>(finding)];
}

Result<CostFindingCode> finding_named(std::string_view code) {
  std::vector<std::string> codes;
  for (const CostFindingInfo& one : all_cost_findings()) {
    if (one.code == code) return one.finding;
    codes.emplace_back(one.code);
  }
  return tl::make_unexpected(
      Diagnostic{ErrorKind::usage, fmt::format("there is no finding '{}', only {}{}", code,
                                               fmt::join(codes, ", "), did_you_mean(code, codes))});
}

}  // namespace mlf
