// Facts from a function's body: its accesses to its parameters' memory, its own memory, and whether
// it only copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/kernels/kernel_code.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// The effect of a body on the memory of one parameter.
struct Effect {
  enum class First : std::uint8_t {
    none,
    read,
    guarded_read,  ///< a read under a condition, before any write in the order of the text
    write,
  };
  First first = First::none;
  bool read = false;
  bool written = false;
  bool escaped = false;  ///< its address goes to a function whose body is not known
  /// The body has code that is not understood: it may read and write this memory at any time.
  bool is_open = false;

  bool is_none() const { return !read && !written && !escaped && !is_open; }
};

/// Memory that a body uses besides its tensors.
struct BodyMemory {
  KernelBuffer buffer;    ///< in MemoryKind::pool: perhaps in one, see `address`
  tir::NodeId pointer{};  ///< the variable that holds its address
  Address address{};      ///< of `pool`: an address inside a parameter, which may be a pool
};

/// Elements along the axes of a tensor; nullopt if not stated.
using StatedShape = std::optional<std::vector<std::int64_t>>;

struct BodyScan {
  std::vector<Effect> effects;       ///< by parameter; may be shorter than the number of parameters
  std::vector<tir::Node> buffers;    ///< by parameter: a Buffer declared over it, or undefined
  std::vector<tir::Node> variables;  ///< by parameter: the variable that took it over, or undefined
  /// By parameter: the shape that a call passes to a library function; may be shorter.
  std::vector<StatedShape> shapes;
  std::vector<BodyMemory> memory;
  /// Parts of the body that are not understood, one sentence each.
  std::vector<std::string> gaps;
  /// Code that is not understood, or a conditional return, may end the body early.
  bool may_end_early = false;
};

BodyScan scan_body(const KernelCode& code);

/// Whether the function stores only elements of one other buffer, each at the index that it was
/// loaded from. Evaluates indices with different expressions in every iteration, up to about a
/// million; beyond that, returns false.
bool copies_in_order(const KernelCode& code);

}  // namespace mlf::graph
