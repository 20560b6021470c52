// Calls and fields of records.
#include <fmt/core.h>

#include "tir/c/language.h"
#include "tir/c/write/expressions.h"
#include "tir/c/write/spelling.h"

namespace mlf::tir::c {
namespace {

/// Operators that are printed as one text around their arguments.
struct SimpleForm {
  std::string_view op;
  std::size_t arguments;
  std::string_view form;
  std::size_t repeats;  ///< how often an only argument is printed
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

std::string_view bitwise_spelling(std::string_view op) {
  for (const BinaryOperator& row : binary_operators()) {
    if (row.op == op) return row.spelling;
  }
  return {};
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

}  // namespace

/// The form of a call: an operator of C, a function of libm, a statement before (condval), a
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
  if (const std::string_view sign = bitwise_spelling(op); !sign.empty() && args.size() == 2) {
    return {fmt::format("(\1 {} \1)", sign), std::move(operands)};
  }
  if (const std::string_view name = math_name(op); !name.empty()) {
    return {math_function(name, call.dtype()) + argument_list(args.size()), std::move(operands)};
  }
  // Up to v0.15 both branches are computed where they need temporaries; since v0.16 only one is.
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
/// IntImm. Anything else has no rule for target c, and TVM would refuse it as well.
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

/// A field of a DLTensor or a TVMValue, or the address of the former.
ExprWriter::Plan ExprWriter::struct_plan(Node get) {
  const NodeList args = get.list(f::Call::args);
  const std::int64_t number = args[2].is(Kind::IntImm) ? args[2].integer(f::IntImm::value) : -1;
  std::vector<Operand> operands = {{args[0]}, {args[1]}};
  if (number == field::address) return {"(((DLTensor*)\1) + \1)", std::move(operands)};
  for (const RecordField& row : record_fields()) {
    if (row.number != number) continue;
    if (row.record == Record::value && row.dtype.code != get.dtype().code) continue;
    return {fmt::format("((({}*)\1)[\1].{})",
                        row.record == Record::tensor ? "DLTensor" : "TVMValue", row.spelling),
            std::move(operands)};
  }
  cannot_print(fmt::format("field {} of a record", number));
}

}  // namespace mlf::tir::c
