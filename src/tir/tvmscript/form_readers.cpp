// Reads calls of the functions in forms.cpp that make expressions and objects.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "support/error.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/function.h"

namespace mlf::tir::tvmscript {
namespace {

/// An argument as the field of a node.
FieldValue field_of(Context& c, ArgumentType type, const Value& value) {
  Builder& b = c.builder;
  switch (type) {
    case ArgumentType::expr:
    case ArgumentType::predicate:
      return as_expr(c, value);
    case ArgumentType::exprs:
      return b.list(as_exprs(c, value));
    case ArgumentType::var:
      return as_var(c, value);
    case ArgumentType::lanes:
      return as_lanes(c, value);
    case ArgumentType::callee:
      return as_callee(c, value);
    case ArgumentType::dtype:
      return as_dtype(c, value);
    case ArgumentType::type:
      return as_type(c, value);
    case ArgumentType::types:
      return b.list(each(c, value, as_type));
    case ArgumentType::string:
      return b.string(as_string(c, value));
    case ArgumentType::integer:
      return as_integer(c, value);
    case ArgumentType::real:
      return as_real(c, value);
    case ArgumentType::attribute:
      return as_attribute(c, value);
    case ArgumentType::attributes:
      return b.list(each(c, value, as_attribute));
  }
  return NodeId::none;
}

/// The default of a field.
FieldValue default_of(Context& c, FieldType type) {
  switch (type) {
    case FieldType::list:
      return c.builder.list({});
    case FieldType::string:
      return c.builder.string("");
    case FieldType::dtype:
      return DType::Int(32);  // of T.Any(); others follow from their operands
    case FieldType::integer:
      return std::int64_t{0};
    default:
      return NodeId::none;
  }
}

/// Fails if the number of arguments or a keyword does not fit the form.
void check(const Form& form, const Arguments& args) {
  std::size_t least = 0;
  std::size_t most = 0;
  std::vector<std::string_view> keywords;
  for (const FormArgument& argument : form.arguments()) {
    ++most;
    if (!argument.may_be_absent()) ++least;
    if (argument.is_optional) keywords.push_back(info(form.kind).fields[argument.field].name);
  }
  args.expect(least, most);
  args.expect_keywords(keywords);
}

/// A Reduce has the dtype of the source that it returns.
NodeId make_reduce(Context& c, const std::vector<FieldValue>& fields, const Arguments& args) {
  const NodeId made = c.builder.make(Kind::Reduce, fields);
  const NodeList source = c.node(made).list(f::Reduce::source);
  const std::int64_t position = c.node(made).integer(f::Reduce::value_index);
  if (position < 0 || static_cast<std::size_t>(position) >= source.size()) {
    args.fail(fmt::format("value_index {} is out of range", position));
  }
  const DType dtype = c.make.dtype_of(source[static_cast<std::size_t>(position)].id());
  c.builder.set(made, f::Reduce::dtype, dtype);
  return made;
}

/// The node with these fields. Sets a dtype that follows from the operands, whatever the field
/// contains.
NodeId make_node(Context& c, Kind kind, const std::vector<FieldValue>& fields,
                 const Arguments& args) {
  const auto node = [&](std::uint8_t field) { return static_cast<NodeId>(fields[field].bits()); };
  switch (kind) {
    case Kind::Not:
      return c.make.logical_not(node(f::Not::a));
    case Kind::Select:
      return c.make.select(node(f::Select::condition), node(f::Select::true_value),
                           node(f::Select::false_value));
    case Kind::Ramp: {
      const NodeId base = node(f::Ramp::base);
      const NodeId stride = make_cast(c, c.make.dtype_of(base), node(f::Ramp::stride));
      return c.make.ramp(base, stride, node(f::Ramp::lanes));
    }
    case Kind::Broadcast:
      return c.make.broadcast(node(f::Broadcast::value), node(f::Broadcast::lanes));
    case Kind::Let:
      return c.make.let(node(f::Let::var), node(f::Let::value), node(f::Let::body));
    case Kind::Reduce:
      return make_reduce(c, fields, args);
    default:
      return c.builder.make(kind, fields);
  }
}

}  // namespace

void note_version(Context& c, const Form& form) {
  c.versions.at_least(form.since);
  c.versions.at_most(form.until);
}

std::vector<FieldValue> read_fields(Context& c, const Form& form, const Arguments& args) {
  check(form, args);
  const auto rows = info(form.kind).fields;
  std::vector<std::optional<FieldValue>> stated(rows.size());
  std::size_t position = 0;
  for (const FormArgument& argument : form.arguments()) {
    if (const auto value = args.find(position++, rows[argument.field].name)) {
      stated[argument.field] = field_of(c, argument.type, *value);
    } else if (argument.type == ArgumentType::predicate) {
      stated[argument.field] = c.make.boolean(1);
    }
  }
  // Default fields come last: arguments make their nodes in the order of the text.
  std::vector<FieldValue> fields;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fields.push_back(stated[i] ? *stated[i] : default_of(c, rows[i].type));
  }
  return fields;
}

