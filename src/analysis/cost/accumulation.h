// Finds the multiplications that are multiply-accumulates, and the parameters of a kernel that its
// operator reduces, in contrast to those that are only combined with the result, as the other
// operand of a fused addition.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "analysis/cost/value_numbers.h"
#include "graph/kernels/kernel_code.h"

namespace mlf::analysis {

/// A store, and the loops around it from the outside in.
struct LoopedStore {
  tir::Node store;
  std::vector<tir::Node> loops;
};

/// The multiply-accumulates of a function.
struct Accumulations {
  std::unordered_set<std::uint32_t> products;  ///< ids of Mul nodes
  std::unordered_set<std::uint32_t> sums;      ///< ids of the Add and Sub nodes that belong to them
  bool is_complete = true;                     ///< false if a store was too large to search
};

/// Finds the stores `B[i] = B[i] + x * y` and their products. `stores` in the order of the code.
Accumulations find_accumulations(const std::vector<LoopedStore>& stores,
                                 const graph::KernelCode& code, const ValueNumbers& values);

/// Returns the positions of the parameters whose values reach an accumulation: a store of a value
/// that depends on a load of the same memory. Nothing if there is no accumulation, or if another
/// function or an unknown access may be part of it.
std::optional<std::set<std::size_t>> accumulated_parameters(const graph::KernelCode& code);

}  // namespace mlf::analysis
