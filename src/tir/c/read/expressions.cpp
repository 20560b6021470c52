#include "tir/c/read/expressions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "tir/c/read/constants.h"
#include "tir/cmsis_nn.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {
namespace {

struct RecordName {
  std::string_view spelling;
  Record record;
};
constexpr std::array kRecords = {RecordName{"DLTensor", Record::tensor},
                                 RecordName{"TVMValue", Record::value}};

const RecordName* record_named(std::string_view spelling) {
  for (const RecordName& row : kRecords) {
    if (row.spelling == spelling) return &row;
  }
  return nullptr;
}

bool is_type_word(std::string_view word) {
  return scalar_type(word) || record_named(word) != nullptr || word == "volatile" ||
         word == "DLDeviceType";
}

template <class Float>
std::optional<double> parse_float(std::string_view text) {
  Float value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  return static_cast<double>(value);
}

/// A maximum usually starts from the largest number, which seven digits round up.
std::optional<double> largest(std::string_view text, DType dtype) {
  if (dtype.bits == 32 && text == "3.402823e+38") {
    return double{std::numeric_limits<float>::max()};
  }
  if (dtype.bits == 64 && text == "1.797693e+308") return std::numeric_limits<double>::max();
  return std::nullopt;
}

}  // namespace

/// Operands alternate with operators and postfixes. Parentheses, subscripts and calls open a level,
/// so nesting does not use the call stack.
Operand ExprReader::value() {
  const std::size_t base = levels_.size();
  open(LevelKind::top);
  while (true) {
    if (!start_operand()) continue;
    Next next = Next::closed;
    while (next == Next::closed) next = postfix() ? Next::operand : go_on();
    if (next == Next::done && levels_.size() == base) return operand_;
  }
}

void ExprReader::open(LevelKind kind) {
  Level level;
  level.kind = kind;
  level.first_prefix = prefixes_.size();
  level.first_argument = arguments_.size();
  level.begin = cursor_.peek();
  levels_.push_back(level);
}

/// Passes the beginning of an operand; returns true if that was the whole operand.
bool ExprReader::start_operand() {
  const Token& token = cursor_.peek();
  const auto prefix = [&](PrefixKind kind) {
    prefixes_.push_back({.kind = kind, .token = cursor_.advance()});
    return false;
  };
  switch (token.kind) {
    case TokenKind::integer:
    case TokenKind::real:
      operand_ = number();
      return true;
    case TokenKind::string: {
      if (cursor_.text()[0] == '\'') fail("expected a number, found a character");
      operand_ = expr(make().string_imm(without_quotes(cursor_.text(cursor_.advance()))));
      return true;
    }
    case TokenKind::name:
      operand_ = name();
      return operand_.form != Operand::Form::none;
    default:
      break;
  }
  switch (token.sign) {
    case sign("("):
      if (start_cast()) return false;
      open(LevelKind::paren);
      cursor_.advance();
      return false;
    case sign("!"):
      return prefix(PrefixKind::logical_not);
    case sign("~"):
      return prefix(PrefixKind::bitwise_not);
    case sign("&"):
      return prefix(PrefixKind::address);
    case sign("*"):
      return prefix(PrefixKind::deref);
    case sign("-"):
      return prefix(PrefixKind::negate);
    default:
      fail(fmt::format("expected an expression, found {}", cursor_.found()));
  }
}

/// `(type)`: a parenthesis before the name of a type is a cast.
bool ExprReader::start_cast() {
  if (!cursor_.at_name(1) || !is_type_word(cursor_.text(1))) return false;
  Prefix prefix{.kind = PrefixKind::cast, .token = cursor_.advance()};
  cursor_.accept_word("volatile");
  const std::string_view word = cursor_.expect_name("the type of a cast");
  if (const RecordName* const record = record_named(word)) {
    prefix.is_record = true;
    prefix.record = record->record;
  } else if (const auto dtype = scalar_type(word)) {
    prefix.dtype = *dtype;
  } else if (word == "DLDeviceType") {
    prefix.is_device_type = true;
  } else {
    cursor_.fail(prefix.token, fmt::format("unknown type '{}' in a cast", word));
  }
  while (cursor_.accept(sign("*"))) ++prefix.stars;
  // Only a null handle is read through two stars.
  if (prefix.stars > (prefix.dtype.is_void() ? 2 : 1))
    cursor_.fail(prefix.token, "a cast to a pointer to pointers");
  cursor_.expect(")");
  prefixes_.push_back(prefix);
  return true;
}

