#include "tir/compare/compare.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <string_view>

#include "mlf/tir/module.h"
#include "support/error.h"
#include "tir/node_queries.h"

namespace mlf::tir::compare_detail {

// --- Paths --------------------------------------------------------------------------------------

namespace {

// A path keeps this many steps at its beginning and at its end.
constexpr std::size_t kShownAtEitherEnd = 24;

/// The name of the key of a map: a function, a variable, a buffer.
std::string key_name(Node key) {
  for (std::uint8_t i = 0; i < key.info().fields.size(); ++i) {
    if (key.info().fields[i].type == FieldType::string) {
      return fmt::format("[\"{}\"]", key.text(i));
    }
  }
  return fmt::format("[{}]", key.info().name);
}

std::string subscript(Node owner, std::uint8_t field, std::uint32_t position) {
  switch (owner.info().fields[field].type) {
    case FieldType::string_map:
      return fmt::format("[\"{}\"]", owner.map(field).name(position));
    case FieldType::node_map:
      return key_name(owner.map(field).key(position));
    default:
      return fmt::format("[{}]", position);
  }
}

constexpr std::size_t kMaxText = 60;

std::string quoted(std::string_view text) {
  if (text.size() <= kMaxText) return fmt::format("\"{}\"", text);
  return fmt::format("\"{}…\" ({} bytes)", text.substr(0, kMaxText), text.size());
}

std::string enumeration_name(const FieldInfo& field, std::int64_t value) {
  const auto names = enum_names(field.expects);
  if (value < 0 || static_cast<std::size_t>(value) >= names.size()) return std::to_string(value);
  return std::string(names[static_cast<std::size_t>(value)]);
}

std::string entries(std::size_t count, bool defined) {
  if (!defined) return "undefined";
  return fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
}

}  // namespace

std::string entry_name(Node owner, std::uint8_t field, std::uint32_t position) {
  return std::string(owner.info().fields[field].name) + subscript(owner, field, position);
}

// Keeps all steps: a pair on the stack needs the path to it for its report.
StepId Steps::add(const ComparisonStep& step) {
  if (steps_.size() >= kNoStep) {
    throw support::Error(ErrorKind::invalid_input, "more than 2^32 pairs of nodes to compare");
  }
  steps_.push_back(step);
  return static_cast<StepId>(steps_.size() - 1);
}

std::string Steps::spell(StepId id) const {
  const ComparisonStep& step = steps_[id];
  if (step.kind == StepKind::in_place) return {};
  if (step.kind == StepKind::span) return ".span";
  const Node owner = left(step.parent);
  const std::string name = fmt::format(".{}", owner.info().fields[step.field].name);
  if (step.kind == StepKind::node) return name;
  if (step.kind == StepKind::key) return fmt::format("{}.key[{}]", name, step.position);
  return "." + entry_name(owner, step.field, step.position);
}

// From the root: "functions["f"].body.seq[3]". With deep nesting, the whole path could be as long
// as the module.
std::string Steps::path(StepId id) const {
  std::vector<StepId> chain;
  for (; steps_[id].parent != kNoStep; id = steps_[id].parent) chain.push_back(id);
  std::string text;
  for (std::size_t i = chain.size(); i-- > 0;) {
    const bool at_an_end = i < kShownAtEitherEnd || chain.size() - i <= kShownAtEitherEnd;
    if (at_an_end) {
      text += spell(chain[i]);
    } else if (i == kShownAtEitherEnd) {
      text += ".…";
    }
  }
  if (text.starts_with('.')) text.erase(0, 1);
  return text;
}

std::string Steps::path(StepId id, std::string_view field) const {
  std::string text = path(id);
  if (!text.empty() && !field.empty()) text += '.';
  return text.append(field);
}

// Up to the nearest entry of a module's functions.
std::string_view Steps::function(StepId id) const {
  for (; steps_[id].parent != kNoStep; id = steps_[id].parent) {
    const ComparisonStep& step = steps_[id];
    const Node owner = left(step.parent);
    if (owner.is(Kind::IRModule) && step.field == f::IRModule::functions) {
      return owner.map(f::IRModule::functions).key(step.position).text(f::GlobalVar::name_hint);
    }
  }
  return {};
}

bool Steps::is_below(StepId id, Kind kind, std::uint8_t field) const {
  for (; steps_[id].parent != kNoStep; id = steps_[id].parent) {
    if (steps_[id].field == field && left(steps_[id].parent).is(kind)) return true;
  }
  return false;
}

std::optional<SourceRange> Steps::range(StepId id, const Module& module,
                                        NodeId ComparisonStep::*side) const {
  for (; id != kNoStep; id = steps_[id].parent) {
    if (const auto found = module.source_range(steps_[id].*side)) return found;
  }
  return std::nullopt;
}

// --- Nodes --------------------------------------------------------------------------------------

std::string brief_field(Node node, std::uint8_t i) {
  const FieldInfo& field = node.info().fields[i];
  switch (field.type) {
    case FieldType::node:
      return node.node(i) ? std::string(node.node(i).info().name) : "undefined";
    case FieldType::list:
      return entries(node.list(i).size(), node.list(i).defined());
    case FieldType::string_map:
    case FieldType::node_map:
      return entries(node.map(i).size(), node.map(i).defined());
    case FieldType::string:
      return node.has_text(i) ? quoted(node.text(i)) : "undefined";
    case FieldType::enumeration:
      return enumeration_name(field, node.integer(i));
    case FieldType::integer:
      return node.integer(i) == kAbsentInteger ? "absent" : std::to_string(node.integer(i));
    case FieldType::boolean:
      return node.integer(i) != 0 ? "true" : "false";
    case FieldType::real:
      return fmt::format("{:.17g}", node.real(i));
    case FieldType::dtype:
      return to_string(node.dtype(i));
    case FieldType::integers:
      return fmt::format("({})", fmt::join(node.integers(i), ", "));
    case FieldType::bytes:
      return node.bytes(i) ? fmt::format("{} bytes", node.bytes(i)->size()) : "undefined";
  }
  return {};
}

std::string brief(Node node) {
  if (!node) return "undefined";
  std::string text(node.info().name);
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
    if (!holds_nodes(node.info().fields[i].type)) text += " " + brief_field(node, i);
  }
  return text;
}

}  // namespace mlf::tir::compare_detail
