#include "graph/main/parameters.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/node_queries.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "tir/pools.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// AOTExecutorCodegen names the data of input x "x_buffer_var"; USMP adds "_let" for its place in a
// pool.
constexpr std::string_view kDataSuffix = "_buffer_var";
constexpr std::string_view kPlannedSuffix = "_buffer_var_let";

// `device_context_<kind>` for each target with the C device API (v0.9+); `resource_handle` is the
// last parameter of a packed function.
bool is_context_name(std::string_view name) {
  return name.starts_with("device_context_") || name == "resource_handle";
}

bool points_to_bytes(Node param) {
  return param.is(Kind::Var) &&
         tir::pointee_of(param[f::Var::type_annotation]) == tir::DType::UInt(8);
}

bool holds_bytes(const MainParameter& parameter, Node param) {
  return parameter.buffer ? parameter.buffer.dtype(f::Buffer::dtype) == tir::DType::UInt(8)
                          : points_to_bytes(param);
}

// The planner's pools are bytes: the Buffer of a pool is "<pool>_<k>_buffer_var", or, after TVM
// drops the map, the parameter is a pointer to uint8.
bool is_pool(const MainParameter& parameter, Node param, bool is_packed) {
  if (tir::pool_name(parameter.name).empty()) return false;
  if (!parameter.buffer) return is_packed || points_to_bytes(param);
  return parameter.buffer.text(f::Buffer::name).ends_with(kDataSuffix) &&
         holds_bytes(parameter, param);
}

/// The entry of the attribute `pool_args` for one pool.
struct PoolArgument {
  std::string name;
  std::optional<PoolKind> kind;
  std::optional<std::uint64_t> bytes;
};

std::optional<PoolKind> kind_of_info(Node info) {
  if (info.is(Kind::ConstantPoolInfo)) return PoolKind::constant;
  if (info.is(Kind::WorkspacePoolInfo)) return PoolKind::workspace;
  if (!info.is(Kind::MissingObject)) return std::nullopt;
  const std::string_view key = info.text(f::MissingObject::type_key);
  if (key.ends_with("ConstantPoolInfo")) return PoolKind::constant;
  if (key.ends_with("WorkspacePoolInfo")) return PoolKind::workspace;
  return std::nullopt;
}

PoolArgument pool_argument(Node allocated) {
  PoolArgument result;
  // The name is empty if the dialect prints the type of the info but not its fields.
  const Node info = allocated[f::AllocatedPoolInfo::pool_info];
  result.kind = info ? kind_of_info(info) : std::nullopt;
  if (info.is(Kind::ConstantPoolInfo)) result.name = info.text(f::ConstantPoolInfo::pool_name);
  if (info.is(Kind::WorkspacePoolInfo)) result.name = info.text(f::WorkspacePoolInfo::pool_name);
  const auto bytes = integer_of(allocated[f::AllocatedPoolInfo::allocated_size]);
  if (bytes) result.bytes = static_cast<std::uint64_t>(*bytes);
  return result;
}

std::vector<PoolArgument> pool_arguments(Node main) {
  std::vector<PoolArgument> result;
  for (const tir::PoolUse& use : tir::pool_uses(main)) {
    result.push_back(pool_argument(use.allocated));
  }
  return result;
}

}  // namespace

std::vector<Pool> declared_pools(Node function) {
  std::vector<Pool> pools;
  for (PoolArgument& one : pool_arguments(function)) {
    if (one.name.empty() || !one.kind) continue;
    pools.push_back({.name = std::move(one.name), .kind = *one.kind, .bytes = one.bytes});
  }
  return pools;
}

