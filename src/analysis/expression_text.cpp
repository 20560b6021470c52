#include "analysis/expression_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/lookup.h"
#include "tir/integer_arithmetic.h"

namespace mlf::analysis {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

// With shared nodes, the text of an expression may be exponentially longer than its module.
constexpr std::size_t kLongestExpression = 2000;

/// How tightly operators bind, as in Python.
enum Binding : int {
  kIndex,  // between brackets, where a vector is a slice
  kLoosest,
  kConditional,
  kOr,
  kAnd,
  kNot,
  kComparison,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kTightest,
};

struct Infix {
  std::string_view sign;
  Binding binding;
};

/// The operators of binary nodes; other binary nodes print as calls: min(a, b).
std::optional<Infix> infix_of(Kind kind) {
  switch (kind) {
    case Kind::Add:
      return Infix{" + ", kSum};
    case Kind::Sub:
      return Infix{" - ", kSum};
    case Kind::Mul:
      return Infix{"*", kProduct};
    case Kind::Div:
      return Infix{"/", kProduct};
    case Kind::FloorDiv:
      return Infix{"//", kProduct};
    case Kind::FloorMod:
      return Infix{"%", kProduct};
    case Kind::EQ:
      return Infix{" == ", kComparison};
    case Kind::NE:
      return Infix{" != ", kComparison};
    case Kind::LT:
      return Infix{" < ", kComparison};
    case Kind::LE:
      return Infix{" <= ", kComparison};
    case Kind::GT:
      return Infix{" > ", kComparison};
    case Kind::GE:
      return Infix{" >= ", kComparison};
    case Kind::And:
      return Infix{" and ", kAnd};
    case Kind::Or:
      return Infix{" or ", kOr};
    default:
      return std::nullopt;
  }
}

/// The operators of calls that correspond to C operators.
std::optional<Infix> infix_of(std::string_view operation) {
  constexpr std::array<std::pair<std::string_view, Infix>, 5> kInfixes{
      {{"bitwise_and", {" & ", kBitAnd}},
       {"bitwise_or", {" | ", kBitOr}},
       {"bitwise_xor", {" ^ ", kBitXor}},
       {"shift_left", {" << ", kShift}},
       {"shift_right", {" >> ", kShift}}}};
  const auto found =
      std::ranges::find(kInfixes, operation, &std::pair<std::string_view, Infix>::first);
  return found == kInfixes.end() ? std::nullopt : std::optional(found->second);
}

std::string_view function_name(Kind kind) {
  switch (kind) {
    case Kind::Min:
      return "min";
    case Kind::Max:
      return "max";
    case Kind::Mod:
      return "truncmod";
    default:
      return tir::info(kind).name;
  }
}

bool fits(tir::DType dtype, std::int64_t value) {
  if (dtype.lanes != 1 || dtype.bits == 0) return false;
  if (dtype.is_int()) {
    return dtype.bits >= 64 || (value >= -(std::int64_t{1} << (dtype.bits - 1)) &&
                                value < (std::int64_t{1} << (dtype.bits - 1)));
  }
  return dtype.is_uint() && value >= 0 && (dtype.bits >= 63 || value >> dtype.bits == 0);
}

/// The value of `a kind b`; nullopt for other kinds, and if the divisor is not positive.
std::optional<std::int64_t> folded(Kind kind, std::int64_t a, std::int64_t b) {
  const bool is_division =
      kind == Kind::Div || kind == Kind::Mod || kind == Kind::FloorDiv || kind == Kind::FloorMod;
  if (is_division && b <= 0) return std::nullopt;
  return tir::integer_result(kind, a, b);
}

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  // 3.0 is a float, 3 is not.
  if (text.find_first_not_of("-0123456789") == text.npos) text += ".0";
  return text;
}

}  // namespace

ExpressionText::ExpressionText(Node function) {
  // Children come before parents, so every operand is folded already.
  tir::for_each_post_order(function[f::PrimFunc::body], [&](Node node) {
    if (tir::is_expr(node.category())) fold(node);
  });
  const tir::NodeMap buffers = function.map(f::PrimFunc::buffer_map);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string_view name = buffers.value(i).text(f::Buffer::name);
    if (name.empty()) continue;
    // Texts derive the names of a parameter's variables from the name of its Buffer.
    parameters_.emplace(index(buffers.key(i).id()), name);
    parameters_.emplace(index(buffers.value(i)[f::Buffer::data].id()), name);
  }
}

void ExpressionText::fold(Node expr) {
  const Kind kind = expr.kind();
  std::optional<std::int64_t> value;
  if (kind == Kind::IntImm) {
    value = expr.integer(f::IntImm::value);
  } else if (kind == Kind::Cast) {
    value = constant(expr[f::Cast::value]);
  } else if (tir::is_binary(kind)) {
    const auto a = constant(expr[f::Add::a]);
    const auto b = constant(expr[f::Add::b]);
    if (a && b) value = folded(kind, *a, *b);
  }
  if (value && fits(expr.dtype(), *value)) constants_.emplace(index(expr.id()), *value);
}

