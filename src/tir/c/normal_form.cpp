// The common part of two modules: one was captured before the host passes, the other was read from
// their output.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"
#include "support/characters.h"
#include "tir/c/c.h"
#include "tir/c/language.h"
#include "tir/interval.h"
#include "tir/node_queries.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir {
namespace c {
namespace {

constexpr DType kWide = DType::Int(64);
// The multiplier 0.5 with 31 fractional bits: only a shift remains.
constexpr std::int64_t kOneHalf = std::int64_t{1} << 30;

class Expander {
 public:
  Expander(text::ExprFactory& make, Ternary ternary) : make_(make), ternary_(ternary) {}

  /// q_multiply_shift(x, multiplier, fractional bits, shift) in 64 bits.
  NodeId multiply_shift(std::span<const NodeId> args) {
    const std::int64_t amount = integer(args[3]);
    if (integer(args[1]) == kOneHalf) return power_of_two(args[0], amount - integer(args[2]) + 30);
    const NodeId left = make_.int32(amount > 0 ? amount : 0);
    const NodeId right = make_.int32(amount > 0 ? 0 : -amount);
    const NodeId x = wide(args[0]);
    const NodeId is_shifted = make_.binary(Kind::NE, left, make_.int32(0));
    const NodeId shifted = choice(is_shifted, shift_left(x, wide(left)), x);
    const NodeId product = make_.binary(Kind::Mul, shifted, make_.int_imm(kWide, integer(args[1])));
    return rounded_shift(product, make_.binary(Kind::Add, right, args[2]));
  }

  /// The same with a multiplier and shifts for each channel; flags state which shifts exist.
  NodeId multiply_shift_per_axis(std::span<const NodeId> args) {
    NodeId x = wide(args[0]);
    const bool shifts_left = integer(args[5]) != 0;
    const bool shifts_right = integer(args[6]) != 0;
    if (shifts_left) x = shift_left(x, wide(args[2]));
    const NodeId product = make_.binary(Kind::Mul, x, wide(args[1]));
    const NodeId total = shifts_right ? make_.binary(Kind::Add, args[3], args[4]) : args[4];
    return rounded_shift(product, total);
  }

  /// `1 / (1 + exp(0 - x))`
  NodeId sigmoid(NodeId x) {
    const DType dtype = make_.dtype_of(x);
    const NodeId one = make_.float_imm(dtype, 1);
    const NodeId negative = make_.binary(Kind::Sub, make_.float_imm(dtype, 0), x);
    const NodeId power = make_.call(make_.op("tir.exp"), std::array{negative}, dtype);
    return make_.binary(Kind::Div, one, make_.binary(Kind::Add, one, power));
  }

  /// `1 / sqrt(x)`
  NodeId rsqrt(NodeId x) {
    const DType dtype = make_.dtype_of(x);
    const NodeId root = make_.call(make_.op("tir.sqrt"), std::array{x}, dtype);
    return make_.binary(Kind::Div, make_.float_imm(dtype, 1), root);
  }

  /// tvm_stack_make_array(data, shape, strides, dimensions, zero of the element's dtype, offset).
  /// Versions spell missing strides, the number of dimensions and the zero in different ways before
  /// they become fields of a struct.
  NodeId stack_array(std::span<const NodeId> args, DType dtype) {
    std::vector<NodeId> filled(args.begin(), args.end());
    if (is_int32(args[2]) && integer(args[2]) == 0) {
      const std::array zero = {make_.int_imm(DType::UInt(64), 0)};
      filled[2] = make_.call(make_.op("tir.reinterpret"), zero, DType::Handle());
    }
    if (is_int32(args[3])) filled[3] = make_.int_imm(DType::UInt(32), integer(args[3]));
    if (is_zero(args[4])) filled[4] = make_.cast(make_.dtype_of(args[4]), make_.int32(0));
    return make_.call(make_.op("tir.tvm_stack_make_array"), filled, dtype);
  }

 private:
  std::int64_t integer(NodeId id) const {
    return make_.builder().node(id).integer(f::IntImm::value);
  }
  bool is_int32(NodeId id) const {
    const Node node = make_.builder().node(id);
    return node.is(Kind::IntImm) && node.dtype() == DType::Int(32);
  }
  bool is_zero(NodeId id) const {
    const Node node = make_.builder().node(id);
    return node.is(Kind::FloatImm) ? node.real(f::FloatImm::value) == 0
                                   : node.is(Kind::IntImm) && integer(id) == 0;
  }
  NodeId shift(std::string_view op, NodeId a, NodeId b) {
    return make_.call(make_.op(op), std::array{a, b}, make_.dtype_of(a));
  }
  NodeId shift_left(NodeId a, NodeId b) { return shift("tir.shift_left", a, b); }
  NodeId shift_right(NodeId a, NodeId b) { return shift("tir.shift_right", a, b); }
  NodeId choice(NodeId condition, NodeId a, NodeId b) {
    if (ternary_ == Ternary::select) return make_.select(condition, a, b);
    return make_.call(make_.op("tir.if_then_else"), std::array{condition, a, b}, make_.dtype_of(a));
  }
  NodeId wide(NodeId value) { return make_.cast(kWide, value); }

