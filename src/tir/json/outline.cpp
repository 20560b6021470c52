#include "tir/json/outline.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/error.h"
#include "support/name_map.h"

namespace mlf::tir::tir_json {
namespace {

[[noreturn]] void refuse(std::string message) {
  throw support::Error(ErrorKind::invalid_input, std::move(message));
}

// Scalars are always defined; the module keeps no separate mark for them.
bool is_defined(FieldType type, std::uint32_t word) {
  return word != 0 || !(holds_nodes(type) || type == FieldType::string);
}

/// Unique names inside one table of variables or buffers.
class UniqueNames {
 public:
  explicit UniqueNames(Identities& identities) : identities_(identities) {}

  /// Marks a name as taken.
  void take(std::string_view name) { taken_.emplace(name); }

  /// `hint` itself or, where that is taken, with the first free one of the endings _1, _2, …
  std::string_view make(std::string_view hint) {
    if (taken_.insert(hint).second) return hint;
    std::uint32_t& last = endings_[hint];
    std::string name;
    do {
      name = std::string(hint) + "_" + std::to_string(++last);
    } while (taken_.contains(name));
    const std::string_view kept = identities_.keep(std::move(name));
    taken_.insert(kept);
    return kept;
  }

 private:
  Identities& identities_;
  support::NameSet<std::string_view> taken_;
  support::NameMap<std::string_view, std::uint32_t> endings_;
};

bool is_table_entry(Kind kind) {
  return is_var(kind) || info(kind).category == Category::buffer;
}

}  // namespace

// Parts come before the whole in `candidates_`, so each is measured after everything it refers to,
// and an object's id is larger than those of all objects in it.
Outline::Outline(const Module& module) : arena_(module), states_(module.size()) {
  const Node root = module.root();
  if (!root || !root.is(Kind::IRModule)) refuse("only an IRModule can be written as tir-N.json");
  name_functions();
  walk_module();
  for (const NodeId id : candidates_) {
    measure(id);
    if (!belongs_into_table(module.node(id))) continue;
    state(id).entry = static_cast<std::uint32_t>(objects_.size());
    objects_.push_back(id);
  }
}

// `entry` of a named function counts functions, not objects.
std::optional<std::uint32_t> Outline::object_id(NodeId id) const {
  const State& state = states_[index(id)];
  if (state.named || state.entry == kNoEntry) return std::nullopt;
  return state.entry;
}

// GlobalVar and PrimFunc of an entry are written as that entry; references use the first name of a
// function that has several.
void Outline::name_functions() {
  refuse_repeated_functions(module());
  const NodeMap functions = module().root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Node key = functions.key(i);
    if (!key || !key.is(Kind::GlobalVar)) refuse("a function of the module has no GlobalVar");
    if (!functions.value(i)) refuse("a function of the module is undefined");
    state(key.id()).named = true;
    State& function = state(functions.value(i).id());
    if (!functions.value(i).is(Kind::PrimFunc) || function.named) continue;
    function.named = true;
    function.entry = static_cast<std::uint32_t>(i);
  }
}

std::string_view Outline::function_name(NodeId id) const {
  const NodeMap functions = module().root().map(f::IRModule::functions);
  return functions.key(states_[index(id)].entry).text(f::GlobalVar::name_hint);
}

void Outline::walk_module() {
  const NodeId root = module().root().id();
  const auto enter = [&](NodeId id) {
    if (state(id).met) return false;
    meet(id);
    return true;
  };
  const auto skip = [&](NodeId part) {
    State& below = state(part);
    if (below.uses < 2) ++below.uses;
    return below.met;
  };
  // Expressions, statements and buffers belong to the function that they are in: its ScopePlan sees
  // to them.
  const auto leave = [&](NodeId id) {
    switch (arena_.category(id)) {
      case Category::type:
      case Category::value:
      case Category::object:
      case Category::function:
      case Category::module:
        if (id != root) candidates_.push_back(id);
        break;
      case Category::constant:
        state(id).entry = static_cast<std::uint32_t>(constants_.size());
        constants_.push_back(id);
        break;
      default:
        break;
    }
  };
  walk_parts(arena_, root, enter, skip, leave);
}

// Attributes of functions and of the module are written as a map in their place, unless a node
// else needs their identity.
void Outline::meet(NodeId id) {
  state(id).met = true;
  check_defined(id);
  const Kind kind = arena_.kind(id);
  if (kind != Kind::PrimFunc && kind != Kind::IRModule) return;
  const Node node = module().node(id);
  const Node attrs = kind == Kind::PrimFunc ? node[f::PrimFunc::attrs] : node[f::IRModule::attrs];
  if (attrs && attrs.is(Kind::DictAttrs)) state(attrs.id()).plain_attrs = true;
}

