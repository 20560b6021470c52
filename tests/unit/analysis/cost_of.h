// Kernels as text, and numbers out of their costs.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "mlf/analysis/cost.h"
#include "mlf/tir/document.h"

namespace mlf::analysis {

/// Counts the only function of a text.
inline KernelCost cost_of_text(const std::string& text) {
  const auto document = tir::read({.file = "f", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  const auto functions = document->module.root().map(tir::f::IRModule::functions);
  return kernel_cost(functions.value(0));
}

/// Counts a kernel of float32 tensors: `A` and `W` are read, `B` is written.
inline KernelCost cost_of(std::string_view body) {
  return cost_of_text(
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(A: T.Buffer((4096,), \"float32\"), W: T.Buffer((4096,), \"float32\"), "
      "B: T.Buffer((4096,), \"float32\")):\n" +
      std::string(body));
}

inline std::uint64_t exactly(const Count& count) {
  EXPECT_TRUE(count.is_exact()) << count.min << " to " << count.max.value_or(0);
  return count.min;
}

inline std::uint64_t exact_mac(std::string_view body) {
  return exactly(cost_of(body).mac);
}

inline const BufferCost& buffer(const KernelCost& cost, std::string_view name) {
  for (const BufferCost& one : cost.buffers) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no buffer " + std::string(name));
}

inline Count operations(const KernelCost& cost, Operation operation) {
  Count sum;
  for (const OperationCount& one : cost.operations) {
    if (one.operation == operation) sum += one.count;
  }
  return sum;
}

}  // namespace mlf::analysis
