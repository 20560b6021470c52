#include "tir/compare/brief.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string_view>

namespace mlf::tir::compare_detail {
namespace {

constexpr std::size_t kMaxText = 60;

std::string quoted(std::string_view text, std::size_t room) {
  if (text.size() <= room) return fmt::format("\"{}\"", text);
  return fmt::format("\"{}…\" ({} bytes)", text.substr(0, room), text.size());
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

std::string show(Node node, std::uint8_t i, std::size_t room) {
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
      return node.has_text(i) ? quoted(node.text(i), room) : "undefined";
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

bool is_scalar(FieldType type) {
  return type != FieldType::node && type != FieldType::list && type != FieldType::string_map &&
         type != FieldType::node_map;
}

std::string with_scalars(Node node, std::size_t room) {
  std::string text(node.info().name);
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
    if (is_scalar(node.info().fields[i].type)) text += " " + show(node, i, room);
  }
  return text;
}

}  // namespace

std::string brief(Node node) {
  return node ? with_scalars(node, kMaxText) : "undefined";
}

std::string brief_field(Node node, std::uint8_t field) {
  return show(node, field, kMaxText);
}

std::string scalar_fields(Node node) {
  return with_scalars(node, std::string::npos);
}

}  // namespace mlf::tir::compare_detail