// Everything is checked before the first byte: a writer that fails halfway leaves half a document.
void Outline::check_defined(NodeId id) const {
  const KindInfo& kind = info(arena_.kind(id));
  for (const FieldInfo& field : kind.fields) {
    const std::uint32_t word = *arena_.words(id, field.offset);
    if (field.type == FieldType::list && !may_be_null(field.expects)) {
      const auto elements = arena_.list(word);
      if (std::ranges::find(elements, 0U) != elements.end()) {
        refuse(fmt::format("{} of a {} has an undefined element", field.name, kind.name));
      }
    }
    if (field.nullable || is_defined(field.type, word)) continue;
    refuse(fmt::format("{} of a {} is undefined", field.name, kind.name));
  }
}

// Only types and values are written where they are used and can be nested; an expression in them
// counts one here, because how it is written depends on the function.
void Outline::measure(NodeId id) {
  State& own = state(id);
  own.size = 1;
  arena_.for_each_part(id, [&](NodeId part) {
    // A reference costs one node wherever it leads.
    const Category category = arena_.category(part);
    const bool inside =
        (category == Category::type || category == Category::value) && !is_reference(part);
    const State& below = state(part);
    own.size = saturating_sum(own.size, inside ? below.size : 1);
    own.height = std::max(own.height, inside ? below.height : std::uint8_t{1});
  });
  ++own.height;
}

// Identity counts for objects that are shared. Ops, strings and numbers are the same if they are
// equal, so they need no entry.
bool Outline::belongs_into_table(Node node) const {
  const State& state = states_[index(node.id())];
  const bool shared = state.uses > 1;
  switch (node.kind()) {
    case Kind::Op:
    case Kind::String:
    case Kind::BoxInt:
    case Kind::BoxFloat:
    case Kind::BoxBool:
    case Kind::ShapeTuple:
      return false;
    case Kind::DictAttrs:
      return shared || !state.plain_attrs || node.module().span(node.id());
    case Kind::Array:
      return (shared && !node.list(f::Array::elements).empty()) || state.height >= kMaxHeight;
    case Kind::StringMap:
    case Kind::ObjectMap:
      return (shared && !node.map(0).empty()) || state.height >= kMaxHeight;
    default:
      break;
  }
  if (node.is(Kind::TypeVar) || node.is(Kind::GlobalTypeVar)) return true;
  if (node.category() == Category::type) {
    // A type that is nested deeper than the limit is cut by a reference, so that no reader needs
    // deep recursion.
    return (shared && state.size > kSmallTypeSize) || state.height >= kMaxHeight;
  }
  return !state.named;
}

bool Outline::is_referred_to(NodeId id) const {
  const Kind kind = arena_.kind(id);
  switch (info(kind).category) {
    case Category::buffer:
    case Category::constant:
      return true;
    case Category::object:
    case Category::function:
    case Category::module:
      return kind == Kind::Op || is_named(id) || object_id(id).has_value();
    default:
      return object_id(id).has_value();
  }
}

// --- Scopes ------------------------------------------------------------------------------------

// A SeqStmt with a span, or with fewer than two elements, says something that its elements alone do
// not.
bool is_implied(const ArenaView& arena, NodeId statement) {
  return arena.kind(statement) == Kind::SeqStmt &&
         arena.list(*arena.words(statement)).size() >= 2 && arena.span(statement) == NodeId::none;
}

// One state for each node of the module, kept from scope to scope: clearing it for each of many
// functions would be quadratic, so a state is valid in the round that wrote it.
ScopePlan::ScopePlan(const Outline& outline, Identities& identities)
    : outline_(&outline),
      arena_(outline.arena()),
      identities_(&identities),
      states_(outline.module().size()) {}

// Four passes over the scope: collect, name, count uses from the top, measure from the bottom.
void ScopePlan::plan(std::span<const NodeId> roots) {
  ++round_;
  order_.clear();
  for (auto* list : {&vars_, &buffers_, &exprs_, &shared_vars_, &shared_buffers_}) list->clear();
  for (const NodeId root : roots) collect(root);
  name_all(vars_, shared_vars_);
  name_all(buffers_, shared_buffers_);
  count_uses();
  written_ = 0;
  for (const NodeId id : order_) measure(id);
  for (const NodeId id : exprs_) written_ = saturating_sum(written_, state(id).size);
  for (const NodeId root : roots) written_ = saturating_sum(written_, state(root).size);
}