  /// A multiplier of one half: a shift to the left, or a rounding shift to the right.
  NodeId power_of_two(NodeId x, std::int64_t exponent) {
    if (exponent > 0) return shift_left(x, make_.int32(exponent));
    const std::int64_t rounding = exponent < 0 ? std::int64_t{1} << (-exponent - 1) : 0;
    const NodeId rounded = make_.binary(Kind::Add, x, make_.int32(rounding));
    return shift_right(rounded, make_.int32(-exponent));
  }

  /// `(product + (1 << (total - 1))) >> total`: rounds half up before the shift.
  NodeId rounded_shift(NodeId product, NodeId total) {
    const NodeId one = make_.int_imm(kWide, 1);
    const NodeId before = make_.binary(Kind::Sub, total, make_.int32(1));
    const NodeId rounding = shift_left(one, wide(before));
    const NodeId sum = make_.binary(Kind::Add, product, rounding);
    return make_.cast(DType::Int(32), shift_right(sum, wide(total)));
  }

  text::ExprFactory& make_;
  Ternary ternary_;
};

/// Only calls with the arguments that TVM gives them; others stay calls or are not printed. Never
/// expands vectors, because the generator spells their operators in another way.
std::optional<NodeId> expand(text::ExprFactory& make, std::string_view op, DType dtype,
                             std::span<const NodeId> args, Ternary ternary) {
  if (!dtype.is_scalar()) return std::nullopt;
  Expander expander(make, ternary);
  const auto is_number = [&](std::size_t i) {
    const Node arg = make.builder().node(args[i]);
    return arg.is(Kind::IntImm) && arg.dtype() == DType::Int(32);
  };
  const auto is_flag = [&](std::size_t i) {
    const Node arg = make.builder().node(args[i]);
    return arg.is(Kind::IntImm) && (arg.dtype().is_bool() || arg.dtype() == DType::Int(32));
  };
  const auto is_shift = [&](std::size_t i) {
    if (!is_number(i)) return false;
    const std::int64_t amount = make.builder().node(args[i]).integer(f::IntImm::value);
    return -32 < amount && amount < 32;
  };
  // q_multiply_shift is defined for int32 only.
  const bool is_int32 = dtype == DType::Int(32);
  if (is_int32 && op == "tir.q_multiply_shift" && args.size() == 4 && is_number(1) && is_shift(2) &&
      is_shift(3)) {
    return expander.multiply_shift(args);
  }
  if (is_int32 && op == "tir.q_multiply_shift_per_axis" && args.size() == 7 && is_flag(5) &&
      is_flag(6)) {
    return expander.multiply_shift_per_axis(args);
  }
  const bool keeps_dtype = args.size() == 1 && make.dtype_of(args[0]) == dtype;
  if (op == "tir.sigmoid" && keeps_dtype) return expander.sigmoid(args[0]);
  if (op == "tir.rsqrt" && keeps_dtype) return expander.rsqrt(args[0]);
  if (op == "tir.tvm_stack_make_array" && args.size() == 6)
    return expander.stack_array(args, dtype);
  return std::nullopt;
}

/// Whether C has nothing of a field.
bool is_reset(Kind kind, std::uint8_t field) {
  switch (kind) {
    case Kind::IRModule:
      return field != f::IRModule::functions;
    case Kind::GlobalVar:
      return field != f::GlobalVar::name_hint;
    case Kind::PrimFunc:
      return field == f::PrimFunc::checked_type || field == f::PrimFunc::preflattened_buffer_map;
    case Kind::For:
      return field == f::For::annotations;
    case Kind::Allocate:
      return field == f::Allocate::annotations;
    case Kind::AllocateConst:
      return field == f::AllocateConst::irmod_storage_idx || field == f::AllocateConst::annotations;
    default:
      return false;
  }
}

/// The name of a pool. A text may refer to the pool's info in a section that it does not print;
/// then only the type of the info is known.
std::string_view pool_name(Node info) {
  const bool is_pool = info.is(Kind::PoolInfo) || info.is(Kind::WorkspacePoolInfo) ||
                       info.is(Kind::ConstantPoolInfo);
  if (is_pool) return info.text(f::PoolInfo::pool_name);
  return info.is(Kind::MissingObject) ? info.text(f::MissingObject::type_key) : std::string_view();
}

/// Names as C spells them, without the suffix that makes them unique.
std::string bare_name(std::string_view name) {
  std::string bare(name);
  for (char& c : bare) {
    if (!support::is_word_character(c)) c = '_';
  }
  const std::size_t last = bare.find_last_not_of("0123456789_");
  return last == std::string::npos ? std::string() : bare.substr(0, last + 1);
}

constexpr auto kDefaultType = static_cast<std::int64_t>(BufferType::default_);

/// A module that is reduced to what generated C can express.
struct Making {
  using NewNames = std::map<std::string_view, std::string_view>;