std::optional<std::int64_t> ExpressionText::constant(Node expr) const {
  if (expr.is(Kind::IntImm)) return expr.integer(f::IntImm::value);
  return support::value_at(constants_, index(expr.id()));
}

std::string_view ExpressionText::name_of(Node variable) const {
  const auto found = parameters_.find(index(variable.id()));
  if (found != parameters_.end()) return found->second;
  return variable.is(Kind::Var) || variable.is(Kind::SizeVar) ? variable.text(f::Var::name) : "?";
}

Node ExpressionText::simplified(Node expr) const {
  for (;;) {
    const Kind kind = expr.kind();
    if (kind == Kind::Broadcast) {
      expr = expr[f::Broadcast::value];
    } else if (kind == Kind::Cast && expr[f::Cast::value].dtype() == expr.dtype()) {
      expr = expr[f::Cast::value];
    } else if (graph::operator_of(expr) == "likely" && expr.list(f::Call::args).size() == 1) {
      expr = expr.list(f::Call::args)[0];
    } else if (kind == Kind::Add && constant(expr[f::Add::a]) == 0) {
      expr = expr[f::Add::b];
    } else if ((kind == Kind::Add || kind == Kind::Sub) && constant(expr[f::Add::b]) == 0) {
      expr = expr[f::Add::a];
    } else if (kind == Kind::Mul && constant(expr[f::Mul::a]) == 1) {
      expr = expr[f::Mul::b];
    } else if ((kind == Kind::Mul || kind == Kind::Div || kind == Kind::FloorDiv) &&
               constant(expr[f::Mul::b]) == 1) {
      expr = expr[f::Mul::a];
    } else {
      return expr;
    }
  }
}

/// Writes one expression with an explicit stack: the input determines the nesting.
class ExpressionWriter {
 public:
  explicit ExpressionWriter(const ExpressionText& names) : names_(names) {}

  std::string run(Node expr, int around) {
    stack_.emplace_back(expr, around);
    while (!stack_.empty()) {
      const Part part = std::move(stack_.back());
      stack_.pop_back();
      if (text_.size() > kLongestExpression) return text_.substr(0, kLongestExpression) + "...";
      if (part.node) {
        write(part.node, part.binding);
      } else {
        text_ += part.text;
      }
    }
    return std::move(text_);
  }

 private:
  /// An expression with the binding of its context, or else a text.
  struct Part {
    Part(Node expr, int around) : node(expr), binding(around) {}
    Part(std::string_view words) : text(words) {}
    Node node{};
    int binding = kLoosest;
    std::string text{};
  };

  void infix(Node a, Infix sign, Node b, int around) {
    const int binding = sign.binding;
    // Operators associate to the left; in Python, comparisons would chain.
    const int left = binding == kComparison ? binding + 1 : binding;
    put({Part(a, left), Part(sign.sign), Part(b, binding + 1)}, binding, around);
  }

