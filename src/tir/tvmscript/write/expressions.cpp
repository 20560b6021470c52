// Expressions, without the calls.
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "tir/node_queries.h"
#include "tir/tvmscript/operators.h"
#include "tir/tvmscript/write/literals.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr double kLargestFloat32 = std::numeric_limits<float>::max();

bool is_number(Node node, double value) {
  if (node.is(Kind::IntImm)) return static_cast<double>(node.integer(f::IntImm::value)) == value;
  return node.is(Kind::FloatImm) && node.real(f::FloatImm::value) == value;
}

bool is_zero_or_one(Node node) {
  return is_number(node, 0) || is_number(node, 1);
}

/// Whether TVM, given the operator, would make something else than the node: it folds constants
/// and leaves neutral elements away. Rather too often than too seldom.
bool would_fold(Node node) {
  const Node a = node[f::Add::a];
  const Node b = node[f::Add::b];
  if (is_number_literal(a) && is_number_literal(b)) return true;
  switch (node.kind()) {
    case Kind::Add:
    case Kind::Sub:
      return is_number(a, 0) || is_number(b, 0);
    case Kind::Mul:
    case Kind::Div:
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return is_zero_or_one(a) || is_zero_or_one(b);
    default:
      return false;
  }
}

/// Whether the operator makes this kind of node out of operands of this type.
bool has_symbol(Node node) {
  if (operator_for(node.kind()) == nullptr) return false;
  const DType dtype = node[f::Add::a].dtype();
  if (dtype != node[f::Add::b].dtype() || dtype.is_handle()) return false;
  const bool is_integer = dtype.is_int() || dtype.is_uint();
  switch (node.kind()) {
    case Kind::Div:
      return !is_integer;
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return is_integer;
    case Kind::And:
    case Kind::Or:
      return dtype.is_scalar();  // of vectors it would be the bits
    default:
      return true;
  }
}

std::int64_t value_of(Node node) {
  return node.integer(f::IntImm::value);
}

/// Whether a number is read as that without its dtype: one too large for int32 would be int64.
bool is_bare(DType dtype, std::int64_t value) {
  return dtype == DType::Int(32) && int_imm_holds(dtype, value);
}

}  // namespace

/// Ends of ranges are sums; those of constants are computed, as TVM prints them.
TextFragments end_of(Node begin, Node extent) {
  TextFragments fragments;
  if (is_int(begin, 0)) return fragments.expr(extent);
  if (begin.is(Kind::IntImm) && extent.is(Kind::IntImm) && begin.dtype() == extent.dtype()) {
    // Unsigned, so that nonsense bounds wrap.
    const auto end = static_cast<std::int64_t>(static_cast<std::uint64_t>(value_of(begin)) +
                                               static_cast<std::uint64_t>(value_of(extent)));
    if (int_imm_holds(begin.dtype(), end)) {
      return fragments.text(is_bare(begin.dtype(), end)
                                ? fmt::format("{}", end)
                                : fmt::format("T.{}({})", to_string(begin.dtype()), end));
    }
  }
  return fragments.expr(begin, kSumLevel).text(" + ").expr(extent, kSumLevel + 1);
}

/// One step: the words of the node around its operands, which are printed later.
void Printer::expand_expr(Node node, Level level, TextFragments& out) {
  switch (node.kind()) {
    case Kind::Var:
    case Kind::SizeVar:
      return var(node, out);
    case Kind::IntImm:
      return int_imm(node, out);
    case Kind::FloatImm:
      return float_imm(node, out);
    case Kind::StringImm:
      out.text(quoted(node.text(f::StringImm::value)));
      return;
    case Kind::Not:
      return logical_not(node, level, out);
    case Kind::Cast:
    case Kind::Select:
    case Kind::Ramp:
    case Kind::Broadcast:
    case Kind::Shuffle:
    case Kind::Load:
    case Kind::Any:
      return regular_form(node, out);
    case Kind::Let:
      return let(node, out);
    case Kind::Call:
      return call(node, out);
    case Kind::Reduce:
      return reduce(node, out);
    case Kind::BufferLoad:
      return buffer_load(node, out);
    case Kind::MissingObject:
      return object(node, out);
    case Kind::OpaqueExpr:
      refuse(fmt::format("an expression of the unknown type {} cannot be written in TVMScript",
                         node.text(f::OpaqueExpr::type_key)));
    default:
      if (is_binary(node.kind())) return binary(node, level, out);
      refuse_kind(node.kind(), minor_version_);
  }
}

void Printer::var(Node node, TextFragments& out) {
  out.text(name_of(node));
}

std::string_view Printer::name_of(Node node) const {
  const std::string_view name = names_.find(node.id());
  if (!name.empty()) return name;
  throw OutOfScope{node};
}

