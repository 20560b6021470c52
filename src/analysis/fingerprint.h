// Fingerprints that tell whether two kernels are the same program up to names, and whether they
// compute the same on tensors of other sizes. Threads: functions have no shared state; any number
// of threads may call them at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::analysis {

/// How exactly floats of the program count: texts of v0.8 to v0.11 have six digits of them.
enum class Digits : std::uint8_t { all, six };

/// Returns a number that is equal for PrimFuncs with the same parameters, buffers and body. Names
/// of variables, buffers and blocks, the function's attributes, the data of constants and their
/// places in the list of the module, and how expressions are shared do not count. Two different
/// programs have the same number with a chance of 2^-64. Time and memory grow with the number of
/// nodes.
std::uint64_t fingerprint(tir::Node prim_func, Digits digits = Digits::all);

/// The same without the offsets of workspaces in memory pools: offsets of pointers into a pool that
/// the function writes through, and the sizes of these pools.
MLF_API std::uint64_t fingerprint_without_offsets(tir::Node prim_func);

/// A constant of a function, whatever the form in which the function stores it.
struct ConstantForm {
  tir::NodeId variable{};
  tir::DType dtype{};       ///< that its loads have, some after a cast
  bool has_indices = true;  ///< whether indices of its loads are part of the program
};

/// The same as `fingerprint_without_offsets`, and without the form of constants: types and numbers
/// of elements, values, offsets in pools, and casts of their loads to `ConstantForm::dtype`.
std::uint64_t fingerprint_without_storage(tir::Node prim_func,
                                          std::span<const ConstantForm> constants);

/// Returns the LetStmts that place a pointer in one of the byte arrays that a function receives, as
/// TVM's memory planner gives them to it, and never write through the pointer: constants of pools.
/// In the order of the function.
std::vector<tir::Node> constants_in_pools(tir::Node prim_func);

/// Returns a number that is equal for PrimFuncs that compute the same: the expressions that they
/// store and the functions that they call, each once, in the order of first occurrence. Ignores
/// where and how often they store, and where operands come from: loops, indices, extents, numbers,
/// conditions of selects, lanes of vectors, and copies from buffer to buffer. So the convolutions
/// of a block that a network repeats with other sizes and strides have one number, for any
/// schedule; a convolution that pads its input has another. Time and memory grow with the number of
/// nodes.
std::uint64_t arithmetic_shape(tir::Node prim_func);

/// Returns a number that is equal for PrimFuncs that compute with the same numbers: zero points,
/// multipliers, shifts. Indices, extents and conditions do not count.
std::uint64_t computed_numbers(tir::Node prim_func);

/// The same as `arithmetic_shape`, without the number of parameters: kernels with pools of TVM's
/// memory planner have more.
std::uint64_t computed_values(tir::Node prim_func);

}  // namespace mlf::analysis