NodeId read_form(Context& c, const Form& form, const Arguments& args) {
  note_version(c, form);
  if (form.read != nullptr) return form.read(c, args);
  check(form, args);
  // A literal operand gets the type of the other operand.
  if (is_binary(form.kind)) {
    // Printers show a Min and a Max by these names, computed or not.
    const bool is_constructor = (form.name.front() >= 'A' && form.name.front() <= 'Z') ||
                                form.kind == Kind::Min || form.kind == Kind::Max;
    return (is_constructor ? construct_binary : make_binary)(c, form.kind, args[0], args[1]);
  }
  if (form.kind == Kind::Cast && form.name == "cast" && !c.rules.is_old()) {
    return make_cast(c, as_dtype(c, args[1]), as_expr(c, args[0]));
  }
  switch (form.kind) {
    // There is one node of these for each name or dtype.
    case Kind::PrimType:
      return c.make.prim_type(as_dtype(c, args[0]));
    case Kind::GlobalVar:
      return c.make.global_var(as_string(c, args[0]));
    case Kind::Op:
      return c.make.op(as_string(c, args[0]));
    case Kind::StringImm:
      return c.make.string_imm(as_string(c, args[0]));
    case Kind::Shuffle: {
      const std::vector<NodeId> vectors = as_exprs(c, args[0]);
      return c.make.shuffle(vectors, as_exprs(c, args[1]));
    }
    default:
      return make_node(c, form.kind, read_fields(c, form, args), args);
  }
}

// --- Forms with a lambda as argument, or inside of one -----------------------------------------

namespace {

/// Makes a variable for each parameter and binds its name. Repeats the last element of a short
/// `dtypes`.
std::vector<NodeId> lambda_params(Context& c, const Value& lambda, std::span<const DType> dtypes) {
  if (lambda.kind != ValueKind::lambda) fail_expected(c, lambda, "a lambda");
  std::vector<NodeId> params;
  for (const SyntaxId child : c.values.children(lambda.first)) {
    const std::size_t position = std::min(params.size(), dtypes.size() - 1);
    const std::string_view name = c.values.text(child);
    params.push_back(c.make.var(name, c.make.prim_type(dtypes[position])));
    c.names.bind(name, params.back());
  }
  return params;
}

std::vector<NodeId> lambda_results(Context& c, const Value& lambda) {
  const Value body = lower(c, c.values.tree().last_child(lambda.syntax));
  return as_exprs(c, body);
}

/// `T.Range(0, 8)`; before v0.12 the printer's `[0:8]`, the parser's `(0, 8)`.
NodeId as_domain(Context& c, const Value& value) {
  if (value.kind == ValueKind::tuple && value.count == 2) {
    return range_to(c, c.values.item(value, 0), c.values.item(value, 1));
  }
  const bool in_brackets = value.kind == ValueKind::list && value.count == 1;
  return as_range(c, in_brackets ? c.values.item(value, 0) : value);
}

/// The text does not state the dtype of an index map's variables. Its constants have the same one:
/// a bare integer is int32. Without constants it is int64, as in TVM's own maps.
DType index_dtype(Context& c, const Value& lambda) {
  c.lose(LossCode::var_type);
  for (SyntaxId i = lambda.first + 1; i < lambda.syntax; ++i) {
    if (c.values.syntax(i).kind == SyntaxKind::integer) return DType::Int(32);
    if (c.values.syntax(i).kind != SyntaxKind::attribute) continue;
    const std::string_view path = c.values.text(i);
    const std::string_view name = after_prefix(path, c.prefixes.tir);
    if (const auto dtype = parse_dtype(name); dtype && !name.empty()) return *dtype;
  }
  return DType::Int(64);
}

NodeId lambda_index_map(Context& c, const Value& lambda, NodeId inverse) {
  if (lambda.kind != ValueKind::lambda) fail_expected(c, lambda, "a lambda");
  const DType dtype = index_dtype(c, lambda);
  const std::size_t mark = c.names.mark();
  const std::vector<NodeId> initial = lambda_params(c, lambda, {&dtype, 1});
  const std::vector<NodeId> final_indices = lambda_results(c, lambda);
  c.names.release(mark);
  Builder& b = c.builder;
  return b.make(Kind::IndexMap, {b.list(initial), b.list(final_indices), inverse});
}

}  // namespace

