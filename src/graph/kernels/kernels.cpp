#include "graph/kernels/kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "graph/kernels/kernel_code.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

class Reading {
 public:
  explicit Reading(const KernelCode& code) : code_(code) {}

  FunctionReach run() && {
    for (const MemoryAccess& use : code_.accesses) {
      use.kind == AccessKind::element ? add_element(use) : add_call(use);
    }
    return std::move(found_);
  }

 private:
  /// Calls `visit(reaches, offset)` for every memory that contains the address: for a named one
  /// inside an argument, both the name and the argument. A negative offset is unknown.
  template <class Visit>
  void for_each_owner(const Address& address, Visit&& visit) {
    const std::int64_t offset = address.offset_known ? address.offset : -1;
    if (code_.is_of_call(address)) visit(found_.arguments[address.root], offset);
    if (address.kind == AddressKind::local) {
      visit(found_.pointers[static_cast<tir::NodeId>(address.root)], offset);
    } else if (address.alias != tir::NodeId::none) {
      visit(found_.pointers[address.alias], std::int64_t{0});
    }
  }

  /// Of the index times `factor`.
  HighestValue highest(Node access, std::size_t position, std::int64_t factor) {
    const Node index = index_of(access);
    if (!index) return {};
    IterationDomain around = code_.around(position);
    // A predicate is a condition for each lane; most are constants.
    if (is_masked(access)) around.tests.push_back({{predicate_of(access)}});
    around.compile(code_.bindings);
    const bool is_ramp = index.is(Kind::Ramp);
    const bool is_known =
        around.add_term(is_ramp ? index[f::Ramp::base] : index, factor, code_.bindings);
    const auto nest = is_known ? around.nest() : std::nullopt;
    HighestValue found = nest ? highest_in_boxes(*nest, steps_) : HighestValue();
    if (!is_ramp) return found;
    // The last lane of the highest base.
    const auto stride = integer_of(index[f::Ramp::stride]);
    if (!stride || *stride < 0 || *stride > (1 << 30)) return {};
    if (found.value && factor > 0) *found.value += *stride * (index.dtype().lanes - 1);
    return found;
  }

  /// How many elements before the first one the access certainly reaches.
  std::int64_t elements_before(Node access, std::size_t position) {
    bool may_be_negative = false;
    if (const Node index = index_of(access)) {
      tir::for_each_pre_order(index, [&](Node node) {
        const bool is_negative = node.is(Kind::IntImm) && node.integer(f::IntImm::value) < 0;
        may_be_negative = may_be_negative || is_negative || node.is(Kind::Sub);
      });
    }
    if (!may_be_negative) return 0;
    // Their bytes must not overflow.
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    const HighestValue least = highest(access, position, -1);
    return least.is_known ? std::clamp(least.value.value_or(0), std::int64_t{0}, kMost) : 0;
  }

  void add_element(const MemoryAccess& use) {
    const Node access = code_.order[use.position];
    const tir::DType type = counted_type(access);
    const HighestValue most = highest(access, use.position, 1);
    // Conditions or loops around the access prevent it. TVM generates no store that is never made:
    // a user switched it off, and the tensor may be as large as before.
    if (most.is_known && !most.value && !use.is_written) return;
    // Negative lanes have an unknown size.
    const bool is_inside = most.value && *most.value >= 0 && type.lanes >= 0;
    const auto lanes = static_cast<std::size_t>(std::max<int>(type.lanes, 1));
    const auto element_bytes = type.element_bytes() * lanes;
    const std::int64_t before =
        elements_before(access, use.position) * static_cast<std::int64_t>(type.element_bytes());
    for_each_owner(use.address, [&](Reaches& reaches, std::int64_t offset) {
      if (offset >= 0) reaches.before = std::max(reaches.before, before - offset);
      Reach& reach = use.is_written ? reaches.stored : reaches.loaded;
      if (!is_inside || offset < 0) return reach.include(std::nullopt);
      const auto elements = static_cast<std::uint64_t>(*most.value) + 1;
      reach.include(sum_of(static_cast<std::uint64_t>(offset), elements * element_bytes));
    });
  }

