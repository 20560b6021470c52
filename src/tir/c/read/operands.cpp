// The leaves of expressions: numbers, names and calls.
#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "tir/c/read/expressions.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {
namespace {

// v0.8 links parameters under these names.

bool is_float_text(std::string_view text) {
  return !text.starts_with("0x") && text.find_first_of(".eE") != text.npos;
}

template <class Float>
std::optional<double> parse_float(std::string_view text) {
  Float value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  return static_cast<double>(value);
}

/// The largest numbers are the usual start of a maximum. Seven digits round them up.
std::optional<double> largest(std::string_view text, DType dtype) {
  if (dtype.bits == 32 && text == "3.402823e+38") {
    return double{std::numeric_limits<float>::max()};
  }
  if (dtype.bits == 64 && text == "1.797693e+308") return std::numeric_limits<double>::max();
  return std::nullopt;
}

}  // namespace

/// Floats have the suffix of float32 or none, integers a `U` or none. A type before them is a cast
/// that makes a literal of its type.
Value ExprReader::number() {
  const Token token = cursor_.advance();
  std::string_view text = cursor_.text(token);
  Value number{.form = Value::Form::expr, .is_number = true};
  if (is_float_text(text)) {
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
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    cursor_.fail(token, "expected a decimal number");
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

/// Infinities and NaN are printed by these words.
Value ExprReader::float_word(std::string_view word) {
  const bool is_single = word.ends_with("ff") || word == "nanf";
  if (is_single) word.remove_suffix(1);
  if (word != "inf" && word != "nan") return {};
  const double value = word == "inf" ? std::numeric_limits<double>::infinity()
                                     : std::numeric_limits<double>::quiet_NaN();
  return {.form = Value::Form::expr,
          .is_number = true,
          .node = make().float_imm(DType::Float(is_single ? 32 : 64), value)};
}

/// A name, or the beginning of a call: then the value has no form yet.
Value ExprReader::name() {
  const Token token = cursor_.advance();
  const std::string_view word = cursor_.text(token);
  if (cursor_.at(sign("("))) {
    cursor_.advance();
    open(LevelKind::call);
    levels_.back().callee = word;
    levels_.back().begin = token;
    if (!cursor_.at(sign(")"))) return {};
    cursor_.advance();
    const Value call = make_call(levels_.back());
    levels_.pop_back();
    return call;
  }
  if (word == "NULL") return {.form = Value::Form::null};
  if (const Binding* const found = context_.names.find(word)) {
    const bool is_value = found->kind == Binding::Kind::variable ||
                          found->kind == Binding::Kind::temporary ||
                          found->kind == Binding::Kind::constant;
    if (!is_value) cursor_.fail(token, fmt::format("'{}' has no value here", word));
    return {.form = Value::Form::expr,
            .is_temp = found->kind == Binding::Kind::temporary,
            .pointee = found->pointee,
            .begin = token.begin,
            .node = found->node};
  }
  const auto array = context_.module.facts.array_by_name.find(word);
  if (array != context_.module.facts.array_by_name.end()) {
    return {.form = Value::Form::expr, .begin = token.begin, .node = constant(array->second)};
  }
  const Value number = float_word(word);
  if (number.form == Value::Form::none) cursor_.fail(token, fmt::format("unknown name '{}'", word));
  return number;
}

/// The first use of an array makes it an AllocateConst of this function. v0.8 prints a lookup_param
/// by the name of the array.
NodeId ExprReader::constant(std::size_t array) {
  const ConstantArray& declared = context_.module.facts.arrays[array];
  if (declared.name.starts_with(kLinkedParamPrefix)) {
    const std::array args = {make().string_imm(declared.name.substr(kLinkedParamPrefix.size()))};
    return operators_.call("tir.lookup_param", DType::Handle(), args);
  }
  const NodeId type = make().pointer_type(make().prim_type(declared.element), "global");
  const NodeId var = make().var(declared.name, type);
  context_.define(declared.name, {Binding::Kind::constant, DType::Void(), var});
  context_.buffers.set_bytes(
      var, static_cast<std::int64_t>(declared.count * declared.element.element_bytes()));
  context_.constants.push_back(array);
  return var;
}

std::optional<NodeId> ExprReader::memory(std::string_view name) {
  const Binding* const found = context_.names.find(name);
  const bool is_variable = found != nullptr && (found->kind == Binding::Kind::variable ||
                                                found->kind == Binding::Kind::constant);
  if (is_variable) return found->node;
  const auto array = context_.module.facts.array_by_name.find(name);
  if (found != nullptr || array == context_.module.facts.array_by_name.end()) return std::nullopt;
  return constant(array->second);
}

/// A function of libm is an operator of the IR; any other is external. Without a prototype (printed
/// since v0.15) its type is that of its place, int32 until one says otherwise.
Value ExprReader::make_call(const Level& level) {
  const std::vector<NodeId> args(
      arguments_.begin() + static_cast<std::ptrdiff_t>(level.first_argument), arguments_.end());
  arguments_.resize(level.first_argument);
  if (const auto math = math_call(level.callee)) {
    return expr(operators_.call(math->op, math->dtype, args));
  }
  // Mod of floats has no operator in C.
  const bool is_remainder = level.callee == "fmod" || level.callee == "fmodf";
  if (is_remainder && args.size() == 2) {
    return expr(operators_.binary(*binary_operator("%"), args[0], args[1]));
  }
  std::vector<NodeId> all = {make().string_imm(level.callee)};
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
