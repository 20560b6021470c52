#include "analysis/packed_arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"

namespace mlf::analysis {
namespace {

using tir::Node;
namespace f = tir::f;

// Sizes of CodeGenC::VisitStmt_(LetStmt) for tvm_stack_alloca (src/target/source/codegen_c.cc).
constexpr std::uint64_t kValue = 8;  // TVMValue, the element of every array
constexpr std::uint64_t kTypeCode = 4;
constexpr std::uint64_t kTensor = 48;  // DLTensor
constexpr std::uint64_t kExtent = 8;

struct Array {
  std::string_view type;  ///< the first argument of tvm_stack_alloca
  std::uint64_t element;
};
constexpr std::array kArrays{Array{"arg_value", kValue}, Array{"arg_tcode", kTypeCode},
                             Array{"array", kTensor}, Array{"shape", kExtent}};

/// Rounded up to whole TVMValues.
Count bytes_of(std::uint64_t elements, std::uint64_t element) {
  return Count((elements * element + kValue - 1) / kValue) * Count(kValue);
}

/// The sizes that LowerTVMBuiltin allocates for one call (src/tir/transforms/lower_tvm_builtin.cc).
/// All calls share the arrays.
struct CallSizes {
  std::uint64_t arguments = 0;
  std::uint64_t tensors = 0;
  std::uint64_t extents = 0;

  void include(const CallSizes& other) {
    arguments = std::max(arguments, other.arguments);
    tensors = std::max(tensors, other.tensors);
    extents = std::max(extents, other.extents);
  }
};

CallSizes sizes_of(Node call) {
  const tir::NodeList args = call.list(f::Call::args);
  CallSizes sizes;
  // The first is the name.
  sizes.arguments = args.size() == 0 ? 0 : args.size() - 1;
  for (const Node arg : args) {
    if (graph::operator_of(arg) != "tvm_stack_make_array") continue;
    ++sizes.tensors;
    for (const Node part : arg.list(f::Call::args)) {
      if (graph::operator_of(part) == "tvm_stack_make_shape") {
        sizes.extents += part.list(f::Call::args).size();
      }
    }
  }
  return sizes;
}

/// tvm_stack_alloca(type, elements)
Count bytes_of_allocation(std::string_view type, Node count) {
  const auto elements = graph::integer_of(count);
  const auto* const array = std::ranges::find(kArrays, type, &Array::type);
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;  // beyond any stack
  const bool is_known = array != kArrays.end() && elements && *elements >= 0;
  if (!is_known || *elements > kMostBytes) return Count::unknown();
  return bytes_of(static_cast<std::uint64_t>(*elements), array->element);
}

}  // namespace

Count packed_arguments(Node main) {
  Count allocated;
  bool has_argument_arrays = false;  // LowerTVMBuiltin ran
  bool has_packed_calls = false;
  CallSizes sizes;
  tir::for_each_pre_order(main, [&](Node node) {
    const std::string_view op = graph::operator_of(node);
    if (op == "tvm_call_cpacked" || op == "tvm_call_packed") {
      has_packed_calls = true;
      sizes.include(sizes_of(node));
    } else if (op == "tvm_stack_alloca" && node.list(f::Call::args).size() == 2) {
      const tir::NodeList args = node.list(f::Call::args);
      const std::string_view type = graph::string_of(args[0]);
      const Count bytes = bytes_of_allocation(type, args[1]);
      allocated += bytes;
      has_argument_arrays = has_argument_arrays || (type == "arg_value" && bytes.max);
    }
  });
  if (!has_packed_calls || has_argument_arrays) return allocated;
  return allocated + bytes_of(sizes.arguments, kValue) + bytes_of(sizes.arguments, kTypeCode) +
         bytes_of(sizes.tensors, kTensor) + bytes_of(sizes.extents, kExtent);
}

}  // namespace mlf::analysis
