// What a map has under a key, and whether a list has a value.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <algorithm>
#include <optional>
#include <ranges>

namespace mlf::support {

/// The value under `key`; null where the map has none.
template <class Map, class Key = typename Map::key_type>
auto* find_value(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// A copy of the value under `key`; nothing where the map has none.
template <class Map, class Key = typename Map::key_type>
std::optional<typename Map::mapped_type> value_at(const Map& map, const Key& key) {
  const auto* const value = find_value(map, key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

template <class List, class Value>
bool is_among(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

}  // namespace mlf::support