namespace {

/// Whether the entry point passes main something else than a variable with the name of the pool,
/// such as a place inside of it.
bool is_other_memory(const ModuleFacts* facts, std::size_t parameter, std::string_view pool) {
  if (facts == nullptr || parameter >= facts->passed.size()) return false;
  const std::string& passed = facts->passed[parameter];
  if (passed.empty()) return false;
  const bool is_computed = passed.find(" + ") != passed.npos || passed.find(" ? ") != passed.npos ||
                           (passed.find(" [ ") != passed.npos && !passed.ends_with(" [ 0 ]"));
  return is_computed || support::find_word(passed, pool) == passed.npos;
}

/// Completes a pool by its name, else by its position among the pools.
void complete(Pool& pool, std::size_t position, const std::vector<PoolArgument>& arguments,
              const ModuleFacts* facts) {
  // TVM appends pools in the order of a map, so names have priority over positions.
  auto at = std::find_if(arguments.begin(), arguments.end(),
                         [&](const PoolArgument& a) { return a.name == pool.name; });
  if (at == arguments.end() && position < arguments.size()) {
    at = arguments.begin() + static_cast<std::ptrdiff_t>(position);
    if (!at->name.empty()) at = arguments.end();
  }
  // The names of TVM's own pools, global_const_workspace and global_workspace, state their content.
  pool.kind = pool.name.find("const") != pool.name.npos ? PoolKind::constant : PoolKind::workspace;
  if (at != arguments.end()) {
    if (at->kind) pool.kind = *at->kind;
    if (!pool.bytes) pool.bytes = at->bytes;
  }
  // What the C declares is what is linked.
  if (facts != nullptr) {
    for (const Pool& declared : facts->pools) {
      if (declared.name != pool.name) continue;
      pool.kind = declared.kind;
      pool.bytes = declared.bytes;
    }
  }
}

void take_stated_size(Pool& pool, const ModuleFacts* facts) {
  if (pool.bytes || facts == nullptr) return;
  const auto stated = std::ranges::find(facts->pool_sizes, pool.name, &PoolSize::name);
  if (stated != facts->pool_sizes.end()) pool.bytes = stated->bytes;
}

std::string port_name(const MainParameter& parameter) {
  std::string_view name = parameter.name;
  const bool lowered = parameter.is_own_data || !parameter.buffer;
  if (lowered && name.ends_with(kDataSuffix)) name.remove_suffix(kDataSuffix.size());
  return std::string(name);
}

/// Inputs and outputs inside of pools (`tir.usmp.use_workspace_io`), which have no parameters, by
/// their places in the map of buffers: TVM leaves the map stale, but types and order in it are
/// still correct.
std::multimap<std::size_t, PortPlan> planned_ports(Node main, const MainBody& body) {
  const tir::NodeMap buffers = main.map(f::PrimFunc::buffer_map);
  std::multimap<std::size_t, PortPlan> ports;
  for (const auto& [var, named] : body.alias_addresses) {
    const std::string& name = named.name;
    if (!name.ends_with(kPlannedSuffix)) continue;
    PortPlan port{StorageKey{StorageKeyKind::alias, var}, {}, name, {}};
    port.name = name.substr(0, name.size() - kPlannedSuffix.size());
    std::size_t place = buffers.size();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const std::string_view data = buffers.value(i)[f::Buffer::data].text(f::Var::name);
      if (data != port.name + std::string(kDataSuffix)) continue;
      port.type = type_of_buffer(buffers.value(i));
      place = i;
    }
    ports.emplace(place, std::move(port));
  }
  return ports;
}

// v0.8 names every input "input" and every output "output".
void make_names_unique(std::vector<PortPlan>& ports) {
  // All parameters with one name get a number, not only the later ones: "input_0" and "input_1".
  std::map<std::string, std::size_t> times;
  for (const PortPlan& port : ports) ++times[port.name];
  std::map<std::string, std::size_t> next;
  for (PortPlan& port : ports) {
    if (times[port.name] > 1) port.name += "_" + std::to_string(next[port.name]++);
  }
}

ArgumentRole add_tensor(ParameterTable& table, const MainParameter& parameter, std::uint32_t i) {
  PortPlan port{StorageKey{StorageKeyKind::parameter, i}, port_name(parameter), parameter.name, {}};
  if (parameter.buffer) port.type = type_of_buffer(parameter.buffer);
  table.ports.push_back(std::move(port));
  return {RoleKind::tensor, table.ports.back().storage};
}

ArgumentRole add_pool(ParameterTable& table, const MainParameter& parameter, std::size_t i,
                      std::string_view name, const std::vector<PoolArgument>& arguments,
                      const ModuleFacts* facts) {
  Pool pool;
  pool.name = name;
  pool.parameter = parameter.name;
  if (parameter.buffer) pool.bytes = type_of_buffer(parameter.buffer).bytes();
  complete(pool, table.pools.size(), arguments, facts);
  if (!table.is_packed && is_other_memory(facts, i, name)) {
    pool.bytes.reset();
    table.has_other_memory = true;
  }
  take_stated_size(pool, facts);
  table.pools.push_back(std::move(pool));
  return {RoleKind::pool, {}, static_cast<PoolId>(table.pools.size() - 1)};
}