/// Returns true if it opened a subscript, whose index comes next.
bool ExprReader::postfix() {
  while (cursor_.at(sign("."))) field_access();
  if (!cursor_.at(sign("["))) return false;
  open(LevelKind::index);
  levels_.back().base = operand_;
  cursor_.advance();
  return true;
}

/// `.data`, `.dtype.code`, `.device.device_id`, `.v_int64`: fields of an element are read by
/// tvm_struct_get.
void ExprReader::field_access() {
  if (operand_.form != Operand::Form::element)
    fail("a field of something that is not an element of a record");
  cursor_.advance();
  const Token first = cursor_.peek();
  std::string spelling(cursor_.expect_name("the name of a field"));
  if (spelling == "ctx") spelling = "device";  // before v0.8
  if (spelling == "device" || spelling == "dtype") {
    cursor_.expect(".");
    spelling += fmt::format(".{}", cursor_.expect_name("the name of a field"));
  }
  const RecordField* const field = record_field(operand_.record, spelling);
  if (field == nullptr) cursor_.fail(first, fmt::format("unknown field '{}'", spelling));
  operand_ = expr(struct_get(operand_.node, operand_.other, *field));
}

NodeId ExprReader::struct_get(NodeId record, NodeId index, const RecordField& field) {
  const std::array args = {record, index, make().int32(field.number)};
  return operators_.call("tir.tvm_struct_get", field.dtype, args);
}

/// Reads what follows a complete operand of the current level.
ExprReader::Next ExprReader::go_on() {
  apply_prefixes();
  Level& level = levels_.back();
  level.operands[static_cast<std::size_t>(level.stage)] = operand_;
  const auto enter = [&](Stage stage) {
    level.stage = stage;
    cursor_.advance();
    return Next::operand;
  };
  if (level.stage == Stage::first && cursor_.peek().kind == TokenKind::sign) {
    level.op = binary_operator(cursor_.text());
    if (level.op != nullptr) return enter(Stage::second);
  }
  if (level.stage <= Stage::second && cursor_.at(sign("?"))) return enter(Stage::then_value);
  if (level.stage == Stage::then_value && cursor_.at(sign(":"))) return enter(Stage::else_value);
  return close();
}

/// The level ends if none of its operators follows.
ExprReader::Next ExprReader::close() {
  Level& level = levels_.back();
  const Operand result = finish(level);
  const LevelKind kind = level.kind;
  switch (kind) {
    case LevelKind::top:
      operand_ = result;
      break;
    case LevelKind::paren:
      if (!cursor_.at(sign(")"))) {
        fail(fmt::format("expected ')', found {}; every operator is in parentheses of its own",
                         cursor_.found()));
      }
      cursor_.advance();
      operand_ = result;
      // `((int64_t)5)` is a cast, `(int64_t)5` a constant of that type.
      if (result.is_typed_literal) {
        operand_ = expr(operators_.cast(make().dtype_of(result.node), result.other));
      }
      operand_.begin = level.begin.begin;
      break;
    case LevelKind::index:
      cursor_.expect("]");
      operand_ = subscript(level.base, result);
      break;
    case LevelKind::call:
      arguments_.push_back(expr_of(result));
      if (cursor_.accept(sign(","))) {
        level.stage = Stage::first;
        level.op = nullptr;
        return Next::operand;
      }
      cursor_.expect(")");
      operand_ = make_call(level);
      break;
  }
  levels_.pop_back();
  return kind == LevelKind::top ? Next::done : Next::closed;
}

Operand ExprReader::finish(Level& level) {
  switch (level.stage) {
    case Stage::first:
      return level.operands[0];
    case Stage::second:
      return combine(level, level.operands[0], level.operands[1]);
    case Stage::then_value:
      fail(fmt::format("expected ':', found {}", cursor_.found()));
    case Stage::else_value:
      break;
  }
  return conditional(level);
}

