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
bool is_defined(Node node, std::uint8_t field) {
  switch (node.info().fields[field].type) {
    case FieldType::node:
      return static_cast<bool>(node.node(field));
    case FieldType::list:
      return node.list(field).defined();
    case FieldType::string_map:
    case FieldType::node_map:
      return node.map(field).defined();
    case FieldType::string:
      return node.has_text(field);
    default:
      return true;
  }
}

}  // namespace

// Parts come before the whole in `candidates_`, so each is measured after everything it refers to,
// and an object's id is larger than those of all objects in it.
Outline::Outline(const Module& module) : module_(&module), states_(module.size()) {
  const Node root = module.root();
  if (!root || !root.is(Kind::IRModule)) refuse("only an IRModule can be written as tir-N.json");
  name_functions();
  walk_module();
  for (const NodeId id : candidates_) {
    const Node node = module.node(id);
    measure(node);
    if (!belongs_into_table(node)) continue;
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
  const NodeMap functions = module_->root().map(f::IRModule::functions);
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
  const NodeMap functions = module_->root().map(f::IRModule::functions);
  return functions.key(states_[index(id)].entry).text(f::GlobalVar::name_hint);
}

void Outline::walk_module() {
  const auto enter = [&](Node node) {
    if (state(node.id()).met) return false;
    meet(node);
    return true;
  };
  const auto parts = [&](Node node, auto&& push) {
    for_each_part(node, [&](Node part) {
      State& below = state(part.id());
      if (below.uses < 2) ++below.uses;
      if (!below.met) push(part);
    });
  };
  // Expressions, statements and buffers belong to the function that they are in: its ScopePlan sees
  // to them.
  const auto leave = [&](Node node) {
    switch (node.category()) {
      case Category::type:
      case Category::value:
      case Category::object:
      case Category::function:
      case Category::module:
        if (node != module_->root()) candidates_.push_back(node.id());
        break;
      case Category::constant:
        state(node.id()).entry = static_cast<std::uint32_t>(constants_.size());
        constants_.push_back(node.id());
        break;
      default:
        break;
    }
  };
  walk_once(module_->root(), enter, parts, leave);
}

// Attributes of functions and of the module are written as a map in their place, unless somebody
// else needs their identity.
void Outline::meet(Node node) {
  state(node.id()).met = true;
  check_defined(node);
  Node attrs;
  if (node.is(Kind::PrimFunc)) attrs = node[f::PrimFunc::attrs];
  if (node.is(Kind::IRModule)) attrs = node[f::IRModule::attrs];
  if (attrs && attrs.is(Kind::DictAttrs)) state(attrs.id()).plain_attrs = true;
}

// Everything is checked before the first byte: a writer that fails halfway leaves half a document.
void Outline::check_defined(Node node) const {
  const auto fields = node.info().fields;
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    if (fields[i].type == FieldType::list && !may_be_null(fields[i].expects)) {
      for (const Node element : node.list(i)) {
        if (!element)
          refuse(
              fmt::format("{} of a {} has an undefined element", fields[i].name, node.info().name));
      }
    }
    if (fields[i].nullable || is_defined(node, i)) continue;
    refuse(fmt::format("{} of a {} is undefined", fields[i].name, node.info().name));
  }
}

// Only types and values are written where they are used and can be nested; an expression in them
// counts one here, because how it is written depends on the function.
void Outline::measure(Node node) {
  State& own = state(node.id());
  own.size = 1;
  for_each_part(node, [&](Node part) {
    // A reference costs one node wherever it leads.
    const bool inside = (part.category() == Category::type || part.category() == Category::value) &&
                        !is_reference(part);
    const State& below = state(part.id());
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

bool Outline::is_reference(Node node) const {
  switch (node.category()) {
    case Category::buffer:
    case Category::constant:
      return true;
    case Category::expr:
      return is_var(node.kind());
    case Category::object:
    case Category::function:
    case Category::module:
      return node.kind() == Kind::Op || is_named(node.id()) || object_id(node.id()).has_value();
    default:
      return object_id(node.id()).has_value();
  }
}

}  // namespace mlf::tir::tir_json