  const NewNames& new_names;
  const CodeOfUser& of_user;
  Ternary ternary;
  IntegerRanges ranges;
  std::vector<NodeId> map;  // the new node of each old one
  Builder builder{};
  LossLog losses{};
  text::ExprFactory make{builder, losses};
  std::vector<FieldValue> fields{};  // of the last node that `fields_of` was asked for
  std::unordered_map<std::uint32_t, Node> lets{};  // the values of variables that a Let defines
  std::map<std::pair<NodeId, std::uint32_t>, NodeId> buffers{};
  std::unordered_map<std::uint32_t, std::vector<Node>> constants{};  // by function, outermost first

  /// The new node for a node of the original.
  NodeId of(Node node) {
    if (!node) return NodeId::none;
    // Follows at most as many references as there are variables: malformed ones may form a cycle.
    for (std::size_t i = 0; i < lets.size(); ++i) {
      const auto let = lets.find(index(node.id()));
      if (let == lets.end()) break;
      node = let->second;
    }
    return map[index(node.id())];
  }

  /// The new nodes, for fields that are rebuilt.
  auto becoming() {
    return [this](Node node) { return of(node); };
  }

  /// A statement whose body is never printed gets an empty body.
  NodeId body_of(Node statement) {
    const NodeId body = of(statement);
    return body == NodeId::none ? nothing() : body;
  }

  /// A field with the new nodes in place of the old ones.
  FieldValue rebuilt_field(Node node, std::uint8_t i) {
    const FieldInfo& info = node.info().fields[i];
    const bool is_body = info.type == FieldType::node && info.expects == Expects::stmt;
    if (is_body && node.node(i)) return body_of(node.node(i));
    return copied_field(builder, node, i, becoming());
  }

  FieldValue field(Node node, std::uint8_t i) {
    if (!is_reset(node.kind(), i)) return rebuilt_field(node, i);
    if (node.info().fields[i].type == FieldType::node) return NodeId::none;
    return ListId::none;
  }

  /// The result is valid until the next call.
  std::span<FieldValue> fields_of(Node node) {
    fields.clear();
    for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) fields.push_back(field(node, i));
    return fields;
  }

  NodeId copy(Node node) { return builder.make(node.kind(), fields_of(node)); }

