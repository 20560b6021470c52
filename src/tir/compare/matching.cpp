#include "tir/compare/matching.h"

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
  Matching matching;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Node key = left.key(i);
    const NodeId partner = has_identity(key) ? pairing.right_of(key) : NodeId::none;
    matching.push_back(key.is(Kind::GlobalVar) ? find(functions, key.text(f::GlobalVar::name_hint))
                                               : find(ids, index(partner)));
  }
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
