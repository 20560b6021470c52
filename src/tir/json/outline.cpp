#include "tir/json/outline.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "support/error.h"
#include "support/name_map.h"
#include "tir/json/format.h"

namespace mlf::tir::tir_json {
namespace {

[[noreturn]] void refuse(std::string message) {
  throw support::Error(ErrorKind::invalid_input, std::move(message));
}

// Scalars are always defined; the module keeps no separate mark for them.
bool is_defined(FieldType type, std::uint32_t word) {
  switch (type) {
    case FieldType::node:
    case FieldType::list:
    case FieldType::string_map:
    case FieldType::node_map:
    case FieldType::string:
      return word != 0;
    default:
      return true;
  }
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
  support::NameSet<std::string_view> names;
  const NodeMap functions = module().root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Node key = functions.key(i);
    if (!key || !key.is(Kind::GlobalVar)) refuse("a function of the module has no GlobalVar");
    if (!functions.value(i)) refuse("a function of the module is undefined");
    const std::string_view name = key.text(f::GlobalVar::name_hint);
    if (!names.insert(name).second) refuse(fmt::format("two functions are named \"{}\"", name));
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

// Attributes of functions and of the module are written as a map in their place, unless somebody
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

}  // namespace mlf::tir::tir_json