  void function(std::string_view name, const std::vector<Node>& args) {
    std::vector<Part> parts{Part(name), Part("(")};
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i > 0) parts.emplace_back(", ");
      parts.emplace_back(args[i], kLoosest);
    }
    parts.emplace_back(")");
    put(parts);
  }

  void element(std::string_view name, tir::NodeList indices) {
    std::vector<Part> parts{Part(name), Part("[")};
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (i > 0) parts.emplace_back(", ");
      parts.emplace_back(indices[i], kIndex);
    }
    parts.emplace_back("]");
    put(parts);
  }

  /// Adjacent elements as a slice, if their number is known.
  void write_ramp(Node ramp, bool is_index) {
    const Node base = ramp[f::Ramp::base];
    const Node stride = ramp[f::Ramp::stride];
    const auto step = names_.constant(stride);
    const auto lanes = names_.constant(ramp[f::Ramp::lanes]);
    const bool is_slice = is_index && step && lanes && *step > 0 && *step<INT16_MAX&& * lanes> 0 &&
                          *lanes <= INT16_MAX;
    if (!is_slice) return function("ramp", {base, stride, ramp[f::Ramp::lanes]});
    const std::int64_t length = *step * *lanes;
    const std::string by = *step == 1 ? "" : fmt::format(" : {}", *step);
    const auto begin = names_.constant(base);
    if (begin && *begin <= INT32_MAX) {
      text_ += fmt::format("{} : {}{}", *begin, *begin + length, by);
      return;
    }
    put({Part(base, kSum), Part(" : "), Part(base, kSum), Part(fmt::format(" + {}", length) + by)});
  }

  /// Writes a node without a rule by its name, with its expressions as arguments.
  void write_any(Node expr) {
    std::vector<Node> parts;
    tir::for_each_child(expr, [&](Node child, const tir::FieldInfo&) {
      if (tir::is_expr(child.category())) parts.push_back(child);
    });
    function(function_name(expr.kind()), parts);
  }

  void write_call(Node expr, int around) {
    const std::string_view operation = graph::operator_of(expr);
    const tir::NodeList list = expr.list(f::Call::args);
    std::vector<Node> args;
    for (const Node arg : list) args.push_back(arg);
    if (const auto sign = infix_of(operation); sign && args.size() == 2) {
      return infix(args[0], *sign, args[1], around);
    }
    if (operation == "if_then_else" && args.size() == 3) {
      return put({Part(args[1], kConditional + 1), Part(" if "), Part(args[0], kConditional + 1),
                  Part(" else "), Part(args[2], kConditional)},
                 kConditional, around);
    }
    if (operation == "address_of" && args.size() == 1) {
      return put({Part("&"), Part(args[0], kUnary)}, kUnary, around);
    }
    if (operation == "bitwise_not" && args.size() == 1) {
      return put({Part("~"), Part(args[0], kUnary)}, kUnary, around);
    }
    if (operation == "ret" && args.size() == 1) {
      return put({Part("return "), Part(args[0], kLoosest)});
    }
    const bool is_extern = operation == "call_extern" || operation == "call_pure_extern";
    if (is_extern && !args.empty() && !graph::string_of(args[0]).empty()) {
      return function(graph::string_of(args[0]), {args.begin() + 1, args.end()});
    }
    const Node op = expr[f::Call::op];
    function(op.is(Kind::GlobalVar) ? op.text(f::GlobalVar::name_hint) : operation, args);
  }

  void write(Node expr, int around) {
    if (const auto value = names_.constant(expr)) {
      if (expr.dtype().is_bool()) {
        text_ += *value != 0 ? "True" : "False";
      } else {
        text_ +=
            *value < 0 && around > kSum ? fmt::format("({})", *value) : fmt::format("{}", *value);
      }
      return;
    }
    expr = names_.simplified(expr);
    const Kind kind = expr.kind();
    if (const auto sign = infix_of(kind)) {
      return infix(expr[f::Add::a], *sign, expr[f::Add::b], around);
    }
    switch (kind) {
      case Kind::Var:
      case Kind::SizeVar:
        text_ += names_.name_of(expr);
        return;
      case Kind::IntImm:
        text_ += std::to_string(expr.integer(f::IntImm::value));
        return;
      case Kind::FloatImm:
        text_ += real_text(expr.real(f::FloatImm::value));
        return;
      case Kind::StringImm:
        return put({Part("\""), Part(expr.text(f::StringImm::value)), Part("\"")});
      case Kind::Cast:
        // Lanes are those of the value.
        text_ += tir::to_string(expr.dtype().element());
        return put({Part("("), Part(expr[f::Cast::value], kLoosest), Part(")")});
      case Kind::Not:
        return put({Part("not "), Part(expr[f::Not::a], kNot)}, kNot, around);
      case Kind::Select:
        return function("select", {expr[f::Select::condition], expr[f::Select::true_value],
                                   expr[f::Select::false_value]});
      case Kind::Let:
        return put({Part("let("), Part(names_.name_of(expr[f::Let::var])), Part(" = "),
                    Part(expr[f::Let::value], kLoosest), Part(", "),
                    Part(expr[f::Let::body], kLoosest), Part(")")});
      case Kind::Ramp:
        return write_ramp(expr, around == kIndex);
      case Kind::Load:
        return put({Part(names_.name_of(expr[f::Load::buffer_var])), Part("["),
                    Part(expr[f::Load::index], kIndex), Part("]")});
      case Kind::BufferLoad:
        return element(names_.name_of(expr[f::BufferLoad::buffer][f::Buffer::data]),
                       expr.list(f::BufferLoad::indices));
      case Kind::Call:
        return write_call(expr, around);
      default:
        return write_any(expr);
    }
  }

  /// Adds the next parts, in reading order.
  void put(const std::vector<Part>& parts) {
    stack_.insert(stack_.end(), parts.rbegin(), parts.rend());
  }
  /// The same, with parentheses if the text would otherwise have another meaning.
  void put(std::vector<Part> parts, int binding, int around) {
    if (binding < around) {
      parts.insert(parts.begin(), Part("("));
      parts.emplace_back(")");
    }
    put(parts);
  }

  const ExpressionText& names_;
  std::vector<Part> stack_;
  std::string text_;
};

std::string ExpressionText::text(Node expr) const {
  return expr ? ExpressionWriter(*this).run(expr, kLoosest) : "?";
}

std::string ExpressionText::index_text(Node index) const {
  return index ? ExpressionWriter(*this).run(index, kIndex) : "?";
}

std::string ExpressionText::list_text(tir::NodeList list) const {
  std::string text = "[";
  for (const Node one : list) text += (text.size() > 1 ? ", " : "") + index_text(one);
  return text + "]";
}

}  // namespace mlf::analysis
