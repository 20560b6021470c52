// What is known of the functions and operators that kernels call (callees.def).
#pragma once

#include <cstdint>
#include <string_view>

#include "mlf/export.h"

namespace mlf::graph {

/// What a call does with the memory behind its pointer arguments.
enum class PointerUse : std::uint8_t {
  none,      ///< neither accesses it nor keeps a pointer; the result may point into it
  kept,      ///< keeps a pointer for a later call, and accesses nothing
  accessed,  ///< may access it, and keeps no pointer
  shared,    ///< the same, and has effects that other kernels see: no call may be moved across it
};

/// Where a function comes from that an archive does not define.
enum class CalleeOrigin : std::uint8_t {
  libm,
  c_library,
  compiler,  ///< its runtime library
  tvm,       ///< TVM's C runtime
  cmsis,     ///< CMSIS-NN, and CMSIS-Core
  ethos_u,   ///< the driver of the NPU
  unknown,
};

/// By its name alone.
CalleeOrigin origin_of(std::string_view name);

/// "libm", "c-library", …
MLF_API std::string_view to_string(CalleeOrigin origin);

/// Whether an operator of TIR, or a function called by its symbol, computes a number from numbers.
bool is_arithmetic(std::string_view name);

/// Whether a call does no arithmetic of its own.
bool is_free_callee(std::string_view name);

/// Whether an operator calls the function that its first argument names.
bool is_calling(std::string_view op);

/// Whether a function is of a library that TVM's schedules call.
bool is_of_library(std::string_view symbol);

/// Whether a macro only writes a message; other macros may do anything.
bool is_logging_macro(std::string_view name);

/// `accessed` for a name without a row.
PointerUse pointer_use(std::string_view name);

}  // namespace mlf::graph
