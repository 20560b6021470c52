// What a map has under a key, whether a list has a value, and lists that have each value once.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

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

/// Adds a value that the list does not have yet, unless the list has `most` already.
template <class Value>
void add_once(std::vector<Value>& list, Value value, std::size_t most = SIZE_MAX) {
  if (list.size() < most && !is_among(list, value)) list.push_back(std::move(value));
}

}  // namespace mlf::support