SyntaxId skip_lambda(Context& c, SyntaxId params) {
  const std::uint32_t first = c.values.syntax(params).first;
  // The parameters themselves have been lowered as names.
  c.values.drop(c.values.syntax(params).arity);
  for (SyntaxId i = params + 1; i < c.values.tree().size(); ++i) {
    if (c.values.syntax(i).kind == SyntaxKind::lambda_params) {
      c.values.fail(i, "a lambda inside a lambda is not supported");
    }
    if (c.values.syntax(i).kind != SyntaxKind::lambda || c.values.syntax(i).first != first) {
      continue;
    }
    c.values.push({.kind = ValueKind::lambda, .syntax = i, .first = params});
    return i;
  }
  c.values.fail(params, "a lambda without a body");
}

/// `T.comm_reducer(lambda x, y: x + y, [T.float32(0)])`
NodeId read_comm_reducer(Context& c, const Arguments& args) {
  args.expect(2, 2);
  const Value lambda = args[0];
  const std::vector<NodeId> identities = as_exprs(c, args[1]);
  if (identities.empty()) c.values.fail(args[1], "expected at least one identity element");
  std::vector<DType> dtypes;
  for (int side = 0; side < 2; ++side) {
    for (const NodeId identity : identities) dtypes.push_back(c.make.dtype_of(identity));
  }
  const std::size_t mark = c.names.mark();
  const std::vector<NodeId> params = lambda_params(c, lambda, dtypes);
  if (params.size() != dtypes.size()) {
    c.values.fail(lambda, fmt::format("expected {} parameters for {} identity elements, found {}",
                                      dtypes.size(), identities.size(), params.size()));
  }
  const std::vector<NodeId> results = lambda_results(c, lambda);
  c.names.release(mark);
  const std::span<const NodeId> all(params);
  Builder& b = c.builder;
  return b.make(Kind::CommReducer,
                {b.list(all.first(identities.size())), b.list(all.subspan(identities.size())),
                 b.list(results), b.list(identities)});
}

NodeId read_reduce(Context& c, const Arguments& args) {
  args.expect_keywords({"combiner", "source", "init", "axis", "condition", "value_index", "rdom"});
  const Value combiner = args.get(0, "combiner");
  if (!c.is(combiner, Kind::CommReducer)) fail_expected(c, combiner, "a reducer");
  const std::vector<NodeId> source = as_exprs(c, args.get(1, "source"));
  const auto& at = c.rules.reduce;
  const auto init_value = args.find(at.init, "init");
  const std::vector<NodeId> init = init_value ? as_exprs(c, *init_value) : std::vector<NodeId>();
  std::vector<NodeId> axis;
  for (const Value& value : c.values.elements(args.get(at.axis, "axis"))) {
    if (!c.is(value, Kind::IterVar)) fail_expected(c, value, "T.iter_var");
    axis.push_back(value.node);
  }
  if (at.condition == kNotPrinted) c.lose(LossCode::reduce_fields);
  if (init_value && init.empty()) c.lose(LossCode::undefined_list, "Reduce.init");
  const NodeId condition = as_condition(c, args.find(at.condition, "condition"));
  const auto index_value = args.find(at.value_index, "value_index");
  const std::int64_t index = index_value ? as_integer(c, *index_value) : 0;
  Builder& b = c.builder;
  return make_reduce(
      c,
      {DType::Void(), combiner.node, b.list(source), b.list(init), b.list(axis), condition, index},
      args);
}

namespace {

/// Device kernels list their threads in the attribute `tir.device_thread_axis`, which v0.9 prints
/// before `blockIdx_x = T.env_thread("blockIdx.x")`: such a name is declared later.
NodeId thread_var(Context& c, const Value& value) {
  if (value.kind != ValueKind::name) return as_var(c, value);
  const std::string_view name = c.values.text(value);
  if (name.find('.') != std::string_view::npos) return as_var(c, value);
  const auto [thread, is_new] = c.threads_ahead.try_emplace(name);
  if (is_new) {
    thread->second = {c.make.var(name, c.make.prim_type(DType::Int(32))), c.values.begin(value)};
  }
  return thread->second.var;
}

}  // namespace

