#include "tir/c/write/expressions.h"

#include <fmt/core.h>

#include <bit>

#include "support/error.h"
#include "tir/written_size.h"

namespace mlf::tir::c {

/// The text of an expression; the code already contains the lines that it needs before it.
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

/// Expressions are DAGs in memory and trees in C, so shared ones are written each time. Some forms
/// use an operand more than once, which `check_written_size` does not know.
void ExprWriter::push(const Operand& operand) {
  if (++written_ > most_nodes_) refuse_written_size(most_nodes_);
  OpenExpression frame{.node = operand.node, .plan = {}, .ids = {}};
  if (!leaf(operand.node)) frame.plan = plan(operand, frame.extra);
  frames_.push_back(std::move(frame));
}

/// Prints an expression without operands.
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
  OpenExpression& frame = frames_.back();
  const std::string& form = frame.plan.form;
  // Up to the next operand, or to the end.
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

/// Removes the text of the complete operand and returns it.
std::string ExprWriter::take_operand(const OpenExpression& frame) {
  std::string operand = text_.substr(frame.begin);
  text_.resize(frame.begin);
  return operand;
}

/// A reinterpretation computes its operand in its own scope, so later code does not reuse the
/// temporary.
void ExprWriter::begin_operand(OpenExpression& frame) {
  frame.begin = text_.size();
  if (frame.extra == Extra::reinterpret) frame.scope = code_.begin_scope();
  if (frame.extra == Extra::conditional && frame.next == 0) {
    frame.ids.push_back(code_.fresh("condval"));
  }
}

/// Names the operands of min, max and reinterpret, because C prints them twice or takes their
/// address.
void ExprWriter::end_operand(OpenExpression& frame) {
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
void ExprWriter::set_conditional(OpenExpression& frame) {
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

void ExprWriter::finish(OpenExpression& frame) {
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

/// `(a op b)`. Exceptions: min and max, the remainder of floats, and divisions whose sign does not
/// matter.
ExprWriter::Plan ExprWriter::binary_plan(Node node) {
  const Node a = node[f::Add::a];
  const Node b = node[f::Add::b];
  const Kind kind = node.kind();
  if (kind == Kind::EQ || kind == Kind::NE) return remainder_of_zero_test(node);
  if (kind == Kind::Max) {
    // The sign of the quotient does not affect the maximum.
    const bool is_positive = b.is(Kind::IntImm) && b.integer(f::IntImm::value) >= 0;
    return {"\1\1", {{a, is_positive ? Division::truncate : Division::floor}, {b}}};
  }
  if (kind == Kind::Min) return {"\1\1", {{a}, {b}}};
  if (kind == Kind::Mod && node.dtype().is_float()) {
    return {node.dtype().bits == 32 ? "fmodf(\1, \1)" : "fmod(\1, \1)", {{a}, {b}}};
  }
  const std::string_view sign = binary_spelling(kind);
  if (sign.empty()) cannot_print(node.info().name);
  return {fmt::format("(\1 {} \1)", sign), {{a}, {b}}};
}

/// The sign of a remainder does not affect its comparison with zero.
ExprWriter::Plan ExprWriter::remainder_of_zero_test(Node node) {
  const Node a = node[f::EQ::a];
  const Node b = node[f::EQ::b];
  return {
      node.is(Kind::EQ) ? "(\1 == \1)" : "(\1 != \1)",
      {{a, is_int_imm(b, 0) && a.is(Kind::FloorMod) ? Division::truncate : Division::floor}, {b}}};
}

// --- Calls and fields of records -----------------------------------------------------------------

namespace {

/// Operators that are printed as one text around their arguments.
struct SimpleForm {
  std::string_view op;
  std::size_t arguments;
  std::string_view form;
  std::size_t repeats;  ///< how often a single argument is printed
};
constexpr auto kSimpleForms = std::to_array<SimpleForm>({
    {"tir.bitwise_not", 1, "(~\1)", 1},
    {"tir.isnullptr", 1, "(\1 == NULL)", 1},
    {"tir.isnan", 1, "(\1 != \1)", 2},
    {"tir.tvm_thread_invariant", 1, "(\1)", 1},
});

std::string argument_list(std::size_t count) {
  std::string list = "(";
  for (std::size_t i = 0; i < count; ++i) list += i == 0 ? "\1" : ", \1";
  return list + ")";
}

/// The function of libm for this type.
std::string math_function(std::string_view name, DType dtype) {
  if (dtype == DType::Float(64)) return std::string(name);
  if (dtype == DType::Float(32)) return std::string(name) + "f";
  cannot_print(fmt::format("{} of {}", name, to_string(dtype)));
}

std::uint64_t large_uint(NodeList halves) {
  const auto half = [&](std::size_t i) {
    return static_cast<std::uint64_t>(halves[i].integer(f::IntImm::value));
  };
  return half(1) << 32 | half(0);
}

/// The exponent of a power of two; nullopt for any other expression.
std::optional<int> exponent_of(Node divisor) {
  if (!divisor.is(Kind::IntImm)) return std::nullopt;
  const std::int64_t value = divisor.integer(f::IntImm::value);
  if (value <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(value))) return std::nullopt;
  return std::countr_zero(static_cast<std::uint64_t>(value));
}

bool is_at_least_zero(const std::optional<Interval>& range) {
  return range && range->low >= 0;
}

/// For a power of two: the shift of a quotient, or the mask of a remainder.
std::int64_t power_argument(Node node, int exponent) {
  if (node.is(Kind::FloorDiv)) return exponent;
  return static_cast<std::int64_t>((std::uint64_t{1} << exponent) - 1);
}

}  // namespace

/// The form of a call: an operator of C, a function of libm, a statement before it (condval), a
/// reinterpretation of a temporary, a field of a record, or an external function.
ExprWriter::Plan ExprWriter::call_plan(Node call, Extra& extra) {
  const std::string_view op = operator_of(call);
  const NodeList args = call.list(f::Call::args);
  std::vector<Operand> operands;
  for (const Node arg : args) operands.push_back({arg});
  for (const SimpleForm& row : kSimpleForms) {
    if (row.op != op || args.size() != row.arguments) continue;
    operands.resize(row.repeats, operands.front());
    return {std::string(row.form), std::move(operands)};
  }
  const std::string_view sign = binary_spelling(Kind::Call, op);
  if (!sign.empty() && args.size() == 2) {
    return {fmt::format("(\1 {} \1)", sign), std::move(operands)};
  }
  if (const std::string_view name = math_name(op); !name.empty()) {
    return {math_function(name, call.dtype()) + argument_list(args.size()), std::move(operands)};
  }
  // Up to v0.15 both branches are computed if they need temporaries; since v0.16 only one is.
  if (op == "tir.if_then_else" && args.size() == 3) {
    if (!forms_.has(TvmFeature::c_condval)) return {"(\1 ? \1 : \1)", std::move(operands)};
    extra = Extra::conditional;
    return {"\1\1\1", std::move(operands)};
  }
  if (op == "tir.reinterpret" && args.size() == 1) {
    extra = Extra::reinterpret;
    return {"\1", std::move(operands)};
  }
  if (op == "tir.address_of" && args.size() == 1 && args[0].is(Kind::BufferLoad)) {
    return address_plan(args[0]);
  }
  if (op == "tir.tvm_struct_get" && args.size() == 3) return struct_plan(call);
  return external_plan(call);
}

/// `(&(x[i]))`; up to v0.8 the sum of pointer and index.
ExprWriter::Plan ExprWriter::address_plan(Node load) const {
  Plan element = element_plan(load);
  if (!forms_.has(TvmFeature::c_address_by_sum)) {
    element.form = "(&(" + element.form + "))";
    return element;
  }
  const Node buffer = load[f::BufferLoad::buffer];
  element.form = fmt::format("(({} *){} + (\1))", type_text(buffer.dtype(f::Buffer::dtype)),
                             name_of(buffer[f::Buffer::data]));
  return element;
}

/// call_extern and call_pure_extern, parameters linked by v0.8, and integers above the range of
/// IntImm. Target c has no rule for other calls, and TVM rejects them too.
ExprWriter::Plan ExprWriter::external_plan(Node call) {
  const std::string_view op = operator_of(call);
  const NodeList args = call.list(f::Call::args);
  const bool is_external = op == "tir.call_extern" || op == "tir.call_pure_extern";
  if (is_external && !args.empty() && args[0].is(Kind::StringImm)) {
    std::vector<Operand> operands;
    for (std::size_t i = 1; i < args.size(); ++i) operands.push_back({args[i]});
    text_ += args[0].text(f::StringImm::value);
    return {argument_list(operands.size()), std::move(operands)};
  }
  if (op == "tir.lookup_param" && args.size() == 1 && args[0].is(Kind::StringImm)) {
    text_ += fmt::format("__tvm_param__{}", args[0].text(f::StringImm::value));
    return {};
  }
  const bool has_halves = args.size() == 2 && args[0].is(Kind::IntImm) && args[1].is(Kind::IntImm);
  if (op == "tir.large_uint_imm" && has_halves) {
    const bool is_short = call.dtype() == DType::UInt(32);
    const std::string literal =
        is_short ? fmt::format("{}U", large_uint(args))
                 : fmt::format("({}){}", type_text(call.dtype()), large_uint(args));
    if (is_short) code_.mark_constant(literal);
    text_ += literal;
    return {};
  }
  cannot_print(op.empty() ? "a call of another function" : fmt::format("a call of {}", op));
}

/// A field of a DLTensor or a TVMValue, or the address of a DLTensor.
ExprWriter::Plan ExprWriter::struct_plan(Node get) {
  const NodeList args = get.list(f::Call::args);
  const std::int64_t number = int_imm_of(args[2]).value_or(-1);
  std::vector<Operand> operands = {{args[0]}, {args[1]}};
  if (number == field::address) return {"(((DLTensor*)\1) + \1)", std::move(operands)};
  const bool is_value = number == field::value_content;
  const std::string_view spelling =
      field_spelling(is_value ? Record::value : Record::tensor, number, get.dtype());
  if (spelling.empty()) cannot_print(fmt::format("field {} of a record", number));
  return {fmt::format("((({}*)\1)[\1].{})", is_value ? "TVMValue" : "DLTensor", spelling),
          std::move(operands)};
}

// --- Floor divisions, which C does not have: the pass LowerIntrin --------------------------------

/// Puts the operands into one of the forms.
ExprWriter::Plan ExprWriter::division_text(Node node, const DivisionForm& form,
                                           std::int64_t power) {
  const DType dtype = node.dtype();
  Plan plan;
  for (const char c : node.is(Kind::FloorDiv) ? form.quotient : form.remainder) {
    if (c == 'a' || c == 'b') {
      plan.form += kOperand;
      plan.operands.push_back({node[c == 'a' ? f::FloorDiv::a : f::FloorDiv::b]});
    } else if (c == '0' || c == '1') {
      plan.form += integer_text(dtype, c - '0');
    } else if (c == 's') {
      plan.form += integer_text(dtype, dtype.bits - 1);
    } else if (c == 'k') {
      plan.form += integer_text(dtype, power);
    } else {
      plan.form += c;
    }
  }
  return plan;
}

/// A shift or a mask for powers of two; C's own division if no operand is negative; otherwise a
/// correction of it.
ExprWriter::Plan ExprWriter::division_plan(Node node, Division division) {
  const Node b = node[f::FloorDiv::b];
  // If the sign of the result does not matter.
  if (division == Division::truncate) return division_text(node, kExact);
  if (const auto exponent = exponent_of(b)) {
    return division_text(node, kPowerOfTwo, power_argument(node, *exponent));
  }
  const DType dtype = node.dtype();
  const bool is_positive = !dtype.is_int() || is_at_least_zero(ranges_.of(node[f::FloorDiv::a]));
  if (is_positive && is_at_least_zero(ranges_.of(b))) return division_text(node, kExact);
  if (int_imm_of(b).value_or(0) < 0) return division_text(node, kOfNegative);
  // A divisor that may be negative needs a comparison of both signs.
  if (!is_at_least_zero(ranges_.of(b))) return division_text(node, kOfAnySign);
  const bool has_wide_sign = dtype == DType::Int(32) || dtype == DType::Int(64);
  return division_text(node, has_wide_sign ? kCorrected : kChosen);
}

}  // namespace mlf::tir::c
