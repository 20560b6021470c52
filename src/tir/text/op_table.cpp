#include "tir/text/op_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "support/lookup.h"

namespace mlf::tir::text {
namespace {

constexpr std::array kOps = {
#define MLF_OP(name, since, position, rule) \
  OpInfo{"tir." name, name, since, DtypePosition::position, DtypeRule::rule, true},
#define MLF_OP_PRINTED(name, since, position, rule) \
  OpInfo{"tir." name, name, since, DtypePosition::position, DtypeRule::rule, false},
// A full name after the prefix, `T.tir.isinf`, is not a function either.
#define MLF_OP_AS(name, script_name, since, position, rule) \
  OpInfo{"tir." name,     script_name,                      \
         since,           DtypePosition::position,          \
         DtypeRule::rule, !std::string_view(script_name).starts_with("tir.")},
#include "tir/text/op_table.def"
#undef MLF_OP
#undef MLF_OP_PRINTED
#undef MLF_OP_AS
};

using Index = std::unordered_map<std::string_view, const OpInfo*>;

Index index_by(std::string_view OpInfo::*key) {
  Index index;
  for (const OpInfo& op : kOps) index.emplace(op.*key, &op);
  return index;
}

// Operators outside of the table are read and written by the rules of an unknown one.
const OpInfo* look_up(const Index& index, std::string_view name) {
  return support::value_at(index, name).value_or(nullptr);
}

std::optional<DType> argument(std::span<const DType> arguments, std::size_t position) {
  if (position >= arguments.size()) return std::nullopt;
  return arguments[position];
}

// Too few arguments are an error of the text, which the reader reports with the place.
std::optional<DType> vector_of(DType element, std::span<const DType> arguments) {
  if (arguments.empty()) return std::nullopt;
  return element.as_wide_as(arguments[0]);
}

}  // namespace

std::span<const OpInfo> all_ops() {
  return kOps;
}

const OpInfo* find_op(std::string_view name) {
  static const Index index = index_by(&OpInfo::name);
  return look_up(index, name);
}

// TVM's printer uses the full name for operators without a function: `T.tir.isinf`.
const OpInfo* find_script_op(std::string_view script_name) {
  static const Index index = index_by(&OpInfo::script_name);
  if (const OpInfo* const op = look_up(index, script_name)) return op;
  return find_op(script_name);
}

bool has_certain_dtype(Node call) {
  constexpr std::string_view kOfAnyDtype[] = {
      "tir.tvm_throw_last_error",
      "tir.ptx_ldg32",
      "tir.tvm_call_packed",
      "tir.tvm_call_cpacked",
      "tir.tvm_call_trace_packed",
      "tir.tvm_call_packed_lowered",
      "tir.tvm_call_cpacked_lowered",
      "tir.tvm_call_trace_packed_lowered",
      "tir.ret",
      "tir.tvm_struct_set",
      "tir.texture2d_load",
      "tir.texture2d_store",
      "tir.tvm_thread_allreduce",
      "tir.undef",
  };
  const Node op = call[f::Call::op];
  if (!op.is(Kind::Op) || find_op(op.text(f::Op::name)) == nullptr) return false;
  return std::ranges::find(kOfAnyDtype, op.text(f::Op::name)) == std::end(kOfAnyDtype);
}

// Each rule is that of the constructors in TVM's src/tir/op/op.cc, or of Python's tvm.tir.op.
std::optional<DType> infer_dtype(DtypeRule rule, std::span<const DType> arguments) {
  switch (rule) {
    case DtypeRule::printed:
      return std::nullopt;
    case DtypeRule::argument_0:
      return argument(arguments, 0);
    case DtypeRule::argument_1:
      return argument(arguments, 1);
    case DtypeRule::last_argument:
      return argument(arguments, arguments.size() - 1);
    case DtypeRule::int32:
      return DType::Int(32);
    case DtypeRule::int32_vector:
      return vector_of(DType::Int(32), arguments);
    case DtypeRule::uint32:
      return DType::UInt(32);
    case DtypeRule::uint64:
      return DType::UInt(64);
    case DtypeRule::boolean:
      return DType::Bool();
    case DtypeRule::boolean_vector:
      return vector_of(DType::Bool(), arguments);
    case DtypeRule::float32x4:
      return DType::Float(32).with_lanes(4);
    case DtypeRule::handle:
      return DType::Handle();
    case DtypeRule::nothing:
      return DType::Void();
  }
  return std::nullopt;
}

// Other arguments than expressions, such as buffers, count as handles.
std::optional<DType> infer_dtype(DtypeRule rule, const NodeList& arguments) {
  std::vector<DType> dtypes;
  for (const Node argument : arguments) {
    dtypes.push_back(is_expr(argument.category()) ? argument.dtype() : DType::Handle());
  }
  return infer_dtype(rule, dtypes);
}

}  // namespace mlf::tir::text
