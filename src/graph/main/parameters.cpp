#include "graph/main/parameters.h"

#include <algorithm>

#include "graph/node_queries.h"
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

// The planner's pools are bytes: the Buffer of a pool is "<pool>_<k>_buffer_var", or, after TVM
// drops the map, the parameter is a pointer to uint8.
bool is_pool(const MainParameter& parameter, Node param, bool is_packed) {
  if (tir::pool_name(parameter.name).empty()) return false;
  if (parameter.buffer) {
    const std::string_view name = parameter.buffer.text(f::Buffer::name);
    return name.ends_with(kDataSuffix) &&
           parameter.buffer.dtype(f::Buffer::dtype) == tir::DType::UInt(8);
  }
  return is_packed || points_to_bytes(param);
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
  if (!allocated.is(Kind::AllocatedPoolInfo)) return result;
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
  // USMP sets it on main and on kernels, with one entry for each pool.
  const Node list = attribute_of(main, "pool_args");
  if (!list.is(Kind::Array)) return result;
  for (const Node allocated : list.list(f::Array::elements)) {
    result.push_back(pool_argument(allocated));
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

/// An input or output inside a pool (`tir.usmp.use_workspace_io`), which has no parameter. The map
/// of buffers still lists it.
struct PlannedPort {
  PortPlan plan;
  std::size_t rank = 0;
};

std::vector<PlannedPort> planned_ports(Node main, const MainBody& body) {
  // Its parameters are gone, and TVM leaves the map stale; types and order in it are still correct.
  const tir::NodeMap buffers = main.map(f::PrimFunc::buffer_map);
  std::vector<PlannedPort> ports;
  for (const auto& [var, named] : body.alias_addresses) {
    const std::string& name = named.name;
    if (!name.ends_with(kPlannedSuffix)) continue;
    PlannedPort port{{StorageKey{StorageKeyKind::alias, var}, {}, name, {}}, buffers.size()};
    port.plan.name = name.substr(0, name.size() - kPlannedSuffix.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const std::string_view data = buffers.value(i)[f::Buffer::data].text(f::Var::name);
      if (data != port.plan.name + std::string(kDataSuffix)) continue;
      port.plan.type = type_of_buffer(buffers.value(i));
      port.rank = i;
    }
    ports.push_back(std::move(port));
  }
  std::stable_sort(ports.begin(), ports.end(),
                   [](const PlannedPort& a, const PlannedPort& b) { return a.rank < b.rank; });
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

ParameterTable::ParameterUse add_tensor(ParameterTable& table, const MainParameter& parameter,
                                        std::uint32_t i) {
  PortPlan port{StorageKey{StorageKeyKind::parameter, i}, port_name(parameter), parameter.name, {}};
  if (parameter.buffer) port.type = type_of_buffer(parameter.buffer);
  table.ports.push_back(std::move(port));
  return {};
}

ParameterTable::ParameterUse add_pool(ParameterTable& table, const MainParameter& parameter,
                                      const std::vector<PoolArgument>& arguments,
                                      const ModuleFacts* facts) {
  Pool pool;
  pool.name = tir::pool_name(parameter.name);
  pool.parameter = parameter.name;
  if (parameter.buffer) pool.bytes = type_of_buffer(parameter.buffer).bytes();
  complete(pool, table.pools.size(), arguments, facts);
  table.pools.push_back(std::move(pool));
  return {RoleKind::pool, static_cast<PoolId>(table.pools.size() - 1)};
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
  const ParameterUse& parameter = parameters[address.root];
  if (parameter.kind == RoleKind::context) return {RoleKind::context};
  if (parameter.kind == RoleKind::tensor) {
    return {RoleKind::tensor, StorageKey{StorageKeyKind::parameter, address.root}};
  }
  // Main passes the pool itself to kernels with workspaces or constants in it.
  if (!address.inside) return {RoleKind::pool, {}, parameter.pool};
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

ParameterTable classify_parameters(Node main, const MainBody& body, const ModuleFacts* facts) {
  ParameterTable table;
  table.is_packed = body.is_packed;
  const std::vector<PoolArgument> arguments = pool_arguments(main);
  const tir::NodeList params = main.list(f::PrimFunc::params);
  for (std::uint32_t i = 0; i < body.parameters.size(); ++i) {
    const MainParameter& parameter = body.parameters[i];
    const Node param = body.is_packed || i >= params.size() ? Node() : params[i];
    // Tests the name first: a context is a handle, but v0.8 also declares all tensors as handles.
    if (is_context_name(parameter.name)) {
      table.parameters.push_back({RoleKind::context, {}});
    } else if (is_pool(parameter, param, body.is_packed)) {
      table.parameters.push_back(add_pool(table, parameter, arguments, facts));
    } else {
      table.parameters.push_back(add_tensor(table, parameter, i));
    }
  }
  for (PlannedPort& port : planned_ports(main, body)) table.ports.push_back(std::move(port.plan));
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

}  // namespace mlf::graph
