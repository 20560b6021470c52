// When a kernel touches the memory of its arguments within one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/kernels/kernel_code.h"
#include "mlf/graph/topology.h"
#include "mlf/plan/problem.h"

namespace mlf::plan {

/// Widens `all` to all of `ticks`.
void include(Interval& all, const Interval& ticks);

/// Widens `touched` by `ticks`, if there are any.
void include(std::optional<Interval>& touched, const std::optional<Interval>& ticks);

/// A let of an address inside an argument: in a pool, a workspace or a constant.
struct LetTicks {
  std::string name;  ///< the let's variable
  std::size_t argument = 0;
  std::optional<std::uint64_t> offset;  ///< bytes; empty if not constant
  std::optional<Interval> touched;      ///< nothing: never
};

/// An allocation of the kernel's own, on the heap or as an array.
struct AllocationTicks {
  std::string name;                 ///< its variable
  std::optional<Interval> touched;  ///< empty: never. Releasing it does not count
};

/// Memory of a kernel: an argument, or a let's address inside of one.
struct TickMemory {
  std::size_t argument = 0;
  std::optional<std::size_t> let{};  ///< index in KernelTicks::lets
};

/// In this tick the code may write `to` over `from` (in_place_pairs): it is the last access to
/// `from`, and the first to `to`.
struct InPlaceTick {
  std::int64_t tick = 0;
  TickMemory from;
  TickMemory to;
};

/// The ticks of a kernel: each statement that its body runs in sequence is one tick; a loop is one
/// statement.
struct KernelTicks {
  std::int64_t count = 1;  ///< at least 1
  /// By argument of a call; may be shorter than the number of arguments. Excludes the argument's
  /// addresses in `lets`: a kernel touches memory through one of the two.
  std::vector<std::optional<Interval>> arguments;
  std::vector<LetTicks> lets;
  std::vector<AllocationTicks> allocations;
  std::vector<InPlaceTick> in_place;
  /// The functions that the kernel calls and whose effect is unknown, and whether they get memory
  /// of the kernel's callers: these might keep a pointer beyond the call.
  std::map<std::string, bool> unknown_callees{};
  bool is_followed = true;  ///< false: this reader cannot follow a pointer
  /// Whether MakePackedAPI ran: its checks use every argument, also those that the kernel does not
  /// use.
  bool is_packed = false;

  /// When an argument is touched, directly or through `lets`; empty if never, as far as is known.
  std::optional<Interval> touched(std::size_t argument) const;

  struct FoundBuffer {
    bool is_found = false;
    std::optional<Interval> touched;  ///< nothing: never
  };
  /// Lets with the name and offset of a place in a pool, or allocations with the name of other
  /// memory. Several count as one.
  FoundBuffer find(const graph::KernelBuffer& buffer) const;

  /// Whether the kernel only reads and writes the memory of its arguments.
  bool only_computes() const { return is_followed && unknown_callees.empty(); }
};

/// Treats a pointer that is passed to a function or stored as used until the end of the call.
KernelTicks kernel_ticks(const graph::KernelCode& code);

}  // namespace mlf::plan