/// `T.iter_var(v, T.Range(0, 8), "DataPar", "")`
NodeId read_iter_var(Context& c, const Arguments& args) {
  args.expect(4, 4);
  const NodeId dom = args[1].kind == ValueKind::none ? NodeId::none : as_domain(c, args[1]);
  const auto names = enum_names(Expects::iter_var_type);
  const auto found = std::ranges::find(names, as_string(c, args[2]));
  if (found == names.end()) {
    c.values.fail(args[2],
                  fmt::format("'{}' is not a type of iteration variable", as_string(c, args[2])));
  }
  NodeId variable = NodeId::none;
  if (args[0].kind == ValueKind::string) {
    const DType dtype =
        dom == NodeId::none ? DType::Int(32) : c.make.dtype_of(c.node(dom)[f::Range::extent].id());
    variable = c.make.var(as_string(c, args[0]), c.make.prim_type(dtype));
  } else {
    const auto type = static_cast<IterVarType>(found - names.begin());
    variable = type == IterVarType::ThreadIndex ? thread_var(c, args[0]) : as_var(c, args[0]);
  }
  return c.builder.make(Kind::IterVar,
                        {dom, variable, static_cast<IterVarType>(found - names.begin()),
                         c.builder.string(as_string(c, args[3]))});
}

/// `T.index_map(lambda i, j: (j, i), inverse_index_map=lambda …)`
NodeId read_index_map(Context& c, const Arguments& args) {
  args.expect(1, 1, {"inverse_index_map"});
  const Value map = args[0];
  const auto inverse = args.keyword("inverse_index_map");
  const bool has_inverse = inverse && inverse->kind != ValueKind::none;
  return lambda_index_map(c, map,
                          has_inverse ? lambda_index_map(c, *inverse, NodeId::none) : NodeId::none);
}

/// `T.Let(body, where={x: v})`
NodeId read_let(Context& c, const Arguments& args) {
  args.expect(1, 1, {"where"});
  const Value where = args.get(1, "where");
  if (where.kind != ValueKind::dict) fail_expected(c, where, "a dictionary");
  NodeId node = as_expr(c, args[0]);
  for (std::uint32_t i = where.count; i >= 2; i -= 2) {
    const NodeId bound = as_var(c, c.values.item(where, i - 2));
    node = c.make.let(bound, as_expr(c, c.values.item(where, i - 1)), node);
  }
  return node;
}

/// Up to v0.15 the second argument is the extent, from v0.16 on the end.
NodeId read_range(Context& c, const Arguments& args) {
  args.expect(1, 2);
  const NodeId first = as_expr(c, args[0]);
  if (args.size() == 1) return c.make.range_to(first);
  const NodeId second = as_expr(c, args[1]);
  const bool is_end = c.versions.may_have(TvmFeature::range_of_ir);
  return is_end ? c.make.range(first, second, c.function())
                : c.builder.make(Kind::Range, {first, second});
}

// --- Functions of TVM's parser that are not operators ------------------------------------------

/// `T.abs(x)` of integers is a Select.
NodeId read_abs(Context& c, const Arguments& args) {
  args.expect(1, 1, {"dtype"});
  const NodeId value = as_expr(c, args[0]);
  const DType dtype = c.make.dtype_of(value);
  if (dtype.is_float()) return c.make.call(c.make.op("tir.fabs"), {&value, 1}, dtype);
  if (dtype.is_uint()) return value;
  const DType element = dtype.element();
  const auto constant = [&](std::int64_t number) {
    const NodeId scalar = c.make.int_imm(element, number);
    return dtype.is_scalar() ? scalar : c.make.broadcast(scalar, c.make.int32(dtype.lanes));
  };
  const NodeId is_positive = c.make.binary(Kind::GE, value, constant(0));
  const NodeId negated = c.make.binary(Kind::Mul, value, constant(-1));
  return c.make.select(is_positive, value, negated);
}

/// `T.ceildiv(a, b)` is (a + b - 1) // b.
NodeId read_ceildiv(Context& c, const Arguments& args) {
  args.expect(2, 2);
  const auto value = [&](NodeId node) { return Value{.kind = ValueKind::node, .node = node}; };
  const NodeId sum = make_binary(c, Kind::Add, args[0], args[1]);
  const NodeId one = c.make.int_imm(c.make.dtype_of(sum).element(), 1);
  const NodeId dividend = make_binary(c, Kind::Sub, value(sum), value(one));
  return make_binary(c, Kind::FloorDiv, value(dividend), args[1]);
}

