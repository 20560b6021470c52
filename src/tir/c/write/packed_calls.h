// Prints calls of the packed convention: the stores to the stacks of arguments, and the sizes of
// these stacks. Source: the pass LowerTVMBuiltin.
#pragma once

#include <cstdint>
#include <string>

#include "mlf/tir/module.h"
#include "tir/c/write/expressions.h"

namespace mlf::tir::c {

/// Whether `call` is packed: by name, or C-packed.
bool is_packed_call(Node call);

/// The number of elements of each stack that a function needs. nullopt for shapes: no call passes
/// any.
struct StackSizes {
  std::optional<std::int64_t> shapes;
  std::int64_t tensors = 0;
  std::int64_t values = 0;
};
StackSizes stack_sizes(Node body);

class PackedCalls {
 public:
  PackedCalls(const Forms& forms, Code& code, ExprWriter& exprs)
      : forms_(forms), code_(code), exprs_(exprs) {}

  /// `TVMValue stack[2]; void* stack_tcode = stack;` and so on, at the beginning of a function.
  void declare_stacks(const StackSizes& sizes);
  /// `device`: the name or number of the tensors' device.
  void write(Node call, const std::string& device);

 private:
  void declare_stack(std::string& name, std::int64_t words);
  void store_tensor(Node make_array);
  void store_shape(Node make_shape);
  void set_tensor(int number, const std::string& value);
  void store_argument(Node argument, std::int64_t position, std::int64_t tensor);
  void store_type(std::int64_t position, const std::string& type);
  std::string api_value(Node argument);
  std::string byte_offset(Node make_array);
  void call_checked(const std::string& call, std::string_view brace);
  std::string look_up(const std::string& function);
  std::string context_name(Node context) const;

  const Forms& forms_;
  Code& code_;
  ExprWriter& exprs_;
  std::string device_;
  std::string tcode_ = "stack_tcode";
  std::string value_ = "stack_value";
  std::string array_ = "stack_array";
  std::string shape_ = "stack_shape";
  std::int64_t tensors_ = 0;  // on the stack, of the current call
  std::int64_t shapes_ = 0;
};

}  // namespace mlf::tir::c
