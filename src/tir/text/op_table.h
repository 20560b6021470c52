// The builtin operators that TIR text calls: names, spellings and result dtypes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "mlf/tir/module.h"

namespace mlf::tir::text {

/// Where TVMScript prints the dtype of a call.
enum class DtypePosition : std::uint8_t { none, first, last };

/// How TVM's constructors determine the dtype of a call. `_vector`: with the lanes of argument 0.
enum class DtypeRule : std::uint8_t {
  printed,  ///< does not follow from anything; every dialect that keeps it prints it
  argument_0,
  argument_1,
  last_argument,
  int32,
  int32_vector,
  uint32,
  uint64,
  boolean,
  boolean_vector,
  float32x4,
  handle,
  nothing,  ///< void
};

struct OpInfo {
  std::string_view name;         ///< TVM's name, "tir.exp"
  std::string_view script_name;  ///< the part after the prefix in TVMScript, "exp"
  std::uint8_t since;            ///< first TVM minor version (0.x)
  DtypePosition dtype_position;
  DtypeRule rule;
  bool script_function;  ///< TVMScript's parser has a function `script_name` that makes the call
};

std::span<const OpInfo> all_ops();
/// By TVM's name; null for an operator outside of the table.
const OpInfo* find_op(std::string_view name);
/// By the name after the prefix in TVMScript; accepts a full name ("tir.exp") too.
const OpInfo* find_script_op(std::string_view script_name);

/// Whether the dtype of a call follows from its operator and arguments, or a text states it. Else
/// the caller of TVM's builder or the called function determines it.
bool has_certain_dtype(Node call);

/// The dtype that `rule` gives for arguments with these dtypes; nullopt if there are too few.
std::optional<DType> infer_dtype(DtypeRule rule, std::span<const DType> arguments);
std::optional<DType> infer_dtype(DtypeRule rule, const NodeList& arguments);

}  // namespace mlf::tir::text