void Printer::old_int_imm(Node node, TextFragments& out) {
  const DType dtype = node.dtype();
  const std::int64_t value = value_of(node);
  if (is_bare(dtype, value)) {
    out.text(fmt::format("{}", value));
  } else if (dtype.is_bool() && (value == 0 || value == 1)) {
    out.text(value == 0 ? "False" : "True");
  } else {
    out.text(fmt::format("T.{}({})", to_string(dtype), value));
  }
}

/// int32 is the only bare one: other widths are functions, and odd ones need the constructor.
void Printer::int_imm(Node node, TextFragments& out) {
  if (spelling_.is_old()) return old_int_imm(node, out);
  const DType dtype = node.dtype();
  const std::int64_t value = value_of(node);
  if (is_bare(dtype, value)) {
    out.text(fmt::format("{}", value));
  } else if (dtype.is_bool() && dtype.is_scalar() && (value == 0 || value == 1)) {
    out.text(value == 0 ? "T.bool(False)" : "T.bool(True)");
  } else if (has_function(dtype) && !dtype.is_handle()) {
    out.text(fmt::format("T.{}({})", to_string(dtype), value));
  } else {
    regular_form(node, out);
  }
}

void Printer::float_imm(Node node, TextFragments& out) {
  const DType dtype = node.dtype();
  const double number = node.real(f::FloatImm::value);
  const std::string value = std::isinf(number) && spelling_.infinity == Spelling::Infinity::number
                                ? fmt::format("{}1e999", number < 0 ? "-" : "")
                                : real_literal(number, minor_version_);
  // The function takes its argument for a float32 first.
  const bool is_too_large = std::isfinite(number) && std::abs(number) > kLargestFloat32;
  if (spelling_.is_old() || (has_function(dtype) && !is_too_large)) {
    out.text(fmt::format("T.{}({})", to_string(dtype), value));
  } else {
    regular_form(node, out);
  }
}

/// The operator where it makes this very node, or else its function.
void Printer::binary(Node node, Level level, TextFragments& out) {
  const bool constructs = spelling_.operators == Spelling::Operators::construct;
  const bool is_infix = constructs ? operator_for(node.kind()) != nullptr
                                   : open_lambdas_ == 0 && has_symbol(node) && !would_fold(node);
  if (is_infix) return infix(node, level, out);
  regular_form(node, out);
}

/// Brackets where the operator binds less tightly than its place asks for.
void Printer::infix(Node node, Level level, TextFragments& out) {
  const BinaryOperator& row = *operator_for(node.kind());
  const Level own = row.level;
  const bool is_comparison = own == kEqualityLevel || own == kComparisonLevel;
  const bool in_brackets = own < level;
  if (in_brackets) out.text("(");
  // Python would chain comparisons.
  out.expr(node[f::Add::a], is_comparison ? kSumLevel : own);
  out.text(" ")
      .text(row.symbol)
      .text(" ")
      .expr(node[f::Add::b], is_comparison ? kSumLevel : static_cast<Level>(own + 1));
  if (in_brackets) out.text(")");
}

void Printer::logical_not(Node node, Level level, TextFragments& out) {
  const Node operand = node[f::Not::a];
  const bool in_brackets = kNotLevel < level;
  if (spelling_.is_old()) {
    // TVM's printer binds `not` as tightly as a call, Python does not: brackets please both.
    out.text(in_brackets ? "(not (" : "not (").expr(operand).text(in_brackets ? "))" : ")");
    return;
  }
  if (open_lambdas_ > 0 || is_number_literal(operand)) {
    return regular_form(node, out);
  }
  out.text(in_brackets ? "(not " : "not ").expr(operand, kNotLevel).text(in_brackets ? ")" : "");
}

/// Since v0.12 the body comes first and the variable is a key.
void Printer::let(Node node, TextFragments& out) {
  if (spelling_.is_old()) return regular_form(node, out);
  begin_form(Kind::Let, out).expr(node[f::Let::body]).text(", where={").expr(node[f::Let::var]);
  out.text(": ").expr(node[f::Let::value]).text("})");
}

/// Loads with a predicate came with v0.17.
void Printer::buffer_load(Node node, TextFragments& out) {
  const std::string_view name = name_of(node[f::BufferLoad::buffer]);
  const NodeList indices = node.list(f::BufferLoad::indices);
  if (const Node predicate = node[f::BufferLoad::predicate]) {
    if (spelling_.is_old()) refuse("TVMScript before v0.12 has no loads with a predicate");
    out.text(name).text(".vload([").list(indices).text("], predicate=").expr(predicate).text(")");
    return;
  }
  out.text(name).text("[");
  indices.empty() ? out.text("()") : out.list(indices);
  out.text("]");
}

}  // namespace mlf::tir::tvmscript
