// When, within one call, a kernel touches the memory that it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::plan {

/// Ticks of one call, both included.
struct TickRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  void include(TickRange other);
};

/// Widens `touched` by `range`; nothing is no range.
void include(std::optional<TickRange>& touched, const std::optional<TickRange>& range);

/// An address inside an argument that a let has: of a pool it is a workspace or a constant.
struct LetTicks {
  std::string name;  ///< the let's variable
  std::size_t argument = 0;
  std::optional<std::uint64_t> offset;  ///< bytes; nothing where it is not constant
  std::optional<TickRange> touched;     ///< nothing: never
};

/// An allocation of the kernel's own, on the heap or as an array.
struct AllocationTicks {
  std::string name;                  ///< its variable
  std::optional<TickRange> touched;  ///< nothing: never. Giving it back does not count
};

/// Memory of a kernel: an argument, or a let's address inside of one.
struct TickMemory {
  std::size_t argument = 0;
  std::optional<std::size_t> let{};  ///< index in KernelTicks::lets
};

/// In this tick `to` is written over `from` as far as the code is concerned (in_place.h): `from` is
/// touched for the last time, and `to` for the first.
struct InPlaceTick {
  std::int64_t tick = 0;
  TickMemory from;
  TickMemory to;
};

/// A function that the kernel calls and whose effect is not known (unknown_callee.h).
struct UnknownCallee {
  std::string symbol;
  bool takes_memory = false;  ///< of the kernel's callers: it might keep a pointer beyond the call
};

/// The statements of a kernel's body that run one after the other are its ticks; a loop is one of
/// them, whatever is inside.
struct KernelTicks {
  std::int64_t count = 1;  ///< at least 1
  /// By argument of a call; may be shorter than the number of arguments. An argument's addresses in
  /// `lets` are not in it. Memory that a kernel touches is touched through one of the two.
  std::vector<std::optional<TickRange>> arguments;
  std::vector<LetTicks> lets;
  std::vector<AllocationTicks> allocations;
  std::vector<InPlaceTick> in_place;
  std::vector<UnknownCallee> unknown_callees{};  ///< each once, by name
  bool is_followed = true;  ///< false: pointers go ways that this reader does not follow
  /// MakePackedAPI ran: its checks mention every argument, also those that the kernel does not use.
  bool is_packed = false;

  /// When an argument is touched, itself or through `lets`; nothing: never, as far as is known.
  std::optional<TickRange> touched(std::size_t argument) const;

  struct FoundLet {
    bool is_found = false;
    std::optional<TickRange> touched;  ///< nothing: never
  };
  /// The lets of one name and offset, which count together.
  FoundLet find_let(std::string_view name, std::optional<std::uint64_t> offset) const;

  /// Whether the kernel does nothing beside reading and writing the memory that it is given.
  bool only_computes() const { return is_followed && unknown_callees.empty(); }
};

/// Reads a PrimFunc. A pointer that is handed to a function or stored is taken as used from then on
/// to the end of the call. Time and memory grow with the number of nodes, those of a shared
/// expression counted once for each statement.
KernelTicks kernel_ticks(tir::Node function);

}  // namespace mlf::plan
