// Reads Relay's main from the module attribute `main_func_info` into a network.
#include <map>
#include <unordered_map>

#include "graph/network/completion.h"
#include "graph/node_queries.h"
#include "support/lookup.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// The tensors of a Relay expression: one, or those of a tuple.
using Tensors = std::vector<ValueId>;

/// AOT sets `main_func_info` on the module: a FunctionInfo with Relay's main for each target. Only
/// save_json contains it; texts print the attribute without its content.
Node main_function(Node module) {
  const Node attrs = module[f::IRModule::attrs];
  if (!attrs.is(Kind::DictAttrs)) return {};
  const Node info = attrs.map(f::DictAttrs::dict).find("main_func_info");
  if (!info.is(Kind::FunctionInfo)) return {};
  const Node functions = info[f::FunctionInfo::relay_primfuncs];
  if (!functions.is(Kind::ObjectMap)) return {};
  const tir::NodeMap map = functions.map(f::ObjectMap::entries);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map.value(i).is(Kind::RelayFunction)) return map.value(i);
  }
  return {};
}

/// The tensor types below a Relay type, in order; tuples are flattened.
std::vector<TensorType> tensor_types(Node type) {
  std::vector<TensorType> result;
  std::vector<Node> stack{type};
  while (!stack.empty()) {
    const Node next = stack.back();
    stack.pop_back();
    if (next.is(Kind::TupleType)) {
      const tir::NodeList fields = next.list(f::TupleType::fields);
      for (std::size_t i = fields.size(); i-- > 0;) stack.push_back(fields[i]);
    } else if (next.is(Kind::TensorType)) {
      TensorType tensor =
          type_of(next.dtype(f::TensorType::dtype), next.list(f::TensorType::shape));
      if (!tensor.bytes()) tensor.shape.reset();
      result.push_back(std::move(tensor));
    }
  }
  return result;
}

// `on_device` only says where a value is.
Node without_on_device(Node expr) {
  while (expr.is(Kind::RelayCall)) {
    const Node op = expr[f::RelayCall::op];
    const tir::NodeList args = expr.list(f::RelayCall::args);
    if (!op.is(Kind::Op) || op.text(f::Op::name) != "on_device" || args.size() != 1) break;
    expr = args[0];
  }
  return expr;
}

/// Reads lets from the outermost in. Their values are calls, tuples, elements of tuples and
/// constants; arguments are variables. Fails at any other expression, because a partial network is
/// useless for the comparison.
class RelayReader {
 public:
  explicit RelayReader(Node function) : function_(function) {}

  std::optional<Topology> run() && {
    topology_.provenance.kind = ProvenanceKind::relay;
    if (!inputs()) return std::nullopt;
    Node body = function_[f::RelayFunction::body];
    while (body.is(Kind::RelayLet)) {
      const auto tensors = tensors_of(body[f::RelayLet::value]);
      if (!tensors) return std::nullopt;
      vars_.insert_or_assign(tir::index(body[f::RelayLet::var].id()), *tensors);
      body = body[f::RelayLet::body];
    }
    const auto result = tensors_of(body);
    if (!result) return std::nullopt;
    outputs(*result);
    return std::move(topology_);
  }

 private:
  // Before planning, every value has its own memory.
  ValueId add(std::string name, ValueKind kind, TensorType type) {
    Storage storage;
    storage.name = name;
    storage.bytes = type.bytes();
    topology_.storages.push_back(std::move(storage));
    Value value;
    value.name = std::move(name);
    value.kind = kind;
    value.storage = static_cast<StorageId>(topology_.storages.size() - 1);
    value.bytes = type.bytes();
    value.type = std::move(type);
    topology_.values.push_back(std::move(value));
    return static_cast<ValueId>(topology_.values.size() - 1);
  }

  bool inputs() {
    for (const Node param : function_.list(f::RelayFunction::params)) {
      if (!param.is(Kind::RelayVar)) return false;
      const Node id = param[f::RelayVar::vid];
      const std::string name(id.is(Kind::RelayId) ? id.text(f::RelayId::name_hint) : "");
      // One parameter may be a tuple: several inputs of one name.
      Tensors& tensors = vars_[tir::index(param.id())];
      for (const TensorType& type : tensor_types(param[f::RelayVar::checked_type])) {
        tensors.push_back(add(name, ValueKind::input, type));
        topology_.inputs.push_back({name, name, type, tensors.back()});
      }
    }
    return true;
  }

  std::optional<Tensors> all_of(tir::NodeList exprs) {
    Tensors all;
    for (const Node expr : exprs) {
      const auto tensors = atom(expr);
      if (!tensors) return std::nullopt;
      all.insert(all.end(), tensors->begin(), tensors->end());
    }
    return all;
  }

  Tensors constant(Node expr) {
    Tensors tensors;
    // Relay's constants have no names. A constant with two uses becomes two values, which the
    // comparison treats as equal.
    const std::string name = "constant_" + std::to_string(tir::index(expr.id()));
    for (const TensorType& type : tensor_types(expr[f::RelayConstant::checked_type])) {
      tensors.push_back(add(name, ValueKind::constant, type));
    }
    return tensors;
  }

  // In A-normal form arguments are variables or constants.
  std::optional<Tensors> atom(Node expr) {
    expr = without_on_device(expr);
    if (expr.is(Kind::RelayConstant)) return constant(expr);
    if (!expr.is(Kind::RelayVar)) return std::nullopt;
    return support::value_at(vars_, tir::index(expr.id()));
  }

