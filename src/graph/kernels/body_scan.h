// One walk over a function's body: what it does to its parameters' memory and what memory of its
// own it uses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/scope.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// What a body does to the memory behind one parameter.
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
};

/// Memory that a body uses beside its tensors.
struct BodyMemory {
  MemoryKind memory = MemoryKind::heap;  ///< `program`: a constant; `pool`: perhaps, see `place`
  std::string name;
  std::optional<std::uint64_t> bytes;
  Place place;                  ///< of `pool`: an address inside a parameter, which may be a pool
  std::uint64_t below = 0;      ///< of heap and stack: bytes of the allocations around this one
  bool is_conditional = false;  ///< of heap and stack: allocated in a branch
};

struct BodyScan {
  /// MakePackedAPI ran: parameters are the packed arguments, not the six parameters.
  bool is_packed = false;
  std::vector<Effect> effects;       ///< by parameter; may be shorter than the number of parameters
  std::vector<tir::Node> buffers;    ///< by parameter: a Buffer declared over it, or undefined
  std::vector<tir::Node> variables;  ///< by parameter: the variable that took it over, or undefined
  std::vector<BodyMemory> memory;
};

/// Scans a PrimFunc. Time and memory grow with the number of its nodes.
BodyScan scan_body(tir::Node function);

}  // namespace mlf::graph
