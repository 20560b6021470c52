#include "tir/save_json/node_fields.h"

#include <charconv>

namespace mlf::tir::save_json {
namespace {

// Containers that TVM always makes and that mean nothing when empty read like null.
bool is_canonical_null(const JsonGraph& graph, std::uint32_t target) {
  const GraphNode& node = graph.node(target);
  if (node.kind == Kind::StringMap) return graph.data_size(target) == 0;
  if (node.kind != Kind::SourceMap) return false;
  const auto map = graph.attr(target, "source_map");
  const auto inner = map ? graph.reference(*map) : std::nullopt;
  return inner && graph.node(*inner).kind == Kind::StringMap && graph.data_size(*inner) == 0;
}

bool may_be_canonical_null(Kind kind, std::uint8_t field) {
  return kind == Kind::IRModule && field != f::IRModule::functions && field != f::IRModule::attrs;
}

}  // namespace

bool NodeFields::place(json::Member attribute) {
  const auto names = fields_by_name(kind_);
  const std::string_view name = attribute.key.text();
  for (std::size_t tried = 0; tried < names.size(); ++tried) {
    if (next_ == names.size()) next_ = 0;
    const NamedField& candidate = names[next_++];
    if (candidate.name != name) continue;
    values_[candidate.field] = attribute.value.index();
    return true;
  }
  if (name == kSpan) span_ = attribute.value.index();
  return name == kSpan || is_derived(kind_, name);
}

std::uint32_t NodeFields::reference(std::uint8_t field) const {
  if (!has(field)) return 0;
  const std::uint32_t target = graph_.reference(node_, member(values_[field]));
  if (may_be_canonical_null(kind_, field) && is_canonical_null(graph_, target)) return 0;
  return target;
}

std::uint32_t NodeFields::span() const {
  return span_ == 0 ? 0 : graph_.reference(node_, member(span_));
}

std::int64_t NodeFields::integer(std::uint8_t field) const {
  std::int64_t number = 0;
  if (!parse_whole(value(field).text(), number)) fail_value(field, "a 64-bit integer");
  return number;
}

std::int64_t NodeFields::boolean(std::uint8_t field) const {
  const std::string_view text = value(field).text();
  if (text != "0" && text != "1") fail_value(field, "\"0\" or \"1\"");
  return text == "1";
}

std::int64_t NodeFields::enumeration(std::uint8_t field) const {
  const std::int64_t number = integer(field);
  const auto names = enum_names(info(kind_).fields[field].expects);
  if (number < 0 || static_cast<std::size_t>(number) >= names.size() ||
      names[static_cast<std::size_t>(number)].empty()) {
    fail(field, "TVM has no value " + std::to_string(number) + " for it");
  }
  return number;
}

double NodeFields::real(std::uint8_t field) const {
  double number = 0;
  if (!parse_whole(value(field).text(), number)) fail_value(field, "a number");
  return number;
}

DType NodeFields::dtype(std::uint8_t field) const {
  const auto dtype = parse_dtype(value(field).text());
  if (!dtype) fail_value(field, "a dtype");
  return *dtype;
}

std::size_t NodeFields::tensor(std::uint8_t field) const {
  std::size_t index = 0;
  if (!parse_whole(value(field).text(), index)) fail_value(field, "an index into b64ndarrays");
  if (index >= graph_.tensor_count()) {
    fail(field, "index " + std::to_string(index) + " is out of range: b64ndarrays has " +
                    std::to_string(graph_.tensor_count()) + " entries");
  }
  return index;
}

void NodeFields::fail(std::uint8_t field, std::string_view message) const {
  graph_.fail(node_, value(field),
              std::string(info(kind_).fields[field].name) + ": " + std::string(message));
}

void NodeFields::fail_value(std::uint8_t field, std::string_view expected) const {
  fail(field, "expected " + std::string(expected) + ", found " + clipped(value(field).text()));
}

}  // namespace mlf::tir::save_json