  NodeId nothing() { return builder.make(Kind::Evaluate, {make.int32(0)}); }
};

/// The only buffer with this element type on a pointer.
NodeId buffer_on(Making& to, NodeId data, DType dtype) {
  const auto [found, is_new] = to.buffers.try_emplace({data, dtype.packed()});
  if (is_new) found->second = to.make.buffer({.name = {}, .data = data, .dtype = dtype});
  return found->second;
}

/// A number whose value C states without its width: it gets 32 bits if they are enough.
NodeId narrowed(Making& to, NodeId id) {
  const Node number = to.builder.node(id);
  if (!number.is(Kind::IntImm) || number.dtype() == DType::Int(32)) return id;
  const std::int64_t value = number.integer(f::IntImm::value);
  return std::in_range<std::int32_t>(value) ? to.make.int32(value) : id;
}

/// The number of elements, if all extents are numbers.
ListId flat(Making& to, NodeList extents) {
  std::uint64_t count = 1;
  for (const Node extent : extents) {
    if (!extent.is(Kind::IntImm)) return copied(to.builder, extents, to.becoming());
    count *= static_cast<std::uint64_t>(extent.integer(f::IntImm::value));
  }
  const DType dtype = extents.empty() ? DType::Int(32) : extents[0].dtype();
  return to.builder.list({narrowed(to, to.make.int_imm(dtype, static_cast<std::int64_t>(count)))});
}

/// Adds a statement; of a sequence, its statements one by one.
void splice(Making& to, NodeId statement, std::vector<NodeId>& into) {
  if (statement == NodeId::none) return;
  const Node made = to.builder.node(statement);
  if (!made.is(Kind::SeqStmt)) return into.push_back(statement);
  for (const Node element : made.list(f::SeqStmt::seq)) into.push_back(element.id());
}

NodeId joined_once(Making& to, std::span<const NodeId> statements) {
  if (statements.empty()) return NodeId::none;
  if (statements.size() == 1) return statements.front();
  return to.builder.make(Kind::SeqStmt, {to.builder.list(statements)});
}

/// `let` with `rest` at the end of its scope, after other variables that are defined at its end.
NodeId governing(Making& to, NodeId let, std::vector<NodeId> rest) {
  struct Outer {
    NodeId let;
    std::vector<NodeId> before;  // its body, up to the statement whose scope contains the rest
  };
  std::vector<Outer> chain;
  while (let != NodeId::none) {
    std::vector<NodeId> body;
    splice(to, to.builder.node(let)[f::LetStmt::body].id(), body);
    const bool goes_on = to.builder.node(body.back()).is(Kind::LetStmt);
    const NodeId inner = goes_on ? body.back() : NodeId::none;
    if (goes_on) body.pop_back();
    chain.push_back({let, std::move(body)});
    let = inner;
  }
  for (std::size_t i = chain.size(); i > 0; --i) {
    Outer& outer = chain[i - 1];
    outer.before.insert(outer.before.end(), rest.begin(), rest.end());
    const Node node = to.builder.node(outer.let);
    const NodeId var = node[f::LetStmt::var].id();
    const NodeId value = node[f::LetStmt::value].id();
    rest = {to.builder.make(Kind::LetStmt, {var, value, joined_once(to, outer.before)})};
  }
  return rest.front();
}

/// Makes a sequence in which each variable's scope contains all statements after it.
NodeId joined(Making& to, std::vector<NodeId>& statements) {
  for (std::size_t i = statements.size(); i > 1; --i) {
    if (!to.builder.node(statements[i - 2]).is(Kind::LetStmt)) continue;
    const auto rest = statements.begin() + static_cast<std::ptrdiff_t>(i - 1);
    const NodeId all = governing(to, statements[i - 2], {rest, statements.end()});
    statements.resize(i - 2);
    statements.push_back(all);
  }
  return joined_once(to, statements);
}

/// The generator does not print a number as a statement. It prints a call of an external function
/// without its result type, because nothing uses the result.
NodeId rebuilt_evaluate(Making& to, Node node) {
  if (node[f::Evaluate::value].is(Kind::IntImm)) return NodeId::none;
  const Node value = to.builder.node(to.of(node[f::Evaluate::value]));
  if (!is_call_of(value, "tir.call_extern") || value.dtype() == DType::Int(32))
    return to.copy(node);
  const std::vector<NodeId> args = ids_of(value.list(f::Call::args));
  const NodeId call = to.make.call(value[f::Call::op].id(), args, DType::Int(32));
  return to.builder.make(Kind::Evaluate, {call});
}

/// Flattens nested sequences; replaces a sequence of one by its statement and removes an empty
/// one.
NodeId rebuilt_sequence(Making& to, Node node) {
  std::vector<NodeId> statements;
  for (const Node part : node.list(f::SeqStmt::seq)) {
    if (!to.of_user.statements.contains(part.id())) splice(to, to.of(part), statements);
  }
  return joined(to, statements);
}

/// bool is stored as a byte: `((int8_t)(cond))`.
NodeId rebuilt_store(Making& to, Node node) {
  std::span<FieldValue> fields = to.fields_of(node);
  if (node[f::BufferStore::value].dtype().is_bool()) {
    fields[f::BufferStore::value] = to.make.cast(DType::Int(8), to.of(node[f::BufferStore::value]));
  }
  return to.builder.make(Kind::BufferStore, fields);
}

/// Serial, parallel and unrolled loops are printed as the same `for`. The generator expands
/// vectorized loops and fails for thread loops: both stay unchanged.
NodeId rebuilt_loop(Making& to, Node node) {
  std::span<FieldValue> fields = to.fields_of(node);
  // vectorized and thread_binding stay.
  const auto kind = static_cast<ForKind>(node.integer(f::For::kind));
  if (kind == ForKind::parallel || kind == ForKind::unrolled) {
    fields[f::For::kind] = ForKind::serial;
  }
  return to.builder.make(Kind::For, fields);
}

/// The size becomes one number.
NodeId rebuilt_allocate(Making& to, Node node) {
  std::span<FieldValue> fields = to.fields_of(node);
  fields[f::Allocate::extents] = flat(to, node.list(f::Allocate::extents));
  return to.builder.make(Kind::Allocate, fields);
}

/// All other statements have their own form in C.
NodeId rebuilt_statement(Making& to, Node node) {
  switch (node.kind()) {
    // The generator prints only the bodies of these.
    case Kind::AttrStmt:
      return to.of(node[f::AttrStmt::body]);
    case Kind::AssertStmt:
      return to.of(node[f::AssertStmt::body]);
    case Kind::DeclBuffer:
      return to.of(node[f::DeclBuffer::body]);
    case Kind::AllocateConst:
      return to.of(node[f::AllocateConst::body]);
    case Kind::Evaluate:
      return rebuilt_evaluate(to, node);
    case Kind::SeqStmt:
      return rebuilt_sequence(to, node);
    case Kind::BufferStore:
      return rebuilt_store(to, node);
    case Kind::For:
      return rebuilt_loop(to, node);
    case Kind::Allocate:
      return rebuilt_allocate(to, node);
    default:
      return to.copy(node);
  }
}

/// A pool keeps its name, its size and its constants.
NodeId rebuilt_pool(Making& to, Node allocated) {
  const Node info = allocated[f::AllocatedPoolInfo::pool_info];
  std::vector<NodeId> constants;
  if (info.is(Kind::ConstantPoolInfo)) {
    for (const Node constant : info.list(f::ConstantPoolInfo::constant_info_array)) {
      constants.push_back(to.of(constant));
    }
    const auto offset = [&](NodeId id) {
      const Node at = to.builder.node(id)[f::ConstantInfo::byte_offset];
      return int_imm_of(at).value_or(0);
    };
    std::ranges::sort(constants, {}, offset);
  }
  const std::array fields = {
      NamedNode{to.builder.string("name"), to.make.string(pool_name(info))},
      NamedNode{to.builder.string("size"), to.of(allocated[f::AllocatedPoolInfo::allocated_size])},
      NamedNode{to.builder.string("parameter"),
                to.of(allocated[f::AllocatedPoolInfo::pool_var_idx])},
      NamedNode{to.builder.string("constants"),
                to.builder.make(Kind::Array, {to.builder.list(constants)})}};
  return to.builder.make(Kind::StringMap, {to.builder.map(std::span(fields))});
}

/// C contains only the pools among the attributes: as parameters, and as arrays in the file with
/// the entry point.
NodeId pool_args(Making& to, Node attrs) {
  if (!attrs.is(Kind::DictAttrs)) return NodeId::none;
  const Node pools = attrs.map(f::DictAttrs::dict).find("pool_args");
  if (!pools.is(Kind::Array) || pools.list(f::Array::elements).empty()) return NodeId::none;
  std::vector<NodeId> made;
  for (const Node allocated : pools.list(f::Array::elements)) {
    if (allocated.is(Kind::AllocatedPoolInfo)) made.push_back(rebuilt_pool(to, allocated));
  }
  const std::array entries = {NamedNode{to.builder.string("pool_args"),
                                        to.builder.make(Kind::Array, {to.builder.list(made)})}};
  return to.builder.make(Kind::DictAttrs, {to.builder.map(std::span(entries))});
}

/// In the order of the parameters.
ListId buffer_map(Making& to, Node function) {
  const NodeMap map = function.map(f::PrimFunc::buffer_map);
  std::vector<std::size_t> order;
  for (const Node param : function.list(f::PrimFunc::params)) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (map.key(i) == param) order.push_back(i);
    }
  }
  if (order.size() != map.size()) return copied_pairs(to.builder, map, to.becoming());
  std::vector<NodePair> entries;
  for (const std::size_t i : order) entries.push_back({to.of(map.key(i)), to.of(map.value(i))});
  return to.builder.map(entries);
}

