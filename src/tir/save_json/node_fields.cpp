#include "tir/save_json/node_fields.h"

#include <fmt/core.h>

#include "support/numbers.h"

namespace mlf::tir::save_json {
namespace {

// Containers that TVM always makes. If they are empty, they mean the same as null.
bool is_canonical_null(const JsonGraph& graph, std::uint32_t target) {
  const GraphNode& node = graph.node(target);
  if (node.kind == Kind::StringMap) return graph.data_size(target) == 0;
  if (node.kind != Kind::SourceMap) return false;
  // A SourceMap contains a map, which may be empty.
  const auto map = graph.attr(target, "source_map");
  const auto inner = map ? graph.reference(*map) : std::nullopt;
  return inner && graph.node(*inner).kind == Kind::StringMap && graph.data_size(*inner) == 0;
}

// IRModule's constructor sets these if the caller does not.
bool may_be_canonical_null(Kind kind, std::uint8_t field) {
  return kind == Kind::IRModule && field != f::IRModule::functions && field != f::IRModule::attrs &&
         !is_derived(kind, field);
}

}  // namespace

// Both sides are sorted, so the next name usually matches. The search wraps around for documents of
// other writers.
bool NodeFields::place(json::Member attribute) {
  const std::string_view name = attribute.key.text();
  // In addition to the fields of nodes.def, every node has a span.
  if (name == kSpan) {
    span_ = attribute.value.index();
    return true;
  }
  for (std::size_t tried = 0; tried < names_.size(); ++tried) {
    if (next_ == names_.size()) next_ = 0;
    const NamedField& candidate = names_[next_++];
    if (candidate.name != name) continue;
    values_[candidate.field] = attribute.value.index();
    return true;
  }
  return false;
}

std::uint32_t NodeFields::reference(std::uint8_t field) {
  if (!has(field)) return 0;
  std::uint32_t& target = targets_[field];
  if (target != kUnread) return target;
  target = graph_->reference(node_, member(values_[field]));
  // Modules inside of a module may share such a container, or have their own.
  const bool is_root = node_ == graph_->root();
  if (is_root && may_be_canonical_null(kind_, field) && is_canonical_null(*graph_, target))
    target = 0;
  return target;
}

std::uint32_t NodeFields::span() {
  if (span_ == 0) return 0;
  if (span_target_ == kUnread) span_target_ = graph_->reference(node_, member(span_));
  return span_target_;
}

std::int64_t NodeFields::integer(std::uint8_t field) const {
  const auto number = support::whole_number<std::int64_t>(value(field).text());
  if (!number) fail_value(field, "a 64-bit integer");
  return *number;
}

std::int64_t NodeFields::boolean(std::uint8_t field) const {
  const std::string_view text = value(field).text();
  if (text != "0" && text != "1") fail_value(field, "\"0\" or \"1\"");
  return text == "1";
}

// Some of TVM's enumerations have gaps: an empty name is a number without a meaning.
std::int64_t NodeFields::enumeration(std::uint8_t field) const {
  const std::int64_t number = integer(field);
  const auto names = enum_names(info(kind_).fields[field].expects);
  if (number < 0 || static_cast<std::size_t>(number) >= names.size() ||
      names[static_cast<std::size_t>(number)].empty()) {
    fail(field, fmt::format("TVM has no value {} for it", number));
  }
  return number;
}

double NodeFields::real(std::uint8_t field) const {
  const auto number = support::whole_number<double>(value(field).text());
  if (!number) fail_value(field, "a number");
  return *number;
}

DType NodeFields::dtype(std::uint8_t field) const {
  const auto dtype = parse_dtype(value(field).text());
  if (!dtype) fail_value(field, "a dtype");
  return *dtype;
}

std::size_t NodeFields::tensor(std::uint8_t field) const {
  const auto index = support::whole_number<std::size_t>(value(field).text());
  if (!index) fail_value(field, "an index into b64ndarrays");
  if (*index >= graph_->tensor_count()) {
    fail(field, fmt::format("index {} is out of range: b64ndarrays has {} entries", *index,
                            graph_->tensor_count()));
  }
  return *index;
}

void NodeFields::fail(std::uint8_t field, std::string_view message) const {
  graph_->fail(node_, value(field), fmt::format("{}: {}", info(kind_).fields[field].name, message));
}

void NodeFields::fail_value(std::uint8_t field, std::string_view expected) const {
  fail(field, fmt::format("expected {}, found {}", expected, clipped(value(field).text())));
}

}  // namespace mlf::tir::save_json
