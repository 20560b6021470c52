// Statements of one function as generated C prints them.
#pragma once

#include <string>

#include "tir/c/write/expressions.h"
#include "tir/c/write/packed_calls.h"

namespace mlf::tir::c {

/// What the head of a function leaves to its body.
struct FunctionHead {
  std::string device = "0";  ///< number or name of the device that memory is allocated on
  /// Where a packed function leaves its result and the type of it; empty in others.
  std::string result{};
  std::string result_type{};
};

/// Whether the body ends in a return that stands for the one of the function.
bool returns_itself(Node body);

/// Writes the statements of a body behind the head of its function.
void write_body(const Forms& forms, Code& code, ExprWriter& exprs, PackedCalls& calls, Node body,
                const FunctionHead& head);

}  // namespace mlf::tir::c