/// An AllocateConst with another body: C declares arrays outside of functions.
NodeId constant_around(Making& to, NodeId body, Node constant) {
  std::span<FieldValue> fields = to.fields_of(constant);
  fields[f::AllocateConst::body] = body;
  fields[f::AllocateConst::extents] = flat(to, constant.list(f::AllocateConst::extents));
  return to.builder.make(Kind::AllocateConst, fields);
}

/// Moves constants outwards in their order; parameters and body stay.
NodeId rebuilt_function(Making& to, Node node) {
  const std::vector<Node>& constants = to.constants[index(node.id())];
  NodeId body = to.body_of(node[f::PrimFunc::body]);
  // The last one is the innermost.
  for (std::size_t i = constants.size(); i > 0; --i)
    body = constant_around(to, body, constants[i - 1]);
  std::span<FieldValue> fields = to.fields_of(node);
  fields[f::PrimFunc::buffer_map] = buffer_map(to, node);
  fields[f::PrimFunc::attrs] = pool_args(to, node[f::PrimFunc::attrs]);
  fields[f::PrimFunc::body] = body;
  return to.builder.make(Kind::PrimFunc, fields);
}

std::string_view name_of(const Making& to, Node global_var) {
  const std::string_view name = global_var.text(f::GlobalVar::name_hint);
  const auto renamed = to.new_names.find(name);
  return renamed == to.new_names.end() ? name : renamed->second;
}

