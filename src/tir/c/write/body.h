// Statements of one function as generated C prints them.
#pragma once

#include <string>

#include "mlf/tir/module.h"
#include "tir/c/write/expressions.h"

namespace mlf::tir::c {

/// Names of the stacks on which a function stores the arguments of its packed calls.
struct CallStacks {
  std::string tcode = "stack_tcode";
  std::string value = "stack_value";
  std::string array = "stack_array";
  std::string shape = "stack_shape";
};

/// What the head of a function leaves to its body.
struct FunctionHead {
  std::string device = "0";  ///< number or name of the device that memory is allocated on
  /// Where a packed function leaves its result and the type of it; empty in others.
  std::string result{};
  std::string result_type{};
  CallStacks stacks{};
};

/// Whether the body ends in a return that stands for the one of the function.
bool returns_itself(Node body);

/// Whether `call` is packed: by name, or C-packed.
bool is_packed_call(Node call);

/// `TVMValue stack[2]; void* stack_tcode = stack;` and so on, for the packed calls in `body`.
CallStacks declare_stacks(Code& code, Node body);

/// Writes the statements of a body behind the head of its function.
void write_body(const Forms& forms, Code& code, ExprWriter& exprs, Node body,
                const FunctionHead& head);

}  // namespace mlf::tir::c