  /// A layer of CMSIS-NN counts its whole context, even if it uses less. A call of the Ethos-U
  /// driver states the sizes of memory, but the sizes of operations follow from the numbers beside
  /// their addresses, which this does not compute. Any other call may access all memory after the
  /// address.
  void add_call(const MemoryAccess& use) {
    for_each_owner(use.address, [&](Reaches& reaches, std::int64_t offset) {
      const bool states_bytes = use.kind == AccessKind::layer || use.kind == AccessKind::npu;
      reaches.is_passed_on = reaches.is_passed_on || !states_bytes;
      if (!states_bytes) return;
      std::optional<std::uint64_t> end;
      if (use.bytes && offset >= 0) end = sum_of(static_cast<std::uint64_t>(offset), *use.bytes);
      const bool is_stored = use.is_written && !use.is_context;
      if (is_stored) reaches.stored.include(end);
      if (use.is_read || use.is_context) reaches.loaded.include(end);
    });
  }

  const KernelCode& code_;
  std::uint64_t steps_ = 20'000'000;  // of all searches
  FunctionReach found_;
};

}  // namespace

void Reach::include(std::optional<std::uint64_t> end) {
  end ? static_cast<void>(bytes = std::max(bytes, *end)) : static_cast<void>(is_exact = false);
}

FunctionReach reach_of(const KernelCode& code) {
  return Reading(code).run();
}

