// What of a module goes into the tables of constants and objects, and what is written where it is
// used.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/arena_view.h"
#include "tir/json/format.h"

namespace mlf::tir::tir_json {

/// Counts of nodes stop at UINT32_MAX, which is more than anybody writes.
inline std::uint32_t saturating_sum(std::uint32_t a, std::uint32_t b) {
  return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/// One walk over the whole module, made before anything is written. Throws support::Error where
/// the module cannot be written.
class Outline {
 public:
  explicit Outline(const Module& module);

  const Module& module() const { return arena_.module(); }
  const ArenaView& arena() const { return arena_; }
  /// In the order of their ids: an object refers only to those before it.
  const std::vector<NodeId>& objects() const { return objects_; }
  const std::vector<NodeId>& constants() const { return constants_; }
  std::optional<std::uint32_t> object_id(NodeId id) const;
  /// Precondition: an NDArray.
  std::uint32_t constant_id(NodeId id) const { return states_[index(id)].entry; }
  /// Whether this is a function of the module, or the GlobalVar that names one.
  bool is_named(NodeId id) const { return states_[index(id)].named; }
  /// Precondition: a PrimFunc that is named; the first of its names.
  std::string_view function_name(NodeId id) const;

  /// Whether other nodes refer to this one by name or id, so that its fields are elsewhere.
  bool is_reference(NodeId id) const {
    // Nearly everything that is asked about.
    const Kind kind = arena_.kind(id);
    return info(kind).category == Category::expr ? is_var(kind) : is_referred_to(id);
  }

 private:
  static constexpr std::uint32_t kNoEntry = UINT32_MAX;
  struct State {
    std::uint32_t entry = kNoEntry;  // place in its table; of a named function in the module
    std::uint32_t size = 0;          // nodes as written, for types and values
    std::uint8_t height = 0;
    std::uint8_t uses = 0;  // 2: more than once
    bool met = false;
    bool named = false;
    bool plain_attrs = false;  // a DictAttrs that may be written as the `attrs` of its owner
  };

  State& state(NodeId id) { return states_[index(id)]; }
  void name_functions();
  void walk_module();
  void meet(NodeId id);
  void check_defined(NodeId id) const;
  void measure(NodeId id);
  bool belongs_into_table(Node node) const;
  bool is_referred_to(NodeId id) const;

  ArenaView arena_;
  std::vector<State> states_;
  std::vector<NodeId> candidates_;  // parts before the whole
  std::vector<NodeId> objects_;
  std::vector<NodeId> constants_;
};

}  // namespace mlf::tir::tir_json
