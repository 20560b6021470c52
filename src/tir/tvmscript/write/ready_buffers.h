// The buffers of a function that can be declared, while its variables get names.
#pragma once

#include <cstddef>
#include <set>
#include <unordered_map>
#include <vector>

#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {

struct Definitions;

/// Finds the free buffers without a name whose variables all have names. Looks only at buffers for
/// which a name changed since the last search.
class ReadyBuffers {
 public:
  /// Both must outlive this object.
  ReadyBuffers(const Definitions& definitions, ScopedNames& names);

  /// The first one, in the order of `Definitions::free_buffers`; no node if there is none.
  Node first();
  /// The next one behind it, after the caller has named it.
  Node next();

 private:
  struct Buffer {
    /// Those in its parts. Its data variable is not among them if the buffer defines it.
    std::vector<NodeId> vars{};
    std::size_t missing = 0;  ///< the index of a variable that had no name
  };

  void note_changes();
  bool waits(std::size_t position);

  const Definitions& definitions_;
  ScopedNames& names_;
  std::vector<Buffer> buffers_;
  std::unordered_map<NodeId, std::size_t> positions_;
  /// Buffers that wait for the name of a variable: the one at `missing`.
  std::unordered_map<NodeId, std::vector<std::size_t>> waiting_;
  std::set<std::size_t> candidates_;
  std::size_t next_ = 0;
};

}  // namespace mlf::tir::tvmscript