/// What the calls show about main's parameters.
struct UseByKernels {
  /// Pools, by the name that each kernel which takes one has for a pool: people rename pools in
  /// main. Empty for a parameter that some kernel takes otherwise.
  std::map<std::uint32_t, std::string_view> pools{};
  std::set<std::uint32_t> written{};  ///< those that a kernel writes
};

UseByKernels use_by_kernels(const MainBody& body, KernelLibrary& kernels) {
  UseByKernels use;
  auto& pools = use.pools;
  for (const MainStatement& step : body.steps) {
    const auto* const call = std::get_if<RawCall>(&step);
    if (call == nullptr) continue;
    const std::vector<KernelParameter>& parameters = kernels.describe(call->symbol).parameters;
    for (std::size_t i = 0; i < call->arguments.size(); ++i) {
      const Address& address = call->arguments[i].address;
      if (address.kind != AddressKind::parameter) continue;
      if (i >= parameters.size() || parameters[i].effect.written) use.written.insert(address.root);
      if (address.inside) continue;
      const bool is_pool = i < parameters.size() && parameters[i].is_pool;
      // People rename pools in some kernels. Others may use them as pools.
      if (i < parameters.size() && !is_pool && parameters[i].effect.is_none()) continue;
      const auto name = is_pool ? tir::pool_name(parameters[i].name) : std::string_view();
      const auto [known, is_new] = pools.try_emplace(address.root, name);
      if (!is_new && !known->second.empty()) known->second = name;
    }
  }
  return use;
}

/// Whether a parameter comes after the inputs and outputs that the archive names.
bool is_after_ports(const ModuleFacts* facts, std::size_t parameter) {
  if (facts == nullptr) return false;
  std::size_t ports = facts->input_fields.size() + facts->output_fields.size();
  if (ports == 0 && facts->inputs && facts->outputs) {
    ports = facts->inputs->size() + facts->outputs->size();
  }
  return ports != 0 && parameter >= ports;
}

/// Bytes behind inputs and outputs. What no kernel writes is constant.
ArgumentRole add_renamed_pool(ParameterTable& table, const MainParameter& parameter, std::size_t i,
                              bool is_written, const ModuleFacts* facts) {
  const auto added = add_pool(table, parameter, i, parameter.name, {}, facts);
  table.pools.back().kind = is_written ? PoolKind::workspace : PoolKind::constant;
  table.has_other_memory = true;
  return added;
}

}  // namespace

ArgumentRole ParameterTable::role_of(const Address& address) const {
  switch (address.kind) {
    // The kernel takes a context, but main has none.
    case AddressKind::null_handle:
      return {RoleKind::context};
    case AddressKind::local:
      return {RoleKind::tensor, StorageKey{StorageKeyKind::local, address.root}};
    case AddressKind::lookup:
      return {RoleKind::tensor, StorageKey{StorageKeyKind::lookup, address.root}};
    case AddressKind::parameter:
      // None of the six parameters of a packed function is a tensor; one of them is the context.
      if (is_packed) return {RoleKind::context};
      break;
    case AddressKind::argument:
      break;
    default:
      return {};
  }
  if (address.root >= parameters.size()) return {};
  const ArgumentRole& parameter = parameters[address.root];
  // Main passes a pool itself to kernels with workspaces or constants in it.
  if (parameter.kind != RoleKind::pool || !address.inside) return parameter;
  if (address.alias != tir::NodeId::none) {
    return {RoleKind::tensor, StorageKey{StorageKeyKind::alias, tir::index(address.alias)},
            parameter.pool};
  }
  // Without a name, only the address identifies the tensor.
  if (!address.offset_known) return {};
  return {RoleKind::tensor, StorageKey{StorageKeyKind::address, address.root, address.offset},
          parameter.pool};
}

std::optional<PoolId> ParameterTable::pool_of(const StorageKey& root, const MainBody& body) const {
  const auto named = body.alias_addresses.find(root.id);
  if (root.kind != StorageKeyKind::alias || named == body.alias_addresses.end())
    return std::nullopt;
  return role_of(named->second.address).pool;
}