namespace {

// v0.9 and v0.10 flatten the buffers of the map and keep their shapes in a second map.
Node declared_buffer(Node function, Node param) {
  const Node shaped = tir::value_under(function.map(f::PrimFunc::preflattened_buffer_map), param);
  return shaped ? shaped : tir::value_under(function.map(f::PrimFunc::buffer_map), param);
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return text;
}

/// The variable of a parameter: the parameter itself, or the variable that holds a packed argument.
Node variable_of(const KernelCode& code, const BodyScan& scan, std::size_t i) {
  if (!code.is_packed()) return code.function.list(f::PrimFunc::params)[i];
  return i < scan.variables.size() ? scan.variables[i] : Node();
}

// MakePackedAPI unpacks tensors into "arg.<name>" in old versions and into "<name>" in new ones.
KernelParameter packed_parameter(Node var) {
  KernelParameter parameter;
  if (var) parameter.name = without_prefix(var.text(f::Var::name), "arg.");
  return parameter;
}

// TVM gives a parameter and its buffer one name. Printers change that of the parameter
// ("p0_handle", "p0_1"), but for the planner's pools, that of the buffer.
std::string parameter_name(Node param, Node buffer) {
  const std::string_view own = param.text(f::Var::name);
  const std::string_view shown = buffer ? buffer.text(f::Buffer::name) : std::string_view();
  return std::string(shown.empty() || shown.ends_with("_buffer_var") ? own : shown);
}

KernelParameter plain_parameter(Node function, Node param) {
  KernelParameter parameter;
  const Node buffer = declared_buffer(function, param);
  parameter.name = parameter_name(param, buffer);
  if (buffer) parameter.type = type_of_buffer(buffer);
  return parameter;
}

/// The declared element type of a pointer.
tir::DType pointed_to(Node var) {
  if (!var) return {};
  return tir::pointee_of(var[f::Var::type_annotation]).value_or(tir::DType());
}

// USMP passes pools to kernels as pointers to bytes, with the names in main; functions for an
// Ethos-U take bare pointers.
bool is_pool(Node var, const KernelParameter& parameter, const KernelCode& code) {
  const std::string_view name = code.is_packed() ? parameter.name : var.text(f::Var::name);
  const tir::DType dtype = parameter.type.dtype;
  return !tir::pool_name(name).empty() && (dtype == tir::DType::UInt(8) || dtype.is_void());
}

/// The parameters in the form of a call. Their types come from the best available source: the
/// buffers of the map, buffers in the body, the pointer's own type.
std::vector<KernelParameter> parameters_of(const KernelCode& code, const BodyScan& scan) {
  // A packed function does not state its number of arguments; counts those that its body uses.
  const std::size_t packed = std::max(scan.effects.size(), scan.variables.size());
  const std::size_t declared = code.function.list(f::PrimFunc::params).size();
  const std::size_t count = code.is_packed() ? packed : declared;
  std::vector<KernelParameter> parameters;
  for (std::size_t i = 0; i < count; ++i) {
    const Node var = variable_of(code, scan, i);
    KernelParameter parameter =
        code.is_packed() ? packed_parameter(var) : plain_parameter(code.function, var);
    if (i < scan.effects.size()) parameter.effect = scan.effects[i];
    if (i < scan.shapes.size()) parameter.stated_shape = scan.shapes[i];
    if (parameter.type.dtype.is_void() && i < scan.buffers.size() && scan.buffers[i]) {
      parameter.type = type_of_buffer(scan.buffers[i]);
    }
    // A body may only take addresses in an argument; then the argument has no Buffer.
    if (parameter.type.dtype.is_void()) parameter.type.dtype = pointed_to(var);
    parameter.is_pool = is_pool(var, parameter, code);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

/// Notes the parameters that a function only divides into places at constant offsets.
void note_divided(const KernelCode& code, const BodyScan& scan,
                  std::vector<KernelParameter>& parameters) {
  for (const BodyMemory& one : scan.memory) {
    const bool is_place = one.buffer.memory == MemoryKind::pool && one.address.offset_known;
    if (!is_place || one.address.root >= parameters.size()) continue;
    KernelParameter& parameter = parameters[one.address.root];
    parameter.may_be_pool = parameter.type.dtype == tir::DType::UInt(8);
  }
  for (const MemoryAccess& use : code.accesses) {
    const bool is_direct = use.address.alias == tir::NodeId::none;
    if (!is_direct || !code.is_of_call(use.address)) continue;
    if (use.address.root < parameters.size()) parameters[use.address.root].may_be_pool = false;
  }
}

/// If part of a body is not understood, no access has a known end.
FunctionReach known_reach(const KernelCode& code, const BodyScan& scan) {
  FunctionReach reach = reach_of(code);
  if (scan.gaps.empty()) return reach;
  const auto open = [](Reaches& one) { one.stored.is_exact = one.loaded.is_exact = false; };
  for (auto& [position, reaches] : reach.arguments) open(reaches);
  for (auto& [pointer, reaches] : reach.pointers) open(reaches);
  return reach;
}

/// Generated C does not state the size of a tensor. A kernel writes all of its output, but may read
/// only a part of its input. A function that receives the tensor is assumed to write no more of it
/// than the rest of the body does.
void infer_shape(const Reaches* reaches, KernelParameter& parameter) {
  TensorType& type = parameter.type;
  if (parameter.is_pool || (type.shape && type.shape->size() != 1)) return;
  type.shape.reset();
  const Effect& effect = parameter.effect;
  const std::uint64_t element = type.dtype.is_void() ? 0 : type.dtype.element_bytes();
  if (!effect.written || effect.first == Effect::First::read || element == 0) return;
  if (reaches == nullptr || !reaches->stored.is_exact) return;
  const std::uint64_t bytes = reaches->stored.bytes;
  if (bytes != 0 && bytes % element == 0) type.shape = {static_cast<std::int64_t>(bytes / element)};
}

void note_reach(const Reaches& reaches, KernelParameter& parameter) {
  parameter.at_least = reaches.bytes();
  parameter.before = reaches.before;
  if (reaches.is_passed_on) return;
  if (reaches.stored.is_exact) parameter.written = reaches.stored.bytes;
  if (reaches.is_exact()) parameter.accessed = reaches.bytes();
}

/// In C, the accesses determine the size of a place in a pool.
void infer_size(const Reaches* reaches, KernelBuffer& place) {
  place.at_least = reaches == nullptr ? 0 : reaches->bytes();
  if (place.at_least > 0 && reaches->is_exact()) place.bytes = place.at_least;
}

/// Certain accesses beyond the ends of memory of the function, if its own text states the size.
void note_overrun(const Reaches& reaches, const KernelBuffer& memory, KernelInfo& info) {
  const bool is_constant = memory.memory == MemoryKind::program;
  if (reaches.before > 0) {
    info.overruns.push_back(fmt::format("'{}' accesses {} bytes before '{}'", info.kernel.symbol,
                                        reaches.before, memory.name));
  }
  const std::uint64_t reached = reaches.bytes();
  if (!memory.bytes || reached <= *memory.bytes) return;
  info.overruns.push_back(fmt::format("'{}' {} {} bytes {} '{}', which has {}", info.kernel.symbol,
                                      is_constant ? "reads" : "accesses", reached,
                                      is_constant ? "of its constant" : "of its workspace",
                                      memory.name, *memory.bytes));
}

// A slice of the first elements also copies in order; only equal sizes make it a reshape. If one
// size is still unknown, `confirm_reshapes` compares the sizes later.
bool may_be_reshape(const KernelCode& code, const std::vector<KernelParameter>& parameters) {
  std::vector<std::optional<std::uint64_t>> sizes;
  for (const KernelParameter& parameter : parameters) {
    if (parameter.effect.read || parameter.effect.written) sizes.push_back(parameter.type.bytes());
  }
  if (sizes.size() != 2) return false;
  const bool may_agree = !sizes[0] || !sizes[1] || sizes[0] == sizes[1];
  return may_agree && copies_in_order(code);
}

/// "cc" of "tvmgen_default_cc_main_0", as functions of external compilers are called; empty for
/// other names.
std::string_view external_compiler(std::string_view symbol, std::string_view module) {
  const std::string prefix = "tvmgen_" + std::string(module) + (module.empty() ? "" : "_");
  if (!symbol.starts_with(prefix)) return {};
  constexpr std::string_view kMain = "_main_";
  // The last one: a compiler's name may also contain "_main_".
  const std::size_t main = symbol.rfind(kMain);
  if (main == symbol.npos || main <= prefix.size()) return {};
  if (!support::is_digits(symbol.substr(main + kMain.size()))) return {};
  return symbol.substr(prefix.size(), main - prefix.size());
}

/// Describes a function without TIR.
KernelInfo describe_external(std::string_view symbol, std::string_view module) {
  KernelInfo info;
  info.kernel.symbol = symbol;
  info.kernel.target = external_compiler(symbol, module);
  info.kernel.origin = info.kernel.target.empty() ? KernelOrigin::unknown : KernelOrigin::external;
  return info;
}

}  // namespace

KernelInfo describe_kernel(const FunctionRef& ref, std::span<const TirInput> sources) {
  const KernelCode& code = sources[ref.source].code->code_of(ref.function);
  BodyScan scan = scan_body(code);
  KernelInfo info;
  info.kernel.symbol = ref.symbol;
  info.kernel.origin = KernelOrigin::tir;
  info.kernel.function = ref.name;
  info.kernel.source = sources[ref.source].stem;
  info.kernel.target = tir::target_kind_of(ref.function);
  info.kernel.device = ref.device;
  // TVM's structural hash of the Relay function: equal in graph and AOT builds of one network.
  info.kernel.hash = string_of(attribute_of(ref.function, "hash"));
  info.kernel.gaps = scan.gaps;
  info.kernel.may_end_early = scan.may_end_early;
  if (info.kernel.is_understood() && !scan.may_end_early) info.code = &code;
  info.parameters = parameters_of(code, scan);
  note_divided(code, scan, info.parameters);
  const bool is_c = sources[ref.source].document->source.dialect == tir::Dialect::c;
  const FunctionReach reach = known_reach(code, scan);
  for (std::uint32_t i = 0; i < info.parameters.size(); ++i) {
    const Reaches* const reaches = support::find_value(reach.arguments, i);
    if (is_c) infer_shape(reaches, info.parameters[i]);
    if (reaches != nullptr) note_reach(*reaches, info.parameters[i]);
    // No access certainly happens then.
    if (scan.may_end_early) info.parameters[i].at_least = info.parameters[i].before = 0;
  }
  info.kernel.is_reshape = may_be_reshape(code, info.parameters);
  for (BodyMemory& memory : scan.memory) {
    const Reaches* const reaches = support::find_value(reach.pointers, memory.pointer);
    KernelBuffer& buffer = memory.buffer;
    if (buffer.memory != MemoryKind::pool) {
      // What is not understood may declare other memory of this name.
      if (reaches != nullptr && scan.gaps.empty()) note_overrun(*reaches, buffer, info);
      const bool is_constant = buffer.memory == MemoryKind::program;
      (is_constant ? info.kernel.constants : info.kernel.workspaces).push_back(std::move(buffer));
      continue;
    }
    // The address of a place in a parameter depends on the call.
    buffer.at_least = buffer.bytes.value_or(0);
    if (is_c) infer_size(reaches, buffer);
    // The reader of C gives a Buffer the largest index that loops would allow: what is not
    // understood may leave them before.
    if (is_c && !scan.gaps.empty()) {
      buffer.bytes.reset();
      buffer.at_least = 0;
    }
    info.places.push_back(std::move(memory));
  }
  return info;
}

const KernelInfo& KernelLibrary::describe(std::string_view symbol) {
  // Stores a pointer, so references stay valid while the table grows.
  std::unique_ptr<KernelInfo>& known = known_[std::string(symbol)];
  if (!known) {
    const FunctionRef* function = functions_.find(symbol, main_source_);
    known = std::make_unique<KernelInfo>(function != nullptr ? describe_kernel(*function, sources_)
                                                             : describe_external(symbol, module_));
    // The name in the call, which may be that of the GlobalVar.
    known->kernel.symbol = symbol;
  }
  return *known;
}

}  // namespace mlf::graph