NodeId global_var(Making& to, Node node) {
  std::span<FieldValue> fields = to.fields_of(node);
  fields[f::GlobalVar::name_hint] = to.builder.string(name_of(to, node));
  return to.builder.make(Kind::GlobalVar, fields);
}

/// Sorts functions by name: their order in the files depends on TVM's hash maps.
NodeId rebuilt_root(Making& to, Node node) {
  const NodeMap functions = node.map(f::IRModule::functions);
  std::vector<std::pair<std::string_view, NodePair>> named;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Node key = functions.key(i);
    const auto name = key.is(Kind::GlobalVar) ? name_of(to, key) : "";
    named.emplace_back(name, NodePair{to.of(key), to.of(functions.value(i))});
  }
  std::ranges::stable_sort(named, {}, &std::pair<std::string_view, NodePair>::first);
  std::vector<NodePair> entries;
  for (const auto& [name, entry] : named) entries.push_back(entry);
  std::span<FieldValue> fields = to.fields_of(node);
  fields[f::IRModule::functions] = to.builder.map(entries);
  return to.builder.make(Kind::IRModule, fields);
}

/// Scalar variables keep their types. The element type of a pointer follows from its uses.
NodeId type_of_variable(Making& to, Node node) {
  const Node type = node[f::Var::type_annotation];
  if (node.dtype().is_handle()) return NodeId::none;
  return type ? to.of(type) : to.make.prim_type(node.dtype());
}

/// C does not distinguish SizeVar from Var.
NodeId rebuilt_variable(Making& to, Node node) {
  const std::string name = bare_name(node.text(f::Var::name));
  return to.builder.make(Kind::Var,
                         {node.dtype(), to.builder.string(name), type_of_variable(to, node)});
}

/// Keeps strides and offsets: the indices of C contain them, so a difference in them is a
/// difference.
NodeId strided_buffer(Making& to, Node node, NodeId data, DType dtype) {
  std::span<FieldValue> fields = to.fields_of(node);
  fields[f::Buffer::data] = data;
  fields[f::Buffer::dtype] = dtype;
  fields[f::Buffer::shape] = to.builder.list({});
  fields[f::Buffer::name] = to.builder.string({});
  fields[f::Buffer::data_alignment] = 0;
  fields[f::Buffer::offset_factor] = 0;
  return to.builder.make(Kind::Buffer, fields);
}

/// Merges buffers on a pointer that have the same elements, and removes names and shapes.
NodeId rebuilt_buffer(Making& to, Node node) {
  const DType dtype = stored_dtype(node.dtype(f::Buffer::dtype));
  const NodeId data = to.of(node[f::Buffer::data]);
  const Node offset = node[f::Buffer::elem_offset];
  const bool starts_at_zero = !offset || is_int_imm(offset, 0);
  const bool is_plain = node.list(f::Buffer::strides).empty() && starts_at_zero &&
                        node.list(f::Buffer::axis_separators).empty() &&
                        node.integer(f::Buffer::buffer_type) == kDefaultType;
  return is_plain ? buffer_on(to, data, dtype) : strided_buffer(to, node, data, dtype);
}

/// Constants have one dimension.
NodeId rebuilt_array(Making& to, Node node) {
  std::uint64_t count = 1;
  for (const std::int64_t size : node.integers(f::NDArray::shape)) {
    count *= static_cast<std::uint64_t>(size);
  }
  const auto flat = static_cast<std::int64_t>(count);
  std::span<FieldValue> fields = to.fields_of(node);
  fields[f::NDArray::shape] = to.builder.integers(std::span(&flat, 1));
  return to.builder.make(Kind::NDArray, fields);
}

/// Up to v0.15, Select and if_then_else are printed alike.
NodeId rebuilt_choice(Making& to, Node select) {
  if (to.ternary == Ternary::select) return to.copy(select);
  const std::array args{to.of(select[f::Select::condition]), to.of(select[f::Select::true_value]),
                        to.of(select[f::Select::false_value])};
  return to.make.call(to.make.op("tir.if_then_else"), args, select.dtype());
}

