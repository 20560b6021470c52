#include "tir/json/scope_plan.h"

#include <algorithm>
#include <string>

#include "support/name_map.h"
#include "tir/json/format.h"
#include "tir/json/outline.h"

namespace mlf::tir::tir_json {
namespace {

/// Unique names inside one table of variables or buffers.
class UniqueNames {
 public:
  /// Marks a name as taken.
  void take(std::string_view name) { taken_.emplace(name); }
  bool is_taken(std::string_view name) const { return taken_.contains(std::string(name)); }

  /// `hint` itself or, where that is taken, with the first free one of the endings _1, _2, …
  std::string make(std::string_view hint) {
    std::string name(hint);
    if (!taken_.contains(name)) return take_and_return(std::move(name));
    std::uint32_t& last = endings_[name];
    do {
      name = std::string(hint) + "_" + std::to_string(++last);
    } while (taken_.contains(name));
    return take_and_return(std::move(name));
  }

 private:
  std::string take_and_return(std::string name) {
    taken_.insert(name);
    return name;
  }

  support::NameSet<std::string> taken_;
  support::NameMap<std::string, std::uint32_t> endings_;
};

bool is_table_entry(Node node) {
  return node.category() == Category::buffer || is_var(node.kind());
}

std::string_view name_of(Node node) {
  return node.is(Kind::Buffer) ? node.text(f::Buffer::name) : node.text(f::Var::name);
}

}  // namespace

// A SeqStmt with a span, or with fewer than two elements, says something that its elements alone do
// not.
bool is_implied(Node statement) {
  return statement.is(Kind::SeqStmt) && statement.list(f::SeqStmt::seq).size() >= 2 &&
         !statement.module().span(statement.id());
}

// One state for each node of the module, kept from scope to scope: clearing it for each of many
// functions would be quadratic, so a state is valid in the round that wrote it.
ScopePlan::ScopePlan(const Outline& outline, Identities& identities)
    : outline_(&outline), identities_(&identities), states_(outline.module().size()) {}

// Four passes over the scope: collect, name, count uses from the top, measure from the bottom.
void ScopePlan::plan(std::span<const Node> roots) {
  ++round_;
  order_.clear();
  for (auto* list : {&vars_, &buffers_, &exprs_, &shared_vars_, &shared_buffers_}) list->clear();
  for (const Node root : roots) collect(root);
  name_all(vars_, shared_vars_);
  name_all(buffers_, shared_buffers_);
  count_uses();
  written_ = 0;
  for (const Node node : order_) measure(node);
  for (const NodeId id : exprs_) written_ = saturating_sum(written_, states_[index(id)].size);
  for (const Node root : roots) written_ = saturating_sum(written_, state(root).size);
}

// Says with false that nothing below the node is written in this scope because of it.
bool ScopePlan::enter(Node node) {
  State& own = state(node);
  if (own.round == round_) return false;
  own = State{.round = round_};
  if (!is_table_entry(node)) return true;
  const bool buffer = node.is(Kind::Buffer);
  // A variable or buffer belongs to the first scope that meets it; the others refer to it by id.
  if (identities_->knows(node.id())) {
    (buffer ? shared_buffers_ : shared_vars_).push_back(node.id());
    return false;
  }
  buffer ? identities_->add_buffer(node.id()) : identities_->add_var(node.id());
  (buffer ? buffers_ : vars_).push_back(node.id());
  return true;
}

// Besides variables and buffers no reference is entered: what is behind it is written elsewhere.
void ScopePlan::collect(Node root) {
  const auto parts = [&](Node node, auto&& push) {
    for_each_part(node, [&](Node part) {
      if (is_table_entry(part) || !outline_->is_reference(part)) push(part);
    });
  };
  walk_once(
      root, [&](Node node) { return enter(node); }, parts,
      [&](Node node) { order_.push_back(node); });
}

// An expression in a statement or part that is itself written twice is written twice, too. From the
// whole to its parts: by the time a node is looked at, all its users have been.
void ScopePlan::count_uses() {
  for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
    const bool repeated = state(*node).uses > 1 && node->category() != Category::expr;
    for_each_part(*node, [&](Node part) {
      if (is_table_entry(part) || outline_->is_reference(part)) return;
      std::uint8_t& uses = state(part).uses;
      uses = static_cast<std::uint8_t>(std::min(uses + (repeated ? 2 : 1), 2));
    });
  }
}

// Decides which expressions go into the table: those used more than once and not small, and those
// so high that a reader with a limit on nesting would refuse the document.
void ScopePlan::measure(Node node) {
  State& own = state(node);
  own.size = 1;
  for_each_part(node, [&](Node part) {
    const bool reference = outline_->is_reference(part) || state(part).entry != kNoEntry;
    own.size = saturating_sum(own.size, reference ? 1 : state(part).size);
    own.height = std::max(own.height, reference ? std::uint8_t{1} : state(part).height);
  });
  if (own.height < UINT8_MAX) ++own.height;
  if (node.category() == Category::stmt) return measure_scope(node);
  if (node.category() != Category::expr || is_var(node.kind())) {
    if (is_table_entry(node)) written_ = saturating_sum(written_, own.size);
    return;
  }
  if (own.height < kMaxHeight && (own.uses < 2 || own.size <= kSmallSize)) return;
  // From here on users count one node for it, of height one.
  own.entry = static_cast<std::uint32_t>(exprs_.size());
  exprs_.push_back(node.id());
}

// `scope` is the number of all entries below a statement, so that a reader can skip them.
void ScopePlan::measure_scope(Node statement) {
  State& own = state(statement);
  own.height = 0;  // statements nest in lists; only expressions have a height to keep
  const auto field = scoped_field(statement.kind());
  if (!field) return;
  if (statement.is(Kind::SeqStmt)) {
    for (const Node element : statement.list(*field)) {
      own.scope = saturating_sum(own.scope, element_entries(element));
    }
  } else {
    own.scope = position_entries(statement.node(*field));
  }
}

std::uint32_t ScopePlan::element_entries(Node statement) const {
  return saturating_sum(1, state(statement).scope);
}

std::uint32_t ScopePlan::position_entries(Node statement) const {
  // An implied SeqStmt governs just what its elements take. Not itself: it has no entry of its own.
  return is_implied(statement) ? state(statement).scope : element_entries(statement);
}

// Names that other scopes gave to shared entries are taken first: a name means one variable within
// what a function shows.
void ScopePlan::name_all(const std::vector<NodeId>& own, const std::vector<NodeId>& shared) {
  UniqueNames names;
  for (const NodeId id : shared) names.take((*identities_)[id].name);
  for (const NodeId id : own) {
    identities_->set_name(id, names.make(name_of(outline_->module().node(id))));
  }
}

std::optional<std::uint32_t> ScopePlan::expr_entry(NodeId id) const {
  const State& state = states_[index(id)];
  if (state.round != round_ || state.entry == kNoEntry) return std::nullopt;
  return state.entry;
}

std::uint32_t ScopePlan::scope(Node statement) const {
  return state(statement).scope;
}

}  // namespace mlf::tir::tir_json