ParameterTable classify_parameters(Node main, const MainBody& body, KernelLibrary& kernels,
                                   const ModuleFacts* facts) {
  ParameterTable table;
  table.is_packed = body.is_packed;
  const std::vector<PoolArgument> arguments = pool_arguments(main);
  const UseByKernels use = use_by_kernels(body, kernels);
  const tir::NodeList params = main.list(f::PrimFunc::params);
  for (std::uint32_t i = 0; i < body.parameters.size(); ++i) {
    const MainParameter& parameter = body.parameters[i];
    const Node param = body.is_packed || i >= params.size() ? Node() : params[i];
    std::string_view pool;
    if (is_pool(parameter, param, body.is_packed)) {
      pool = tir::pool_name(parameter.name);
    } else if (holds_bytes(parameter, param)) {
      pool = support::value_at(use.pools, i).value_or("");
    }
    const bool is_renamed = pool.empty() && !body.is_packed && is_after_ports(facts, i) &&
                            holds_bytes(parameter, param);
    // Tests the name first: a context is a handle, but v0.8 also declares all tensors as handles.
    if (is_context_name(parameter.name)) {
      table.parameters.push_back({RoleKind::context});
    } else if (!pool.empty()) {
      table.parameters.push_back(add_pool(table, parameter, i, pool, arguments, facts));
    } else if (is_renamed) {
      table.parameters.push_back(
          add_renamed_pool(table, parameter, i, use.written.contains(i), facts));
    } else {
      table.parameters.push_back(add_tensor(table, parameter, i));
    }
  }
  for (auto& [place, port] : planned_ports(main, body)) table.ports.push_back(std::move(port));
  make_names_unique(table.ports);
  return table;
}

std::span<const KernelParameter> parameters_for_call(const KernelInfo& info, const RawCall& call,
                                                     const ParameterTable& main_parameters) {
  const std::size_t given = call.arguments.size();
  if (given == info.parameters.size()) return info.parameters;
  // Since v0.9, tvm_call_cpacked ends in a context, for which most kernels have no parameter.
  if (given != info.parameters.size() + 1 || call.call_form == CallForm::unpacked) return {};
  const ArgumentRole last = main_parameters.role_of(call.arguments.back().address);
  return last.kind == RoleKind::context ? std::span(info.parameters)
                                        : std::span<const KernelParameter>();
}

namespace {

/// Sets the use of each port.
class PortUses {
 public:
  PortUses(ParameterTable& parameters, KernelLibrary& kernels)
      : parameters_(parameters), kernels_(kernels) {
    for (PortPlan& port : parameters.ports) ports_.emplace(port.storage, &port);
  }

  void note(const MainBody& body) {
    for (const MainStatement& step : body.steps) {
      if (const auto* call = std::get_if<RawCall>(&step)) note(*call);
      if (const auto* copy = std::get_if<RawCopy>(&step)) {
        note(copy->from, PortUse::read);
        note(copy->to, PortUse::write);
      }
    }
  }

 private:
  void note(const Address& address, PortUse access) {
    const ArgumentRole role = parameters_.role_of(address);
    if (role.kind != RoleKind::tensor) return;
    const auto port = ports_.find(role.storage);
    if (port == ports_.end()) return;
    // The first use stays, with one exception.
    PortUse& known = port->second->use;
    if (known == PortUse::none) known = access;
    if (known == PortUse::read && access == PortUse::write) known = PortUse::read_then_write;
  }

  void note(const RawCall& call) {
    const auto parameters = parameters_for_call(kernels_.describe(call.symbol), call, parameters_);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Effect& effect = parameters[i].effect;
      const bool is_written = effect.written && effect.first != Effect::First::read;
      // The function only passes it on, so its use is unknown. A wrong guess would move the
      // boundary.
      if (effect.escaped && !effect.written) continue;
      if (is_written || effect.read) {
        note(call.arguments[i].address, is_written ? PortUse::write : PortUse::read);
      }
    }
  }

  const ParameterTable& parameters_;
  KernelLibrary& kernels_;
  std::map<StorageKey, PortPlan*> ports_;
};

/// "output", "output2", or a printer's form of them: "output_1". AOTExecutorCodegen counts from 2:
/// "output", "output2", "output3"; v0.8 names all of them "output".
bool is_output_name(std::string_view name) {
  constexpr std::string_view kOutput = "output";
  if (!name.starts_with(kOutput)) return false;
  name.remove_prefix(kOutput.size());
  if (name.starts_with('_')) name.remove_prefix(1);
  return name.empty() || support::is_digits(name);
}

/// Whether the ports from here on have TVM's numbered names of outputs, at least two: "output",
/// "output2", "output3".
bool are_counted_outputs(std::span<const PortPlan> ports) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name != (i == 0 ? "output" : "output" + std::to_string(i + 1))) return false;
  }
  return ports.size() > 1;
}

