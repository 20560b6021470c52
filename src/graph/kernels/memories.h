// The memory that a function accesses, by any variable or Buffer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "graph/kernels/evaluation_order.h"
#include "graph/node_queries.h"
#include "graph/scope.h"

namespace mlf::graph {

/// One tensor in memory, as far as the function distinguishes tensors.
struct Memory {
  std::string name;
  Address address;
  bool is_constant = false;  ///< of an AllocateConst
};

class Memories {
 public:
  Memories(tir::Node function, const EvaluationOrder& order);

  std::size_t size() const { return memories_.size(); }
  const Memory& operator[](std::size_t memory) const { return memories_[memory]; }
  /// The tensor that a load or a store touches; empty for other nodes.
  std::optional<std::size_t> of_access(tir::Node access) const;
  /// The target of a pointer.
  Address address_of(tir::Node pointer) const { return scope_.address_of(pointer); }
  /// Returns the target of a pointer; nullopt if unknown.
  std::optional<std::size_t> of_pointer(tir::Node pointer) const;

 private:
  using Key = std::tuple<AddressKind, std::uint32_t, std::int64_t, std::uint32_t>;

  void define(tir::Node node);
  void use(tir::Node data);
  static Key key_of(const Address& address, tir::Node data);

  Scope scope_;
  std::vector<Memory> memories_;
  std::map<Key, std::size_t> positions_;
  std::vector<std::uint32_t> constants_;  // variables of AllocateConst
};

}  // namespace mlf::graph
