#include "tir/compare/matching.h"

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <unordered_map>

namespace mlf::tir::compare_detail {
namespace {

std::uint32_t position(std::size_t i) {
  return static_cast<std::uint32_t>(i);
}

template <class Key, class KeyAt>
std::unordered_map<Key, std::uint32_t> index_of(const NodeMap& map, KeyAt&& key_at) {
  std::unordered_map<Key, std::uint32_t> places;
  for (std::size_t i = 0; i < map.size(); ++i) places.emplace(key_at(map, i), position(i));
  return places;
}

template <class Key>
std::uint32_t find(const std::unordered_map<Key, std::uint32_t>& places, const Key& key) {
  const auto found = places.find(key);
  return found == places.end() ? kUnmatched : found->second;
}

std::string_view function_name(const NodeMap& map, std::size_t i) {
  const Node key = map.key(i);
  return key.is(Kind::GlobalVar) ? key.text(f::GlobalVar::name_hint) : std::string_view();
}

/// What a constant key says; empty for any other key.
std::string constant(Node key) {
  if (key.is(Kind::String)) return fmt::format("\"{}\"", key.text(f::String::value));
  if (key.is(Kind::StringImm)) return fmt::format("\"{}\"", key.text(f::StringImm::value));
  if (!key.is(Kind::IntImm)) return {};
  return fmt::format("{} {}", to_string(key.dtype()), key.integer(f::IntImm::value));
}

}  // namespace

Matching match_names(const NodeMap& left, const NodeMap& right) {
  const auto name_at = [](const NodeMap& map, std::size_t i) { return map.name(i); };
  const auto places = index_of<std::string_view>(right, name_at);
  Matching matching;
  for (std::size_t i = 0; i < left.size(); ++i) matching.push_back(find(places, left.name(i)));
  return matching;
}

Matching match_keys(const NodeMap& left, const NodeMap& right, const Pairing& pairing) {
  const auto functions = index_of<std::string_view>(right, function_name);
  const auto ids = index_of<std::uint32_t>(
      right, [](const NodeMap& map, std::size_t i) { return index(map.key(i).id()); });
  const auto constants = index_of<std::string>(
      right, [](const NodeMap& map, std::size_t i) { return constant(map.key(i)); });
  const auto find_key = [&](Node key) {
    if (key.is(Kind::GlobalVar)) return find(functions, key.text(f::GlobalVar::name_hint));
    if (const std::string value = constant(key); !value.empty()) return find(constants, value);
    return find(ids, index(has_identity(key) ? pairing.right_of(key) : NodeId::none));
  };
  Matching matching;
  for (std::size_t i = 0; i < left.size(); ++i) matching.push_back(find_key(left.key(i)));
  for (const std::uint32_t i : unmatched_on_right(matching, right.size())) {
    const bool is_free = i < left.size() && matching[i] == kUnmatched;
    if (is_free && !left.key(i).is(Kind::GlobalVar)) matching[i] = i;
  }
  return matching;
}

std::vector<std::uint32_t> unmatched_on_right(const Matching& matching, std::size_t right_size) {
  std::vector<bool> matched(right_size);
  for (const std::uint32_t place : matching) {
    if (place != kUnmatched) matched[place] = true;
  }
  std::vector<std::uint32_t> rest;
  for (std::size_t i = 0; i < right_size; ++i) {
    if (!matched[i]) rest.push_back(position(i));
  }
  return rest;
}

bool is_in_order(const Matching& matching) {
  std::uint32_t last = 0;
  for (const std::uint32_t place : matching) {
    if (place == kUnmatched) continue;
    if (place < last) return false;
    last = place;
  }
  return true;
}

}  // namespace mlf::tir::compare_detail