/// Where outputs begin, according to bodies and names; inputs come before outputs in all versions.
std::size_t first_output(const std::vector<PortPlan>& ports) {
  const auto written = std::ranges::find(ports, PortUse::write, &PortPlan::use);
  const auto named = std::find_if(ports.begin(), ports.end(),
                                  [](const PortPlan& port) { return is_output_name(port.name); });
  const auto by_name = static_cast<std::size_t>(named - ports.begin());
  // No body gives information (C of an external compiler): uses names, else the last parameter,
  // since a main without an output would be useless.
  if (written == ports.end())
    return named == ports.end() && !ports.empty() ? ports.size() - 1 : by_name;
  const auto by_access = static_cast<std::size_t>(written - ports.begin());
  // If an error leaves an output unwritten or reads it too early, the output still has its name.
  if (by_name >= by_access) return by_access;
  const bool name_holds =
      ports[by_name].use != PortUse::read || are_counted_outputs(std::span(ports).subspan(by_name));
  return name_holds ? by_name : by_access;
}

/// Whether USMP placed an input or output in a pool: main has a let for it instead of a parameter.
bool is_planned(const PortPlan& port) {
  return port.storage.kind == StorageKeyKind::alias;
}

const NamedTensor* fact_named(const std::vector<NamedTensor>& facts, const std::string& sanitised) {
  const auto at = std::find_if(facts.begin(), facts.end(), [&](const NamedTensor& fact) {
    return support::sanitized(fact.name) == sanitised;
  });
  return at == facts.end() ? nullptr : &*at;
}

/// TVM's own name for an output in metadata and header.
std::string default_output(std::size_t position, std::size_t count) {
  return count == 1 ? "output" : "output" + std::to_string(position);
}

bool are_default_outputs(const std::vector<NamedTensor>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (fact_named(outputs, default_output(i, outputs.size())) == nullptr) return false;
  }
  return true;
}

/// The statements of the archive about all inputs, or about all outputs.
struct StatedNames {
  const std::optional<std::vector<NamedTensor>>& tensors;
  const std::vector<std::string>& fields;
  const std::vector<NamedTensor>& declared;
};

/// Main in generated C does not state the shapes of its parameters.
void adopt_type(PortPlan& port, const NamedTensor& stated) {
  if (port.type.shape) return;
  if (port.type.dtype.is_void()) port.type.dtype = stated.type.dtype;
  // Two equal names may mean different tensors, so sizes must agree; a header has only sizes.
  const bool is_size_alone = stated.type.dtype.is_void() && !stated.type.shape;
  if (!is_size_alone && port.type.dtype != stated.type.dtype) return;
  port.type.shape = stated.type.shape;
  const auto element = static_cast<std::uint64_t>(port.type.dtype.element_bytes()) *
                       static_cast<std::uint64_t>(port.type.dtype.lanes);
  if (port.type.shape || !stated.bytes || element == 0 || *stated.bytes % element != 0) return;
  // The size is known but the dimensions are not: uses one dimension with this size.
  port.type.shape = {static_cast<std::int64_t>(*stated.bytes / element)};
  port.is_sized_by_header = is_size_alone;
}

/// Names in the order of the parameters; empty if only the parameters' own names can match them.
std::vector<std::string> names_by_position(const StatedNames& stated,
                                           std::span<const PortPlan> ports) {
  const std::size_t count = ports.size();
  // The C header has its fields in the order of the parameters. metadata.json sorts by name, so
  // only the numbers in TVM's own names give an order there. Packed archives of TVM before v0.11
  // state no names for people; those for TVM's C++ runtime are the same as in later archives.
  if (stated.fields.size() == count) return stated.fields;
  std::vector<std::string> names;
  const bool are_default =
      stated.tensors ? stated.tensors->size() == count && are_default_outputs(*stated.tensors)
                     : are_counted_outputs(ports);
  if (!are_default) return names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(default_output(i, count));
  return names;
}

void check_size(const PortPlan& port, const NamedTensor& fact, Topology& topology) {
  const auto bytes = port.type.bytes();
  if (!bytes || !fact.bytes || *bytes == *fact.bytes) return;
  topology.checks.push_back({CheckCode::io_mismatch, "'" + fact.name + "' has " +
                                                         std::to_string(*fact.bytes) +
                                                         " bytes in the metadata and " +
                                                         std::to_string(*bytes) + " in main"});
}