/// The generator prints seven digits.
NodeId float_imm(Making& to, Node node) {
  const double exact = node.real(f::FloatImm::value);
  const std::string printed = fmt::format("{:.6e}", exact);
  double value = exact;
  std::from_chars(printed.data(), printed.data() + printed.size(), value);
  return to.make.float_imm(node.dtype(), value);
}

/// A load of bool reads a byte and casts it: `((bool)((int8_t*)b)[i])`.
NodeId rebuilt_load(Making& to, Node node) {
  std::span<FieldValue> fields = to.fields_of(node);
  fields[f::BufferLoad::dtype] = stored_dtype(node.dtype());
  const NodeId loaded = to.builder.make(Kind::BufferLoad, fields);
  return node.dtype().is_bool() ? to.make.cast(node.dtype(), loaded) : loaded;
}

/// Takes multiples of the divisor out of the dividend. LowerIntrin adds one where the dividend
/// may be negative, and takes it off the quotient. A sum of unsigned numbers may wrap around.
NodeId rounded_down(Making& to, Kind kind, DType dtype, NodeId a, NodeId b) {
  const Node sum = to.builder.node(a);
  const std::int64_t divisor = int_imm_of(to.builder.node(b)).value_or(0);
  const std::int64_t added = sum.is(Kind::Add) ? int_imm_of(sum[f::Add::b]).value_or(0) : 0;
  if (!dtype.is_int() || divisor <= 0 || added < divisor)
    return to.builder.make(kind, {dtype, a, b});
  const std::int64_t rest = added % divisor;
  const NodeId rest_of_sum = rest == 0 ? sum[f::Add::a].id()
                                       : to.make.binary(Kind::Add, sum[f::Add::a].id(),
                                                        to.make.int_imm(sum.dtype(), rest));
  const NodeId result = to.builder.make(kind, {dtype, rest_of_sum, b});
  if (kind == Kind::FloorMod) return result;
  return to.make.binary(Kind::Add, result, to.make.int_imm(dtype, added / divisor));
}

/// For numbers that are not negative, every division rounds down.
NodeId rebuilt_division(Making& to, Node node) {
  const Node a = node[f::Div::a];
  const Node b = node[f::Div::b];
  const auto dividend = to.ranges.of(a);
  const auto divisor = to.ranges.of(b);
  const bool has_positive = dividend && divisor && dividend->low >= 0 && divisor->low > 0;
  const bool is_positive = node.dtype().is_scalar() && (node.dtype().is_uint() || has_positive);
  // Otherwise C contains the correction of a floor division, or lacks it.
  if (!is_positive) return to.copy(node);
  const Kind kind = node.is(Kind::Div) ? Kind::FloorDiv : Kind::FloorMod;
  return rounded_down(to, kind, node.dtype(), to.of(a), to.of(b));
}

/// `(a + c) - c` is `a`.
NodeId rebuilt_difference(Making& to, Node node) {
  const NodeId a = to.of(node[f::Sub::a]);
  const Node sum = to.builder.node(a);
  const auto taken = int_imm_of(node[f::Sub::b]);
  const bool is_undone = taken && sum.is(Kind::Add) && int_imm_of(sum[f::Add::b]) == taken;
  return is_undone ? sum[f::Add::a].id() : to.copy(node);
}

/// A shift to the right is a division by a power of two; a mask of the lowest bits is a
/// remainder.
NodeId as_division(Making& to, NodeId id) {
  const Node call = to.builder.node(id);
  if (!call.is(Kind::Call) || !(call.dtype().is_int() || call.dtype().is_uint())) return id;
  const std::string_view op = call[f::Call::op].text(f::Op::name);
  const bool is_shift = op == "tir.shift_right";
  const NodeList args = call.list(f::Call::args);
  if ((!is_shift && op != "tir.bitwise_and") || args.size() != 2) return id;
  const auto divisor =
      is_shift ? divisor_of_shift(args[1], args[1].dtype()) : divisor_of_mask(args[1]);
  if (!divisor) return id;
  const DType dtype = call.dtype();
  const NodeId a = args[0].id();
  const NodeId b = to.make.int_imm(args[1].dtype(), *divisor);
  return rounded_down(to, is_shift ? Kind::FloorDiv : Kind::FloorMod, dtype, a, b);
}

/// Only the address of an access pointer is printed, without its extent and its purpose.
NodeId pointer_into(Making& to, std::span<const NodeId> access) {
  const DType element = to.make.dtype_of(access[0]);
  const NodeId buffer = buffer_on(to, access[1], element);
  const NodeId loaded = to.make.buffer_load(buffer, std::array{access[2]});
  return to.make.call(to.make.op("tir.address_of"), std::array{loaded}, DType::Handle());
}