  std::optional<Tensors> element(Node expr) {
    const Node tuple = without_on_device(expr[f::RelayTupleGetItem::tuple_value]);
    const auto tensors = atom(tuple);
    const auto position = static_cast<std::size_t>(expr.integer(f::RelayTupleGetItem::index));
    // Only a tuple of plain tensors has one for each position.
    const Node type = tuple.is(Kind::RelayVar) ? tuple[f::RelayVar::checked_type] : Node();
    if (!tensors || !type.is(Kind::TupleType) || position >= tensors->size() ||
        type.list(f::TupleType::fields).size() != tensors->size()) {
      return std::nullopt;
    }
    return Tensors{(*tensors)[position]};
  }

  // CallLoweredAttrs contain the attributes of the Relay function: its hash, and whether it only
  // reshapes.
  KernelId kernel(Node callee, Node call) {
    const std::string_view name = callee.text(f::GlobalVar::name_hint);
    const auto known = kernels_.find(name);
    if (known != kernels_.end()) return known->second;
    Kernel made;
    made.symbol = name;
    made.function = name;
    const Node attrs = call[f::RelayCall::attrs];
    const Node metadata =
        attrs.is(Kind::CallLoweredAttrs) ? attrs[f::CallLoweredAttrs::metadata] : Node();
    if (metadata.is(Kind::StringMap)) {
      const Node relay = metadata.map(f::StringMap::entries).find("relay_attrs");
      if (relay.is(Kind::DictAttrs)) {
        const tir::NodeMap dict = relay.map(f::DictAttrs::dict);
        made.hash = string_of(dict.find("hash"));
        const Node reshape = dict.find("relay.reshape_only");
        made.is_reshape = reshape && integer_of(reshape).value_or(0) != 0;
      }
    }
    const auto id = static_cast<KernelId>(topology_.kernels.size());
    topology_.kernels.push_back(std::move(made));
    kernels_.emplace(name, id);
    return id;
  }

  // `call_lowered(@kernel, (inputs))`, or a plain call `@kernel(inputs)`.
  std::optional<Tensors> call(Node expr) {
    const Node op = expr[f::RelayCall::op];
    const tir::NodeList args = expr.list(f::RelayCall::args);
    if (op.is(Kind::GlobalVar)) return call_of(op, args, expr);
    const bool is_lowered = op.is(Kind::Op) && op.text(f::Op::name) == "call_lowered";
    if (!is_lowered || args.size() != 2 || !args[0].is(Kind::GlobalVar)) return std::nullopt;
    const Node tuple = without_on_device(args[1]);
    if (!tuple.is(Kind::RelayTuple)) return std::nullopt;
    return call_of(args[0], tuple.list(f::RelayTuple::fields), expr);
  }

  std::optional<Tensors> call_of(Node callee, tir::NodeList inputs, Node expr) {
    const auto read = all_of(inputs);
    if (!read) return std::nullopt;
    const auto id = static_cast<std::uint32_t>(topology_.calls.size());
    Call call;
    call.kernel = kernel(callee, expr);
    // No copies or hooks here: positions count calls.
    call.position = id;
    call.name = callee.text(f::GlobalVar::name_hint);
    const auto argument = [&](Direction direction, ValueId value) {
      Argument made;
      made.direction = direction;
      made.decided_by = DecidedBy::relay;
      made.storage = topology_[value].storage;
      made.type = topology_[value].type;
      call.arguments.push_back(std::move(made));
      return Endpoint{EndpointKind::call, id,
                      static_cast<std::uint32_t>(call.arguments.size() - 1)};
    };
    for (const ValueId value : *read) {
      const Endpoint end = argument(Direction::input, value);
      call.arguments.back().reads = value;
      topology_.values[index(value)].consumers.push_back(end);
      topology_.values[index(value)].last_use = id;
    }
    Tensors results;
    for (const TensorType& type : tensor_types(expr[f::RelayCall::checked_type])) {
      const ValueId value =
          add("value_" + std::to_string(topology_.values.size()), ValueKind::computed, type);
      const Endpoint end = argument(Direction::output, value);
      call.arguments.back().writes = value;
      topology_.values[index(value)].producer = end;
      topology_.values[index(value)].first_definition = id;
      results.push_back(value);
    }
    topology_.calls.push_back(std::move(call));
    return results;
  }

  std::optional<Tensors> tensors_of(Node expr) {
    expr = without_on_device(expr);
    if (expr.is(Kind::RelayTuple)) return all_of(expr.list(f::RelayTuple::fields));
    if (expr.is(Kind::RelayTupleGetItem)) return element(expr);
    if (!expr.is(Kind::RelayCall)) return atom(expr);
    // If TVM removed a reshape (v0.10+), the variable of its result is bound to the call that made
    // its input.
    const auto known = calls_.find(tir::index(expr.id()));
    if (known != calls_.end()) return known->second;
    const auto results = call(expr);
    if (results) calls_.emplace(tir::index(expr.id()), *results);
    return results;
  }

  void outputs(const Tensors& tensors) {
    for (const ValueId value : tensors) {
      // The comparison ignores names of outputs.
      const std::string name = "output" + std::to_string(topology_.outputs.size());
      topology_.outputs.push_back({name, name, topology_[value].type, value});
    }
  }

  Node function_;
  Topology topology_;
  std::unordered_map<std::uint32_t, Tensors> vars_;
  std::unordered_map<std::uint32_t, Tensors> calls_;
  std::map<std::string, KernelId, std::less<>> kernels_;
};

}  // namespace

std::optional<Topology> relay_main(Node module) {
  if (!module.is(Kind::IRModule)) return std::nullopt;
  const Node function = main_function(module);
  if (!function) return std::nullopt;
  return RelayReader(function).run();
}

}  // namespace mlf::graph