/// TIR has sanitised names ("conv_0"); metadata has those of Relay ("conv:0"), which users chose.
/// The network gets the latter.
void adopt_names(std::span<PortPlan> ports, const StatedNames& stated, Topology& topology) {
  const bool in_order = std::none_of(ports.begin(), ports.end(), is_planned);
  const auto by_position = in_order ? names_by_position(stated, ports) : std::vector<std::string>();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    PortPlan& port = ports[i];
    if (!by_position.empty()) port.name = by_position[i];
    const NamedTensor* declared = fact_named(stated.declared, support::sanitized(port.name));
    // v0.8 names all inputs "input"; they have the order of Relay's main.
    if (declared == nullptr && by_position.empty() && in_order && !port.is_output &&
        port.parameter == "input" && stated.declared.size() == ports.size()) {
      declared = &stated.declared[i];
    }
    if (declared != nullptr) adopt_type(port, *declared);
    if (!stated.tensors) continue;
    const NamedTensor* fact = fact_named(*stated.tensors, support::sanitized(port.name));
    if (fact == nullptr) continue;
    adopt_type(port, *fact);
    check_size(port, *fact, topology);
    // Last, because all code above looks for the sanitised name.
    port.name = fact->name;
  }
}

/// Takes the types that Relay's main has for its results, unless they are in pools, which have lost
/// their order, or metadata has other sizes.
void adopt_declared(std::span<PortPlan> outputs, const ModuleFacts& facts) {
  const std::vector<TensorType>& declared = facts.declared_outputs;
  if (std::any_of(outputs.begin(), outputs.end(), is_planned) || declared.size() != outputs.size())
    return;
  if (facts.outputs) {
    std::uint64_t own = 0;
    std::uint64_t stated = 0;
    for (const TensorType& type : declared) own = sum_of(own, type.bytes().value_or(0));
    for (const NamedTensor& one : *facts.outputs) {
      if (!one.bytes) return;
      stated = sum_of(stated, *one.bytes);
    }
    if (own != stated) return;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) adopt_type(outputs[i], {{}, {}, declared[i]});
}

/// Inputs and outputs in pools have lost the order of their parameters: moves those that are
/// written first to the end.
void order_planned_ports(std::vector<PortPlan>& ports) {
  if (std::none_of(ports.begin(), ports.end(), is_planned)) return;
  std::stable_partition(ports.begin(), ports.end(),
                        [](const PortPlan& port) { return port.use != PortUse::write; });
}

/// The number of outputs in the metadata, if it fits the number of parameters.
std::optional<std::size_t> stated_outputs(const std::vector<PortPlan>& ports,
                                          const ModuleFacts& facts, Topology& topology) {
  // TVM makes the header from the same parameters as main, so it has priority over metadata.
  const std::size_t fields = facts.input_fields.size() + facts.output_fields.size();
  if (fields != 0 && fields == ports.size()) return facts.output_fields.size();
  if (!facts.outputs) return std::nullopt;
  const std::size_t outputs = facts.outputs->size();
  const std::size_t named = outputs + (facts.inputs ? facts.inputs->size() : 0);
  const bool fits = facts.inputs ? named == ports.size() : named <= ports.size();
  if (fits) return outputs;
  topology.checks.push_back({CheckCode::io_mismatch, "metadata names " + std::to_string(named) +
                                                         " inputs and outputs, main has " +
                                                         std::to_string(ports.size())});
  return std::nullopt;
}

}  // namespace

void plan_ports(ParameterTable& parameters, const MainBody& body, KernelLibrary& kernels,
                const ModuleFacts* facts, Topology& topology) {
  // The number of outputs comes first: the names depend on it, because inputs and outputs are named
  // separately.
  const auto stated = facts != nullptr ? stated_outputs(parameters.ports, *facts, topology)
                                       : std::optional<std::size_t>();
  PortUses(parameters, kernels).note(body);
  order_planned_ports(parameters.ports);
  const std::size_t first =
      stated ? parameters.ports.size() - *stated : first_output(parameters.ports);
  for (std::size_t i = first; i < parameters.ports.size(); ++i)
    parameters.ports[i].is_output = true;
  if (facts == nullptr) return;
  const std::span<PortPlan> ports(parameters.ports);
  adopt_declared(ports.subspan(first), *facts);
  adopt_names(ports.first(first), {facts->inputs, facts->input_fields, facts->declared}, topology);
  adopt_names(ports.subspan(first), {facts->outputs, facts->output_fields, facts->declared},
              topology);
}

}  // namespace mlf::graph
