#include "tir/c/write/expressions.h"

#include <fmt/core.h>

#include "support/error.h"
#include "tir/c/language.h"
#include "tir/c/write/spelling.h"
#include "tir/written_size.h"

namespace mlf::tir::c {
/// The text of an expression; lines that it needs before it are in the code already.
std::string ExprWriter::operator()(Node expr) {
  text_.clear();
  push({expr});
  while (!frames_.empty()) step();
  return std::move(text_);
}

std::string ExprWriter::place(Node buffer, Node index) {
  const std::string at = (*this)(index);
  const bool has_brackets = forms_.has(TvmFeature::c_bracketed_index);
  return fmt::format("{}{}{}{}", pointer_text(buffer), has_brackets ? "[(" : "[", at,
                     has_brackets ? ")]" : "]");
}

// --- Variables ---------------------------------------------------------------------------------

const std::string& ExprWriter::declare(Node var, DType pointee) {
  Variable& variable = variables_[index(var.id())];
  variable = {code_.fresh(var.text(f::Var::name)), pointee};
  return variable.name;
}

const std::string& ExprWriter::name_of(Node var) const {
  const auto found = variables_.find(index(var.id()));
  if (found == variables_.end()) {
    throw support::Error(
        ErrorKind::invalid_input,
        fmt::format("the variable '{}' is used where it is not defined", var.text(f::Var::name)));
  }
  return found->second.name;
}

/// The data pointer of a buffer, as one to its elements.
std::string ExprWriter::pointer_text(Node buffer) const {
  const Node data = buffer[f::Buffer::data];
  const std::string& name = name_of(data);
  const DType element = buffer.dtype(f::Buffer::dtype);
  if (variables_.at(index(data.id())).pointee == element) return name;
  return fmt::format("(({}*){})", type_text(element), name);
}

// --- The stack ---------------------------------------------------------------------------------

/// Expressions are DAGs in memory and trees in C: shared ones are written each time. Some forms
/// name an operand more than once, which `check_written_size` does not know.
void ExprWriter::push(const Operand& operand) {
  if (++written_ > most_nodes_) refuse_written_size(most_nodes_);
  Frame frame{.node = operand.node, .plan = {}, .ids = {}};
  if (!leaf(operand.node)) frame.plan = plan(operand, frame.extra);
  frames_.push_back(std::move(frame));
}

/// Prints what has no operands.
bool ExprWriter::leaf(Node node) {
  switch (node.kind()) {
    case Kind::Var:
    case Kind::SizeVar:
      text_ += name_of(node);
      return true;
    case Kind::IntImm: {
      const std::string literal = integer_text(node.dtype(), node.integer(f::IntImm::value));
      if (node.dtype() == DType::Int(32)) code_.mark_constant(literal);
      text_ += literal;
      return true;
    }
    case Kind::FloatImm: {
      const std::string literal = float_text(node.dtype(), node.real(f::FloatImm::value));
      if (node.dtype().bits >= 32) code_.mark_constant(literal);
      text_ += literal;
      return true;
    }
    case Kind::StringImm:
      text_ += fmt::format("\"{}\"", node.text(f::StringImm::value));
      return true;
    default:
      return false;
  }
}

/// Prints the form of the innermost expression up to its next operand.
void ExprWriter::step() {
  Frame& frame = frames_.back();
  const std::string& form = frame.plan.form;
  // Up to the next operand; without one, to the end.
  const std::size_t mark = form.find(kOperand, frame.at);
  text_.append(form, frame.at, mark == form.npos ? form.npos : mark - frame.at);
  if (mark != form.npos) {
    frame.at = mark + 1;
    begin_operand(frame);
    const Operand operand = frame.plan.operands[frame.next];
    return push(operand);
  }
  finish(frame);
  frames_.pop_back();
  if (!frames_.empty()) end_operand(frames_.back());
}

/// What was printed for the operand that is complete; it is not in the text any more.
std::string ExprWriter::take_operand(const Frame& frame) {
  std::string operand = text_.substr(frame.begin);
  text_.resize(frame.begin);
  return operand;
}

/// A reinterpretation computes its operand in a scope of its own, so that the temporary is not used
/// again behind it.
void ExprWriter::begin_operand(Frame& frame) {
  frame.begin = text_.size();
  if (frame.extra == Extra::reinterpret) frame.scope = code_.begin_scope();
  if (frame.extra == Extra::conditional && frame.next == 0) {
    frame.ids.push_back(code_.fresh("condval"));
  }
}

/// Operands of min, max and reinterpret are named, because C prints them twice or takes their
/// address.
void ExprWriter::end_operand(Frame& frame) {
  switch (frame.extra) {
    case Extra::none:
      break;
    case Extra::pair:
    case Extra::reinterpret: {
      const DType dtype = frame.plan.operands[frame.next].node.dtype();
      frame.ids.push_back(code_.temporary(take_operand(frame), type_text(dtype)));
      if (frame.extra == Extra::reinterpret) code_.end_scope(frame.scope);
      break;
    }
    case Extra::conditional:
      set_conditional(frame);
      break;
  }
  ++frame.next;
}

/// `T condval; if (c) { condval = a; } else { condval = b; }`, one operand after the other.
void ExprWriter::set_conditional(Frame& frame) {
  const std::string& name = frame.ids.front();
  const std::string value = take_operand(frame);
  if (frame.next == 0) {
    code_.line("{} {};", type_text(frame.node.dtype()), name);
    code_.line("if ({}) {{", value);
    frame.scope = code_.begin_scope();
    return;
  }
  code_.line("{} = {};", name, value);
  code_.end_scope(frame.scope);
  if (frame.next == 1) {
    code_.line("}} else {{");
    frame.scope = code_.begin_scope();
  } else {
    code_.line("}}");
  }
}

/// What is printed of the names of operands when all of them are known.
void ExprWriter::finish(Frame& frame) {
  switch (frame.extra) {
    case Extra::none:
      return;
    case Extra::pair: {
      const std::string& a = frame.ids[0];
      const std::string& b = frame.ids[1];
      const char* const sign = frame.node.is(Kind::Min) ? "<" : ">";
      text_ += fmt::format("(({}) {} ({}) ? ({}) : ({}))", a, sign, b, a, b);
      return;
    }
    case Extra::reinterpret:
      text_ += fmt::format("(*({} *)(&({})))", type_text(frame.node.dtype()), frame.ids[0]);
      return;
    case Extra::conditional:
      text_ += frame.ids[0];
      return;
  }
}

// --- Forms -------------------------------------------------------------------------------------

/// How an expression is printed: its form, with a mark for each operand.
ExprWriter::Plan ExprWriter::plan(const Operand& operand, Extra& extra) {
  const Node node = operand.node;
  if (!node.dtype().is_scalar() && !node.dtype().is_void()) {
    cannot_print("an expression of type " + to_string(node.dtype()));
  }
  switch (node.kind()) {
    case Kind::Cast:
      return cast_plan(node);
    case Kind::Not:
      return {"!\1", {{node[f::Not::a]}}};
    case Kind::Select:
      return {"(\1 ? \1 : \1)",
              {{node[f::Select::condition]},
               {node[f::Select::true_value]},
               {node[f::Select::false_value]}}};
    case Kind::BufferLoad:
      return element_plan(node);
    case Kind::Call:
      return call_plan(node, extra);
    case Kind::FloorDiv:
    case Kind::FloorMod:
      return division_plan(node, operand.division);
    case Kind::Min:
    case Kind::Max:
      extra = Extra::pair;
      return binary_plan(node);
    default:
      if (!is_binary(node.kind())) cannot_print(node.info().name);
      return binary_plan(node);
  }
}

/// A cast to the same type prints nothing.
ExprWriter::Plan ExprWriter::cast_plan(Node cast) const {
  const Node value = cast[f::Cast::value];
  if (value.dtype() == cast.dtype()) return {"\1", {{value}}};
  return {fmt::format("(({})\1)", type_text(cast.dtype())), {{value}}};
}

ExprWriter::Plan ExprWriter::element_plan(Node load) const {
  const NodeList indices = load.list(f::BufferLoad::indices);
  if (indices.size() != 1) cannot_print("a load from a buffer that is not flat");
  if (load[f::BufferLoad::predicate]) cannot_print("a load with a predicate");
  return {subscript(load[f::BufferLoad::buffer]), {{indices[0]}}};
}

std::string ExprWriter::subscript(Node buffer) const {
  return pointer_text(buffer) + (forms_.has(TvmFeature::c_bracketed_index) ? "[(\1)]" : "[\1]");
}

/// `(a op b)`, but for min and max, the remainder of floats, and divisions whose sign makes no
/// difference where they are.
ExprWriter::Plan ExprWriter::binary_plan(Node node) {
  const Node a = node[f::Add::a];
  const Node b = node[f::Add::b];
  const Kind kind = node.kind();
  if (kind == Kind::EQ || kind == Kind::NE) return remainder_of_zero_test(node);
  if (kind == Kind::Max) {
    // The sign of the quotient makes no difference to the maximum.
    const bool is_positive = b.is(Kind::IntImm) && b.integer(f::IntImm::value) >= 0;
    return {"\1\1", {{a, is_positive ? Division::truncate : Division::floor}, {b}}};
  }
  if (kind == Kind::Min) return {"\1\1", {{a}, {b}}};
  if (kind == Kind::Mod && node.dtype().is_float()) {
    return {node.dtype().bits == 32 ? "fmodf(\1, \1)" : "fmod(\1, \1)", {{a}, {b}}};
  }
  for (const BinaryOperator& row : binary_operators()) {
    if (row.op.empty() && row.kind == kind) {
      return {fmt::format("(\1 {} \1)", row.spelling), {{a}, {b}}};
    }
  }
  cannot_print(node.info().name);
}

/// Whether a remainder is zero does not depend on its sign.
ExprWriter::Plan ExprWriter::remainder_of_zero_test(Node node) {
  const Node a = node[f::EQ::a];
  const Node b = node[f::EQ::b];
  const bool is_test = b.is(Kind::IntImm) && b.integer(f::IntImm::value) == 0;
  return {node.is(Kind::EQ) ? "(\1 == \1)" : "(\1 != \1)",
          {{a, is_test && a.is(Kind::FloorMod) ? Division::truncate : Division::floor}, {b}}};
}

}  // namespace mlf::tir::c