NodeId read_infinity(Context& c, const Arguments& args) {
  args.expect(1, 1);
  const DType dtype = as_dtype(c, args[0]);
  if (!dtype.is_float()) args.fail("only types of floating-point numbers have an infinity");
  return c.make.float_imm(dtype, std::numeric_limits<double>::infinity());
}

/// `T.min_value("int8")`, `T.max_value("float32")`
NodeId read_limit(Context& c, const Arguments& args) {
  args.expect(1, 1);
  const DType dtype = as_dtype(c, args[0]);
  const bool is_lower = args.callee().ends_with("min_value");
  if (dtype == DType::Float(32) || dtype == DType::Float(64) || dtype == DType::Float(16)) {
    const double most = dtype.bits == 64   ? std::numeric_limits<double>::max()
                        : dtype.bits == 32 ? std::numeric_limits<float>::max()
                                           : 65504.0;
    return c.make.float_imm(dtype, is_lower ? -most : most);
  }
  if (!(dtype.is_int() || dtype.is_uint()) || !dtype.is_scalar() || dtype.bits > 64 ||
      dtype.bits < 1 || (dtype.is_uint() && dtype.bits == 64)) {
    args.fail("the limits of this type are no numbers");
  }
  const unsigned bits = dtype.bits - (dtype.is_int() ? 1u : 0u);
  const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
  const std::int64_t upper = static_cast<std::int64_t>(most);
  const std::int64_t lower = dtype.is_int() ? -upper - 1 : 0;
  return c.make.int_imm(dtype, is_lower ? lower : upper);
}

/// `T.call_intrin("int32", "tir.clz", x)`
NodeId read_call_intrin(Context& c, const Arguments& args) {
  args.expect(2, SIZE_MAX, {});
  const DType dtype = as_dtype(c, args[0]);
  const NodeId callee = as_callee(c, args[1]);
  std::vector<NodeId> operands;
  for (std::size_t i = 2; i < args.size(); ++i) operands.push_back(as_expr(c, args[i]));
  return c.make.call(callee, operands, dtype);
}

/// The number of an intrinsic, which LLVM defines.
NodeId read_intrinsic_id(Context& c, const Arguments& args) {
  args.expect(1, 1);
  c.lose(LossCode::llvm_intrinsic, as_string(c, args[0]));
  return c.make.string_imm(as_string(c, args[0]));
}

/// `x = T.meta_var(1)`: another name for an existing value.
NodeId define_meta_var(Context& c, std::string_view, const Arguments& args) {
  args.expect(1, 1);
  const Value value = args[0];
  if (c.is(value, Kind::Buffer)) return value.node;
  const NodeId node = as_expr(c, value);
  if (is_literal(c, value)) c.python_numbers.insert(node);
  return node;
}

// --- Targets -----------------------------------------------------------------------------------

namespace {

/// The target in a dictionary. A host may have a host itself: the innermost one is made first.
NodeId target_of(Context& c, const Value& dict) {
  std::vector<Value> chain;
  NodeId target = NodeId::none;
  for (std::optional<Value> next = dict; next;) {
    // Before v0.12 the host is a call of T.target, which is complete.
    const bool is_done = c.is(*next, Kind::Target);
    if (is_done && !chain.empty()) {
      target = next->node;
      break;
    }
    if (next->kind != ValueKind::dict) {
      fail_expected(c, *next, "a dictionary that describes a target");
    }
    chain.push_back(*next);
    next.reset();
    for (std::size_t i = 0; i < chain.back().count; i += 2) {
      if (as_string(c, c.values.item(chain.back(), i)) == "host") {
        next = c.values.item(chain.back(), i + 1);
      }
    }
  }
  Builder& b = c.builder;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    NodeId kind = NodeId::none;
    std::string_view tag;
    std::vector<NodeId> keys;
    std::vector<NamedNode> attrs;
    for (std::size_t i = 0; i < it->count; i += 2) {
      const std::string_view key = as_string(c, c.values.item(*it, i));
      const Value& value = c.values.item(*it, i + 1);
      if (key == "kind") {
        // The text contains only the name of a kind, not TVM's facts about it.
        kind = b.make(Kind::TargetKind, {b.string(as_string(c, value)), kAbsentInteger,
                                         kAbsentInteger, ListId::none});
      } else if (key == "tag") {
        tag = as_string(c, value);
      } else if (key == "keys") {
        for (const NodeId element : each(c, value, as_attribute)) keys.push_back(element);
      } else if (key != "host") {
        attrs.push_back({b.string(key), as_attribute(c, value)});
      }
    }
    if (kind == NodeId::none) c.values.fail(*it, "a target needs a 'kind'");
    target = b.make(Kind::Target,
                    {kind, b.string(tag), b.list(keys), b.map(attrs), NodeId::none, target});
  }
  return target;
}

