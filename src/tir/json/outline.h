// What of a module goes into the tables of constants and objects, what of a function into its own
// tables, and what is written where it is used.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/arena_view.h"
#include "tir/json/format.h"
#include "tir/node_queries.h"

namespace mlf::tir::tir_json {

/// Counts of nodes stop at UINT32_MAX, which is more than is ever written.
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

// --- Tables of one function, or of the module outside its functions ----------------------------

/// Ids and names of variables and buffers, which count through the whole module.
class Identities {
 public:
  struct Identity {
    std::uint32_t id;
    std::string_view name;
  };
  explicit Identities(const Module& module) : places_(module.size()) {}

  bool knows(NodeId id) const { return places_[index(id)] != 0; }
  /// Precondition: known.
  const Identity& operator[](NodeId id) const { return entries_[places_[index(id)]]; }
  void add_var(NodeId id) { add(id, vars_++); }
  void add_buffer(NodeId id) { add(id, buffers_++); }
  /// `name` stays where it is.
  void set_name(NodeId id, std::string_view name) { entries_[places_[index(id)]].name = name; }
  /// A name that is kept here.
  std::string_view keep(std::string name) { return made_.emplace_back(std::move(name)); }

 private:
  void add(NodeId id, std::uint32_t number) {
    places_[index(id)] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({number, {}});
  }

  std::vector<std::uint32_t> places_;  // in `entries_`, by node; 0: unknown
  std::vector<Identity> entries_ = {{}};
  std::deque<std::string> made_;
  std::uint32_t vars_ = 0;
  std::uint32_t buffers_ = 0;
};

/// The plan of one scope at a time; kept and used again, because its memory is that of the module.
class ScopePlan {
 public:
  ScopePlan(const Outline& outline, Identities& identities);

  /// Plans what is below `roots`, which are written out even where they are references. What
  /// an earlier plan said is forgotten.
  void plan(std::span<const NodeId> roots);

  const std::vector<NodeId>& vars() const { return vars_; }
  const std::vector<NodeId>& buffers() const { return buffers_; }
  /// Expressions of the table, in order: each refers only to those before it.
  const std::vector<NodeId>& exprs() const { return exprs_; }
  /// Place in the table of expressions.
  std::optional<std::uint32_t> expr_entry(NodeId id) const {
    const State& own = state(id);
    if (own.round != round_ || !own.in_table) return std::nullopt;
    return own.entries;
  }
  /// How many entries of a statement list follow this one and belong to it.
  std::uint32_t scope(NodeId statement) const { return state(statement).entries; }
  /// Nodes that writing this scope takes; UINT32_MAX where that is too many to count.
  std::uint32_t written() const { return written_; }

 private:
  struct State {
    std::uint32_t round = 0;  // the plan that this belongs to
    std::uint32_t size = 0;   // nodes as written
    // Of expressions in the table: their place; of statements: entries governed.
    std::uint32_t entries = 0;
    std::uint8_t height = 0;
    std::uint8_t uses = 0;  // 2: more than once
    bool in_table = false;
  };

  State& state(NodeId id) { return states_[index(id)]; }
  const State& state(NodeId id) const { return states_[index(id)]; }
  bool enter(NodeId id);
  void collect(NodeId root);
  void count_uses();
  void measure(NodeId id);
  void measure_scope(NodeId statement);
  std::uint32_t element_entries(NodeId statement) const;
  std::uint32_t position_entries(NodeId statement) const;
  void name_all(const std::vector<NodeId>& own, const std::vector<NodeId>& shared);

  const Outline* outline_;
  const ArenaView& arena_;
  Identities* identities_;
  std::vector<State> states_;
  std::uint32_t round_ = 0;
  std::vector<NodeId> order_;  // parts before the whole
  std::vector<NodeId> vars_, buffers_, exprs_;
  std::vector<NodeId> shared_vars_, shared_buffers_;  // known from an earlier scope
  std::uint32_t written_ = 0;
};

/// The name that TVM gives a variable or a buffer.
inline std::string_view name_of(Node named) {
  return named.text(named.is(Kind::Buffer) ? std::uint8_t{f::Buffer::name}
                                           : std::uint8_t{f::Var::name});
}

/// Whether a statement that is alone in its place is written as the statements of its list.
bool is_implied(const ArenaView& arena, NodeId statement);

}  // namespace mlf::tir::tir_json
