// What goes into the tables of one function, or of the module outside its functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/json/outline.h"

namespace mlf::tir::tir_json {

/// Ids and names of variables and buffers, which count through the whole module.
class Identities {
 public:
  struct Entry {
    std::uint32_t id;
    std::string name;
  };
  bool knows(NodeId id) const { return entries_.contains(id); }
  /// Precondition: known.
  const Entry& operator[](NodeId id) const { return entries_.at(id); }
  void add_var(NodeId id) { entries_.emplace(id, Entry{vars_++, {}}); }
  void add_buffer(NodeId id) { entries_.emplace(id, Entry{buffers_++, {}}); }
  void set_name(NodeId id, std::string name) { entries_.at(id).name = std::move(name); }

 private:
  std::unordered_map<NodeId, Entry> entries_;
  std::uint32_t vars_ = 0;
  std::uint32_t buffers_ = 0;
};

/// The plan of one scope at a time; kept and used again, because its memory is that of the module.
class ScopePlan {
 public:
  ScopePlan(const Outline& outline, Identities& identities);

  /// Plans what is below `roots`, which are written out even where they are references. What
  /// an earlier plan said is forgotten.
  void plan(std::span<const Node> roots);

  const std::vector<NodeId>& vars() const { return vars_; }
  const std::vector<NodeId>& buffers() const { return buffers_; }
  /// Expressions of the table, in order: each refers only to those before it.
  const std::vector<NodeId>& exprs() const { return exprs_; }
  /// Place in the table of expressions.
  std::optional<std::uint32_t> expr_entry(NodeId id) const;
  /// How many entries of a statement list follow this one and belong to it.
  std::uint32_t scope(Node statement) const;
  /// Nodes that writing this scope takes; UINT32_MAX where that is too many to count.
  std::uint32_t written() const { return written_; }

 private:
  static constexpr std::uint32_t kNoEntry = UINT32_MAX;
  struct State {
    std::uint32_t round = 0;         // the plan that this belongs to
    std::uint32_t size = 0;          // nodes as written
    std::uint32_t entry = kNoEntry;  // in the table of expressions
    std::uint32_t scope = 0;         // of statements: entries governed
    std::uint8_t height = 0;
    std::uint8_t uses = 0;  // 2: more than once
  };

  State& state(Node node) { return states_[index(node.id())]; }
  const State& state(Node node) const { return states_[index(node.id())]; }
  bool enter(Node node);
  void collect(Node root);
  void count_uses();
  void measure(Node node);
  void measure_scope(Node statement);
  std::uint32_t element_entries(Node statement) const;
  std::uint32_t position_entries(Node statement) const;
  void name_all(const std::vector<NodeId>& own, const std::vector<NodeId>& shared);

  const Outline* outline_;
  Identities* identities_;
  std::vector<State> states_;
  std::uint32_t round_ = 0;
  std::vector<Node> order_;  // parts before the whole
  std::vector<NodeId> vars_, buffers_, exprs_;
  std::vector<NodeId> shared_vars_, shared_buffers_;  // known from an earlier scope
  std::uint32_t written_ = 0;
};

/// Whether a statement that is alone in its place is written as the statements of its list.
bool is_implied(Node statement);

}  // namespace mlf::tir::tir_json
