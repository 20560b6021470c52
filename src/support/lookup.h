// What a map has under a key.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <optional>

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

}  // namespace mlf::support