/// A dictionary, or a command line: `T.target("cuda -arch=sm_70")`.
NodeId target_in_words(Context& c, const Value& value) {
  if (value.kind != ValueKind::string) return target_of(c, value);
  const auto target = parse_target(as_string(c, value));
  if (!target) {
    support::throw_unless_invalid(target.error());
    c.values.fail(value, target.error().message);
  }
  return text::make_target(c.make, *target);
}

}  // namespace

NodeId read_target(Context& c, const Arguments& args) {
  args.expect(1, 2, {"host"});
  c.lose(LossCode::target_details);
  const auto host = args.find(1, "host");
  const bool has_host = host && host->kind != ValueKind::none;
  if (args[0].kind != ValueKind::string && !has_host) return target_of(c, args[0]);
  const NodeId target = target_in_words(c, args[0]);
  if (has_host) {
    const bool is_made = c.is(*host, Kind::Target);
    c.builder.set(target, f::Target::host, is_made ? host->node : target_in_words(c, *host));
  }
  return target;
}

// --- Memory pools of the static planner (USMP) -------------------------------------------------

NodeId read_allocated_pool_info(Context& c, const Arguments& args) {
  args.expect_keywords({"pool_info", "allocated_size", "pool_var_idx"});
  const NodeId pool = as_attribute(c, args.get(0, "pool_info"));
  const NodeId size = as_attribute(c, args.get(1, "allocated_size"));
  const auto index = args.find(2, "pool_var_idx");
  if (!index) c.lose(LossCode::attr_object, "AllocatedPoolInfo.pool_var_idx");
  const NodeId var_index = index ? as_attribute(c, *index) : NodeId::none;
  return c.builder.make(Kind::AllocatedPoolInfo, {pool, size, var_index});
}

/// `I.ConstantInfo("w", byte_offset=0, data=metadata["runtime.NDArray"][0])`
NodeId read_constant_info(Context& c, const Arguments& args) {
  args.expect_keywords({"name_hint", "byte_offset", "data"});
  const std::string_view name = as_string(c, args.get(0, "name_hint"));
  const Value stated = args.get(1, "byte_offset");
  const NodeId offset = as_attribute(c, stated);
  const Value array = args.get(2, "data");
  const NodeId data = as_attribute(c, array);
  if (data != NodeId::none && !is_array(c, data)) fail_expected(c, array, "an array");
  const NodeId info = c.pool_objects.constant(name, offset, data);
  if (c.places != nullptr) {
    const text::Syntax& digits = c.values.syntax(stated.syntax);
    const text::Syntax& mention = c.values.syntax(args.call().syntax);
    c.places->listed.push_back({info, {mention.begin, mention.end}, {digits.begin, digits.end}});
  }
  return info;
}

NodeId read_constant_pool_info(Context& c, const Arguments& args) {
  args.expect(1, 1);
  std::vector<NodeId> constants = each(c, args[0], as_attribute);
  c.lose(LossCode::attr_object, "ConstantPoolInfo");
  return c.pool_objects.pool(std::move(constants));
}

// --- Objects of Relax --------------------------------------------------------------------------

NodeId read_vdevice(Context& c, const Arguments& args) {
  Builder& b = c.builder;
  constexpr std::string_view kFields[] = {"target", "vdevice_id", "memory_scope"};
  std::vector<NamedNode> fields;
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    if (const auto value = args.find(i, kFields[i])) {
      fields.push_back({b.string(kFields[i]), as_attribute(c, *value)});
    }
  }
  return b.make(Kind::Opaque,
                {b.string("VDevice"), b.map(fields), ListId::none, ListId::none, StringId::none});
}

NodeId read_dummy_global_info(Context& c, const Arguments&) {
  Builder& b = c.builder;
  return b.make(Kind::Opaque, {b.string("DummyGlobalInfo"), c.make.no_entries(), ListId::none,
                               ListId::none, StringId::none});
}

}  // namespace mlf::tir::tvmscript
