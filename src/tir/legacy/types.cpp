#include "tir/legacy/types.h"

namespace mlf::tir::legacy {
namespace {

constexpr std::string_view kPointer = "Pointer(";
constexpr std::string_view kCustom = "custom[";

bool is_dtype_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t dtype_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  if (text.substr(begin).starts_with(kCustom)) {
    end = std::min(text.find_first_of("]\n", begin), text.size());
    if (end < text.size() && text[end] == ']') ++end;
  }
  while (end < text.size() && is_dtype_char(text[end])) ++end;
  return end;
}

/// `global ` in front of the element type; empty where there is no scope.
std::string_view take_scope(std::string_view text, std::size_t& at) {
  const std::size_t stop = text.find_first_of(" ()\n", at);
  if (stop == std::string_view::npos || text[stop] != ' ') return {};
  const std::string_view scope = text.substr(at, stop - at);
  at = stop + 1;
  return scope;
}

}  // namespace

std::optional<ScannedType> scan_type(std::string_view text, std::size_t begin) {
  ScannedType type{begin, {}, {}};
  while (text.substr(type.end).starts_with(kPointer)) {
    type.end += kPointer.size();
    type.scopes.push_back(take_scope(text, type.end));
  }
  const std::size_t end = dtype_end(text, type.end);
  // Only a pointer may point to nothing: `Pointer()`.
  if (end == type.end && type.scopes.empty()) return std::nullopt;
  const auto element = parse_dtype(text.substr(type.end, end - type.end));
  if (!element) return std::nullopt;
  type.element = *element;
  type.end = end;
  for (std::size_t i = 0; i < type.scopes.size(); ++i, ++type.end) {
    if (type.end >= text.size() || text[type.end] != ')') return std::nullopt;
  }
  return type;
}

NodeId TypeReader::read(std::string_view type) {
  const auto [found, is_new] = known_.try_emplace(type);
  if (!is_new) return found->second;
  const auto scanned = scan_type(type, 0);
  NodeId node = make_.prim_type(scanned->element);
  for (auto scope = scanned->scopes.rbegin(); scope != scanned->scopes.rend(); ++scope) {
    node = make_.pointer_type(node, *scope);
  }
  found->second = node;
  return node;
}

}  // namespace mlf::tir::legacy
