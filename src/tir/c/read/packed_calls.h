// Reads packed calls: the stores to the stack of arguments and the call after them become one call
// of the IR. Source: the pass LowerTVMBuiltin and codegen_c_host of TVM.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "tir/c/read/context.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {

/// The packed calls of one function. The pass LowerTVMBuiltin declares areas of a stack at the top
/// of the function (`stack_value`, `stack_array`, `stack_shape` and `stack_tcode`, by any names),
/// and stores the arguments of each call there. Values stay until they are overwritten, but the
/// arguments of a call are those that were stored since the last one.
class PackedCallReader {
 public:
  explicit PackedCallReader(FunctionContext& context)
      : context_(context), cursor_(context.cursor) {}

  /// `TVMValue stack[4];`, or `TVMValue ret_val;`: the result of a call, which nothing reads.
  void declare_storage();
  /// `int ret_type_code;`: the type of a result.
  void declare_result(std::string_view name);
  /// `stack;` of `void* x = stack;`: `x` is another area. Returns false for other text.
  bool declare_area(std::string_view name);
  bool is_area(NodeId var) const { return areas_.contains(var); }

  /// `((int64_t*)area)[index] = value`.
  void store(NodeId area, NodeId index, NodeId value);
  /// `((DLTensor*)area)[index].field = value`, or the same for a TVMValue.
  void set(NodeId area, NodeId index, std::int64_t field, NodeId value);

  /// `if (f_packed == NULL) {…}`: looks up a function for later calls. Returns false for other
  /// text.
  bool look_up();
  /// Reads the `if` around a call, by symbol (C-packed) or by name, as a call of the IR. Returns
  /// nullopt for other text.
  std::optional<NodeId> call();

 private:
  using Args = std::vector<NodeId>;
  struct Tensor {
    std::array<NodeId, 11> fields{};  // by number
  };
  struct Area {
    std::map<std::int64_t, NodeId> words;
    std::map<std::int64_t, Tensor> tensors;
    std::map<std::int64_t, NodeId> values;
  };

  NodeId call_by_symbol();
  NodeId call_by_name();
  Args passed_arguments(std::string_view function);
  void require_result(std::string_view name) const;
  std::optional<NodeId> device_context(std::string_view name);
  std::vector<NodeId> take_arguments(NodeId values, NodeId codes);
  std::int64_t constant(NodeId index) const;
  NodeId argument(NodeId value);
  void check_type(NodeId codes, std::int64_t position, NodeId argument);
  NodeId tensor(const Tensor& tensor);
  NodeId shape(const Tensor& tensor);
  NodeId stored_type(const Tensor& tensor);
  NodeId elem_offset(const Tensor& tensor);
  Node node(NodeId id) const { return context_.builder().node(id); }
  [[noreturn]] void fail(const std::string& message) const { cursor_.fail(message); }

  FunctionContext& context_;
  Cursor& cursor_;
  std::map<NodeId, Area> areas_;
  std::map<std::string_view, std::string_view> looked_up_;  // functions by their slots
  std::vector<std::string_view> words_;                     // of the form that was accepted last
};

}  // namespace mlf::tir::c