// Says with false that nothing below the node is written in this scope because of it.
bool ScopePlan::enter(NodeId id) {
  State& own = state(id);
  if (own.round == round_) return false;
  own = State{.round = round_};
  const Kind kind = arena_.kind(id);
  if (!is_table_entry(kind)) return true;
  const bool buffer = kind == Kind::Buffer;
  // A variable or buffer belongs to the first scope that meets it; the others refer to it by id.
  if (identities_->knows(id)) {
    (buffer ? shared_buffers_ : shared_vars_).push_back(id);
    return false;
  }
  buffer ? identities_->add_buffer(id) : identities_->add_var(id);
  (buffer ? buffers_ : vars_).push_back(id);
  return true;
}

// Besides variables and buffers no reference is entered: what is behind it is written elsewhere.
void ScopePlan::collect(NodeId root) {
  const auto skip = [&](NodeId part) {
    return state(part).round == round_ ||
           (outline_->is_reference(part) && !is_table_entry(arena_.kind(part)));
  };
  walk_parts(
      arena_, root, [&](NodeId id) { return enter(id); }, skip,
      [&](NodeId id) { order_.push_back(id); });
}

// An expression in a statement or part that is itself written twice is written twice, too. From the
// whole to its parts: by the time a node is looked at, all its users have been.
void ScopePlan::count_uses() {
  for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
    const bool repeated = state(*id).uses > 1 && arena_.category(*id) != Category::expr;
    arena_.for_each_part(*id, [&](NodeId part) {
      if (outline_->is_reference(part)) return;
      std::uint8_t& uses = state(part).uses;
      uses = static_cast<std::uint8_t>(std::min(uses + (repeated ? 2 : 1), 2));
    });
  }
}

// Decides which expressions go into the table: those used more than once and not small, and those
// so high that a reader with a limit on nesting would refuse the document.
void ScopePlan::measure(NodeId id) {
  std::uint32_t size = 1;
  std::uint8_t height = 0;
  arena_.for_each_part(id, [&](NodeId part) {
    const State& below = state(part);
    const bool reference = below.in_table || outline_->is_reference(part);
    size = saturating_sum(size, reference ? 1 : below.size);
    height = std::max(height, reference ? std::uint8_t{1} : below.height);
  });
  State& own = state(id);
  own.size = size;
  own.height = height < UINT8_MAX ? static_cast<std::uint8_t>(height + 1) : height;
  const Kind kind = arena_.kind(id);
  const Category category = info(kind).category;
  if (category == Category::stmt) return measure_scope(id);
  if (category != Category::expr || is_var(kind)) {
    if (is_table_entry(kind)) written_ = saturating_sum(written_, own.size);
    return;
  }
  if (own.height < kMaxHeight && (own.uses < 2 || own.size <= kSmallSize)) return;
  // From here on users count one node for it, of height one.
  own.in_table = true;
  own.entries = static_cast<std::uint32_t>(exprs_.size());
  exprs_.push_back(id);
}

// `scope` is the number of all entries below a statement, so that a reader can skip them.
void ScopePlan::measure_scope(NodeId statement) {
  State& own = state(statement);
  own.height = 0;  // statements nest in lists; only expressions have a height to keep
  const Kind kind = arena_.kind(statement);
  const auto field = scoped_field(kind);
  if (!field) return;
  const std::uint32_t word = *arena_.words(statement, info(kind).fields[*field].offset);
  if (kind == Kind::SeqStmt) {
    for (const std::uint32_t element : arena_.list(word)) {
      own.entries = saturating_sum(own.entries, element_entries(static_cast<NodeId>(element)));
    }
  } else {
    own.entries = position_entries(static_cast<NodeId>(word));
  }
}

std::uint32_t ScopePlan::element_entries(NodeId statement) const {
  return saturating_sum(1, state(statement).entries);
}

std::uint32_t ScopePlan::position_entries(NodeId statement) const {
  // An implied SeqStmt governs just what its elements take. Not itself: it has no entry of its own.
  return is_implied(arena_, statement) ? state(statement).entries : element_entries(statement);
}

// Names that other scopes gave to shared entries are taken first: a name means one variable within
// what a function shows.
void ScopePlan::name_all(const std::vector<NodeId>& own, const std::vector<NodeId>& shared) {
  UniqueNames names(*identities_);
  for (const NodeId id : shared) names.take((*identities_)[id].name);
  for (const NodeId id : own) {
    identities_->set_name(id, names.make(name_of(outline_->module().node(id))));
  }
}

}  // namespace mlf::tir::tir_json