/// `(a) < (b) ? (a) : (b)` is a minimum; any other condition has its own parentheses.
Operand ExprReader::conditional(Level& level) {
  const NodeId first = expr_of(level.operands[0]);
  const NodeId on_true = expr_of(level.operands[2]);
  const NodeId on_false = expr_of(level.operands[3]);
  if (level.op == nullptr) {
    return expr(operators_.choice(context_.ternary, first, on_true, on_false));
  }
  const NodeId second = expr_of(level.operands[1]);
  const bool is_pair = make().same_expr(first, on_true) && make().same_expr(second, on_false);
  if (is_pair && level.op->spelling == "<") {
    return expr(operators_.min_max(Kind::Min, first, second));
  }
  if (is_pair && level.op->spelling == ">") {
    return expr(operators_.min_max(Kind::Max, first, second));
  }
  cursor_.fail(level.begin, "a condition without parentheses that is neither minimum nor maximum");
}

/// `a op b`: comparisons with NULL, places in arrays, and operators of the IR.
Operand ExprReader::combine(const Level& level, const Operand& a, const Operand& b) {
  const std::string_view op = level.op->spelling;
  if (b.form == Operand::Form::null && (op == "==" || op == "!=")) {
    const NodeId is_null = operators_.call("tir.isnullptr", DType::Bool(), std::array{expr_of(a)});
    return expr(op == "==" ? is_null : operators_.logical_not(is_null));
  }
  if (a.form == Operand::Form::record && op == "+") {
    const RecordField address{a.record, {}, field::address, DType::Handle()};
    return expr(struct_get(a.node, expr_of(b), address));
  }
  if (a.form == Operand::Form::pointer && op == "+") return address_behind(a, expr_of(b));
  const NodeId left = expr_of(a);
  const NodeId right = expr_of(b);
  // Operands have the same type: the known type of one is the type of the other.
  if (untyped_calls_.contains(index(left))) {
    require_type(left, make().dtype_of(right));
  } else {
    require_type(right, make().dtype_of(left));
  }
  return expr(operators_.binary(*level.op, left, right));
}

/// Applies the prefix next to the operand first.
void ExprReader::apply_prefixes() {
  const std::size_t first = levels_.back().first_prefix;
  while (prefixes_.size() > first) {
    const Prefix prefix = prefixes_.back();
    prefixes_.pop_back();
    operand_ = apply(prefix, operand_);
  }
}

Operand ExprReader::apply(const Prefix& prefix, const Operand& operand) {
  switch (prefix.kind) {
    case PrefixKind::cast:
      return apply_cast(prefix, operand);
    case PrefixKind::deref:
      return dereference(prefix, operand);
    case PrefixKind::address:
      return address(prefix, operand);
    case PrefixKind::logical_not:
      return expr(operators_.logical_not(expr_of(operand)));
    case PrefixKind::bitwise_not: {
      const NodeId value = expr_of(operand);
      return expr(operators_.call("tir.bitwise_not", make().dtype_of(value), std::array{value}));
    }
    case PrefixKind::negate:
      break;
  }
  if (!operand.is_number)
    cursor_.fail(prefix.token, "a minus sign before something that is not a number");
  const Node number = context_.builder().node(operand.node);
  Operand negated = operand;
  negated.node = number.is(Kind::FloatImm)
                     ? make().float_imm(number.dtype(), -number.real(f::FloatImm::value))
                     : operators_.integer(
                           number.dtype(),
                           static_cast<std::int64_t>(
                               0 - static_cast<std::uint64_t>(number.integer(f::IntImm::value))));
  return negated;
}