/// call_extern and call_pure_extern are printed alike.
NodeId plain_call(Making& to, std::string_view op, std::span<const NodeId> args, DType dtype) {
  if (op == "tir.tvm_access_ptr" && args.size() == 5) return pointer_into(to, args);
  if (op == "tir.call_pure_extern") op = "tir.call_extern";
  return to.make.call(to.make.op(op), args, dtype);
}

/// Expands operators without a name in C like the legalisation of intrinsics, after the widths of
/// numbers on the stack of packed calls were made equal.
NodeId rebuilt_call(Making& to, Node node) {
  const Node op = node[f::Call::op];
  if (!op.is(Kind::Op)) return to.copy(node);
  const std::string_view name = op.text(f::Op::name);
  std::vector<NodeId> args;
  for (const Node arg : node.list(f::Call::args)) args.push_back(to.of(arg));
  if (name == "tir.tvm_stack_make_shape") {
    std::ranges::transform(args, args.begin(), [&](NodeId dim) { return narrowed(to, dim); });
  }
  if (name == "tir.tvm_stack_make_array" && args.size() == 6) args[5] = narrowed(to, args[5]);
  const auto expanded = expand(to.make, name, node.dtype(), args, to.ternary);
  return as_division(to, expanded ? *expanded : plain_call(to, name, args, node.dtype()));
}

/// All other expressions are printed unchanged, as an operator or a call.
NodeId rebuilt_expr(Making& to, Node node) {
  switch (node.kind()) {
    case Kind::Var:
    case Kind::SizeVar:
      return rebuilt_variable(to, node);
    case Kind::Let:
      return to.of(node[f::Let::body]);
    case Kind::Cast:
      return node.dtype() == node[f::Cast::value].dtype() ? to.of(node[f::Cast::value])
                                                          : to.copy(node);
    case Kind::IntImm:
      return to.of_user.failures.contains(node.id()) ? to.make.int_imm(node.dtype(), -1)
                                                     : to.copy(node);
    case Kind::FloatImm:
      return float_imm(to, node);
    case Kind::BufferLoad:
      return rebuilt_load(to, node);
    case Kind::Select:
      return rebuilt_choice(to, node);
    case Kind::Div:
    case Kind::Mod:
      return rebuilt_division(to, node);
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return rounded_down(to, node.kind(), node.dtype(), to.of(node[f::FloorDiv::a]),
                          to.of(node[f::FloorDiv::b]));
    case Kind::Sub:
      return rebuilt_difference(to, node);
    case Kind::Call:
      return rebuilt_call(to, node);
    default:
      return to.copy(node);
  }
}

NodeId rebuilt(Making& to, Node node) {
  switch (node.category()) {
    case Category::expr:
      return rebuilt_expr(to, node);
    case Category::stmt:
      return rebuilt_statement(to, node);
    case Category::buffer:
      return rebuilt_buffer(to, node);
    case Category::constant:
      return rebuilt_array(to, node);
    case Category::function:
      return rebuilt_function(to, node);
    case Category::module:
      return rebuilt_root(to, node);
    default:
      return node.is(Kind::GlobalVar) ? global_var(to, node) : to.copy(node);
  }
}

void leave(Making& to, Node node) {
  to.ranges.leave(node);
  const NodeId made = rebuilt(to, node);
  to.map[index(node.id())] = made;
  const auto range = node.module().source_range(node.id());
  if (range && made != NodeId::none) to.builder.set_source_range(made, *range);
}
}  // namespace
}  // namespace c

Module c_normal_form(const Module& module, const VersionRange& version,
                     const std::map<std::string_view, std::string_view>& new_names,
                     const CodeOfUser& of_user) {
  const Node root = module.root();
  c::Making to{.new_names = new_names,
               .of_user = of_user,
               .ternary = c::ternary_of(version),
               .ranges = IntegerRanges(module),
               .map = std::vector<NodeId>(module.size())};
  NodeId function = NodeId::none;
  // What must be known before a node is rebuilt. Then the nodes, children first.
  for_each_pre_order(root, [&](Node node) {
    to.ranges.enter(node);
    if (node.is(Kind::Let)) to.lets[index(node[f::Let::var].id())] = node[f::Let::value];
    if (node.is(Kind::PrimFunc)) function = node.id();
    if (node.is(Kind::AllocateConst)) to.constants[index(function)].push_back(node);
  });
  for_each_post_order(root, [&](Node node) { c::leave(to, node); });
  const NodeId made = to.of(root);
  return std::move(to.builder).finish(made);
}

}  // namespace mlf::tir
