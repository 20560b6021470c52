// The memory that a function touches, whatever the variable or Buffer it is reached through.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/cost/evaluation_order.h"
#include "graph/scope.h"

namespace mlf::analysis {

/// One tensor in memory, as far as the function tells tensors apart.
struct Memory {
  std::string name;
  graph::Place place;
  bool is_constant = false;  ///< of an AllocateConst
};

class Memories {
 public:
  Memories(tir::Node function, const EvaluationOrder& order);

  std::size_t size() const { return memories_.size(); }
  const Memory& operator[](std::size_t memory) const { return memories_[memory]; }
  /// What a load or a store touches; nothing for other nodes.
  std::optional<std::size_t> of_access(tir::Node access) const;
  /// Where a pointer points.
  graph::Place place_of(tir::Node pointer) const { return scope_.place_of(pointer); }
  /// What a pointer points to; nothing where that is not known.
  std::optional<std::size_t> of_pointer(tir::Node pointer) const;

 private:
  using Key = std::tuple<graph::Place::Kind, std::uint32_t, std::int64_t, std::uint32_t>;

  void define(tir::Node node);
  void use(tir::Node data);
  static Key key_of(const graph::Place& place, tir::Node data);

  graph::Scope scope_;
  std::vector<Memory> memories_;
  std::map<Key, std::size_t> positions_;
  std::vector<std::uint32_t> constants_;  // variables of AllocateConst
};

/// The variable of the memory that a load or store touches; undefined for other nodes.
tir::Node data_of_access(tir::Node access);
bool is_store(tir::Node node);
/// The type of what an expression comes to, or of what a store stores.
tir::DType dtype_of(tir::Node node);
/// Whether a vector is loaded or stored in part: its predicate is not simply true.
bool is_masked(tir::Node access);

}  // namespace mlf::analysis