/// A cast of a number is a literal of that type, a cast to a pointer states the element type, and
/// all other casts are casts of the IR.
Operand ExprReader::apply_cast(const Prefix& prefix, const Operand& operand) {
  if (prefix.is_record) {
    if (prefix.stars != 1) cursor_.fail(prefix.token, "a cast to a record");
    return {.form = Operand::Form::record, .record = prefix.record, .node = expr_of(operand)};
  }
  if (prefix.stars > 0) {
    // After two stars, the element is a pointer itself.
    const DType pointee = prefix.stars > 1 ? DType::Handle() : prefix.dtype;
    if (operand.form == Operand::Form::temp_address) {
      Operand typed = operand;
      typed.pointee = pointee;
      return typed;
    }
    return {.form = Operand::Form::pointer, .pointee = pointee, .node = expr_of(operand)};
  }
  if (prefix.is_device_type) return operand;
  if (operand.is_number) return typed_literal(prefix.dtype, operand);
  if (prefix.dtype.is_void()) cursor_.fail(prefix.token, "a cast to void");
  return expr(operators_.cast(prefix.dtype, expr_of(operand)));
}

/// `(int8_t)-128`: a literal of a type other than int32. An unsigned literal above the range of
/// IntImm is a large_uint_imm.
Operand ExprReader::typed_literal(DType dtype, const Operand& number) {
  Operand literal = expr(number.node);
  literal.is_typed_literal = true;
  literal.other = number.node;
  const Node node = context_.builder().node(number.node);
  if (node.is(Kind::FloatImm)) {
    literal.node = make().float_imm(dtype, node.real(f::FloatImm::value));
    return literal;
  }
  const std::int64_t value = node.integer(f::IntImm::value);
  if (!dtype.is_uint() || value >= 0) {
    literal.node = operators_.integer(dtype, value);
    context_.module.copy_place(number.node, literal.node);
    return literal;
  }
  const std::array halves = {make().int_imm(DType::UInt(32), value & 0xffffffff),
                             make().int_imm(DType::UInt(32), value >> 32 & 0xffffffff)};
  return expr(operators_.call("tir.large_uint_imm", dtype, halves));
}

/// `*(T*)(&tmp)` is a reinterpretation; the generator prints no other star.
Operand ExprReader::dereference(const Prefix& prefix, const Operand& operand) {
  if (operand.form != Operand::Form::temp_address || operand.pointee.is_void()) {
    cursor_.fail(prefix.token, "vector accesses are not read");
  }
  return expr(operators_.call("tir.reinterpret", operand.pointee, std::array{operand.node}));
}

/// `&x[i]` is address_of; `&tmp` is the first half of a reinterpretation.
Operand ExprReader::address(const Prefix& prefix, const Operand& operand) {
  if (operand.is_temp || operand.is_number) {
    return {.form = Operand::Form::temp_address, .node = operand.node};
  }
  if (operand.form != Operand::Form::expr ||
      !context_.builder().node(operand.node).is(Kind::BufferLoad)) {
    cursor_.fail(prefix.token, "the address of something that is not an element of a buffer");
  }
  return expr(operators_.call("tir.address_of", DType::Handle(), std::array{operand.node}));
}

/// `(T *)x + (i)`, as v0.8 prints an address.
Operand ExprReader::address_behind(const Operand& base, NodeId index) {
  const Operand place = subscript(base, expr(index));
  return expr(operators_.call("tir.address_of", DType::Handle(), std::array{place.node}));
}

/// An access of a buffer. C contains only accesses, so there is one buffer for each pointer and
/// element type, as large as its indices reach.
Operand ExprReader::subscript(const Operand& base, const Operand& index) {
  const NodeId at = expr_of(index);
  if (base.form == Operand::Form::record) {
    return {.form = Operand::Form::element, .record = base.record, .node = base.node, .other = at};
  }
  // The generator never computes pointers: every access uses a name.
  const bool is_variable = context_.builder().node(base.node).is(Kind::Var);
  const bool is_pointer = base.form == Operand::Form::pointer || base.form == Operand::Form::expr;
  if (!is_pointer || !is_variable || base.pointee.is_void()) {
    fail("a subscript of something that is not a pointer to elements of a known type");
  }
  if (std::ranges::find(context_.dimension_pointers, base.node) !=
      context_.dimension_pointers.end()) {
    fail("symbolic shapes and strides are not read");
  }
  const auto range = operators_.facts().of(at).range;
  Operand load = expr(operators_.load(context_.buffers.access(base.node, base.pointee, range), at));
  load.begin = base.begin;
  context_.module.note_load(load.node, base.begin, cursor_.end_before());
  return load;
}

