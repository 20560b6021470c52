// The memory that a function accesses, by any variable or Buffer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "graph/kernels/evaluation_order.h"
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

/// The variable of the memory that a load or store touches; undefined for other nodes.
tir::Node data_of_access(tir::Node access);
bool is_store(tir::Node node);
/// The Buffer of a BufferLoad or BufferStore; undefined for other nodes.
tir::Node buffer_of(tir::Node access);
/// The only index of a load or store; undefined if it has several, or none.
tir::Node index_of(tir::Node access);
/// The mask of a load or store of a vector, without its Broadcast; undefined if there is none.
tir::Node predicate_of(tir::Node access);
/// The type of an expression, or of the value of a store.
tir::DType dtype_of(tir::Node node);
/// Whether a vector is loaded or stored in part: its predicate is not constant true.
bool is_masked(tir::Node access);

}  // namespace mlf::graph
