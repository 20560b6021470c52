// Packed calls: what generated code puts on its stack of arguments, read back as the call.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "tir/c/read/context.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {

/// The areas `stack_value`, `stack_array`, `stack_shape` and `stack_tcode` of one function,
/// whatever their names: what is stored in them stays until it is overwritten, but arguments are
/// those that were stored since the last call.
class CallStack {
 public:
  explicit CallStack(FunctionContext& context) : context_(context) {}

  /// `void* x = stack;`: another area.
  void add_area(NodeId var) { areas_.try_emplace(var); }
  bool is_area(NodeId var) const { return areas_.contains(var); }

  /// `((int64_t*)area)[index] = value`.
  void store(NodeId area, NodeId index, NodeId value);
  /// `((DLTensor*)area)[index].field = value`, or of a TVMValue.
  void set(NodeId area, NodeId index, std::int64_t field, NodeId value);

  /// The arguments that `values` holds, first to last, and whose types are in `codes`; they are
  /// used up, with all that was stored for them.
  std::vector<NodeId> take_arguments(NodeId values, NodeId codes);

 private:
  struct Tensor {
    std::array<NodeId, 11> fields{};  // by number
  };
  struct Area {
    std::map<std::int64_t, NodeId> words;
    std::map<std::int64_t, Tensor> tensors;
    std::map<std::int64_t, NodeId> values;
  };

  std::int64_t constant(NodeId index) const;
  NodeId argument(NodeId value);
  void check_type(NodeId codes, std::int64_t position, NodeId argument);
  NodeId tensor(const Tensor& tensor);
  NodeId shape(const Tensor& tensor);
  NodeId stored_type(const Tensor& tensor);
  NodeId elem_offset(const Tensor& tensor);
  Node node(NodeId id) const { return context_.builder().node(id); }
  [[noreturn]] void fail(const std::string& message) const { context_.cursor.fail(message); }

  FunctionContext& context_;
  std::map<NodeId, Area> areas_;
};

}  // namespace mlf::tir::c