NodeId ExprReader::expr_of(const Operand& value) {
  switch (value.form) {
    case Operand::Form::expr:
    case Operand::Form::pointer:
      return value.node;
    case Operand::Form::null:
      return operators_.null_handle();
    default:
      fail("a record or an address where a value is expected");
  }
}

/// Floats have the suffix of float32 or none, integers a `U` or none. A type before them is a cast,
/// which makes a literal of that type.
Operand ExprReader::number() {
  const Token token = cursor_.advance();
  std::string_view text = cursor_.text(token);
  Operand number{.form = Operand::Form::expr, .is_number = true};
  if (token.is(TokenKind::real)) {
    const DType dtype = text.ends_with('f') ? DType::Float(32) : DType::Float(64);
    if (text.ends_with('f')) text.remove_suffix(1);
    auto value = largest(text, dtype);
    if (!value) value = dtype.bits == 32 ? parse_float<float>(text) : parse_float<double>(text);
    if (!value) cursor_.fail(token, "expected a floating-point number");
    if (*value != 0) context_.losses.add(LossCode::float_digits);
    number.node = make().float_imm(dtype, *value);
    return number;
  }
  // `5U` is what large_uint_imm prints for uint32.
  const bool is_unsigned = text.ends_with('U');
  if (is_unsigned) text.remove_suffix(1);
  std::uint64_t value = 0;
  const bool is_hexadecimal = text.starts_with("0x") && !is_unsigned;
  if (is_hexadecimal) text.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  const bool is_octal = !is_hexadecimal && text.size() > 1 && text[0] == '0';
  // Such a hexadecimal literal is unsigned.
  const bool is_large = is_hexadecimal && value > 0x7fffffff;
  if (is_octal || is_large || error != std::errc() || end != text.data() + text.size()) {
    cursor_.fail(token, "expected an integer");
  }
  if (!is_unsigned) {
    number.node = operators_.integer(DType::Int(32), static_cast<std::int64_t>(value));
    context_.module.note_place(number.node, token.begin, token.end);
    return number;
  }
  const std::array halves = {
      make().int_imm(DType::UInt(32), static_cast<std::int64_t>(value & 0xffffffff)),
      make().int_imm(DType::UInt(32), static_cast<std::int64_t>(value >> 32))};
  return expr(operators_.call("tir.large_uint_imm", DType::UInt(32), halves));
}

/// These words stand for infinities and NaN.
Operand ExprReader::float_word(std::string_view word) {
  const bool is_single = word.ends_with("ff") || word == "nanf";
  if (is_single) word.remove_suffix(1);
  if (word != "inf" && word != "nan") return {};
  const double value = word == "inf" ? std::numeric_limits<double>::infinity()
                                     : std::numeric_limits<double>::quiet_NaN();
  return {.form = Operand::Form::expr,
          .is_number = true,
          .node = make().float_imm(DType::Float(is_single ? 32 : 64), value)};
}

/// A name, or the beginning of a call: then the operand has no form yet.
Operand ExprReader::name() {
  const Token token = cursor_.advance();
  const std::string_view word = cursor_.text(token);
  if (cursor_.at(sign("("))) {
    cursor_.advance();
    open(LevelKind::call);
    levels_.back().callee = word;
    levels_.back().begin = token;
    if (!cursor_.at(sign(")"))) return {};
    cursor_.advance();
    const Operand call = make_call(levels_.back());
    levels_.pop_back();
    return call;
  }
  if (word == "NULL") return {.form = Operand::Form::null};
  if (const Binding* const found = context_.names.find(word)) {
    const bool is_value = found->kind == BindingKind::variable ||
                          found->kind == BindingKind::temporary ||
                          found->kind == BindingKind::constant;
    if (!is_value) cursor_.fail(token, fmt::format("'{}' has no value here", word));
    return {.form = Operand::Form::expr,
            .is_temp = found->kind == BindingKind::temporary,
            .pointee = found->pointee,
            .begin = token.begin,
            .node = found->node};
  }
  const auto array = context_.module.facts.array_by_name.find(word);
  if (array != context_.module.facts.array_by_name.end()) {
    return {.form = Operand::Form::expr, .begin = token.begin, .node = constant(array->second)};
  }
  const Operand number = float_word(word);
  if (number.form == Operand::Form::none)
    cursor_.fail(token, fmt::format("unknown name '{}'", word));
  return number;
}

