// The extent of a function's accesses to its parameters and its own memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "graph/kernels/kernel_code.h"

namespace mlf::graph {

/// Accesses of one kind to one piece of memory.
struct Reach {
  std::uint64_t bytes = 0;  ///< up to the end of the last byte that is certainly accessed
  bool is_exact = true;     ///< false: other accesses may reach further

  void include(std::optional<std::uint64_t> end);
};

struct Reaches {
  Reach stored{};
  Reach loaded{};
  bool is_passed_on = false;  ///< its address goes to a function whose body is not known

  std::uint64_t bytes() const { return std::max(stored.bytes, loaded.bytes); }
  bool is_exact() const { return stored.is_exact && loaded.is_exact; }
};

struct FunctionReach {
  std::map<std::uint32_t, Reaches> parameters;  ///< by position
  std::map<std::uint32_t, Reaches> arguments;   ///< by position, where MakePackedAPI ran
  /// By the variable of an address: of an allocation, or inside a parameter.
  std::map<tir::NodeId, Reaches> pointers;
  bool is_complete = true;  ///< false: some of the body is not understood, and may access anything
};

/// Does not run loops, so time grows with the number of accesses.
FunctionReach reach_of(const KernelCode& code);

}  // namespace mlf::graph