/// The first use of an array makes it an AllocateConst of this function. v0.8 prints a lookup_param
/// as the name of the array.
NodeId ExprReader::constant(std::size_t array) {
  const ConstantArray& declared = context_.module.facts.arrays[array];
  if (declared.name.starts_with(kLinkedParamPrefix)) {
    const std::array args = {make().string_imm(declared.name.substr(kLinkedParamPrefix.size()))};
    return operators_.call("tir.lookup_param", DType::Handle(), args);
  }
  const NodeId var = array_variable(context_.module, declared);
  context_.define(declared.name, {BindingKind::constant, DType::Void(), var});
  context_.buffers.set_bytes(
      var, static_cast<std::int64_t>(declared.count * declared.element.element_bytes()));
  context_.constants.push_back(array);
  return var;
}

NodeId ExprReader::memory(std::string_view name) {
  const Binding* const found = context_.names.find(name);
  const bool is_variable = found != nullptr && (found->kind == BindingKind::variable ||
                                                found->kind == BindingKind::constant);
  if (is_variable) return found->node;
  const auto array = context_.module.facts.array_by_name.find(name);
  if (found == nullptr && array != context_.module.facts.array_by_name.end()) {
    return constant(array->second);
  }
  cursor_.fail_at_word(name, fmt::format("unknown name '{}'", name));
}

/// A function of libm is an operator of the IR; any other function is external. Without a prototype
/// (TVM prints prototypes since v0.15), its type is that of its place, or int32 if the place has
/// none.
Operand ExprReader::make_call(const Level& level) {
  const std::vector<NodeId> args(
      arguments_.begin() + static_cast<std::ptrdiff_t>(level.first_argument), arguments_.end());
  arguments_.resize(level.first_argument);
  // A function of the library or of a board's kit has a known effect, unless the files define it.
  const bool is_of_library = math_call(level.callee) || find_cmsis_function(level.callee) ||
                             level.callee.starts_with("fmod") || level.callee.starts_with("mem") ||
                             (level.callee[0] >= 'A' && level.callee[0] <= 'Z');
  if (is_of_library && context_.module.facts.own_functions.contains(level.callee)) {
    cursor_.fail(level.begin, "a function of the library that the archive defines");
  }
  if (const auto math = math_call(level.callee)) {
    return expr(operators_.call(math->op, math->dtype, args));
  }
  // C has no operator for the remainder of floats.
  const bool is_remainder = level.callee == "fmod" || level.callee == "fmodf";
  if (is_remainder && args.size() == 2) {
    return expr(operators_.binary(*binary_operator("%"), args[0], args[1]));
  }
  const NodeId callee = make().string_imm(level.callee);
  context_.module.note_place(callee, level.begin.begin, level.begin.end);
  std::vector<NodeId> all = {callee};
  all.insert(all.end(), args.begin(), args.end());
  const auto known = context_.module.facts.results.find(level.callee);
  const bool is_known = known != context_.module.facts.results.end();
  if (!is_known) context_.losses.add(LossCode::call_dtype);
  const DType dtype = is_known ? known->second : DType::Int(32);
  const NodeId call = operators_.call("tir.call_extern", dtype, all);
  if (!is_known) untyped_calls_.insert(index(call));
  return expr(call);
}

void ExprReader::require_type(NodeId value, DType dtype) {
  if (untyped_calls_.erase(index(value)) > 0) {
    context_.builder().set(value, f::Call::dtype, dtype);
  }
  const DType found = make().dtype_of(value);
  if (found == dtype) return;
  fail(fmt::format("expected a value of type {}, found {}", to_string(dtype), to_string(found)));
}

}  // namespace mlf::tir::c
