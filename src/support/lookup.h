// What a map has under a key, whether a list has a value, lists that have each value once, and
// names of enumerators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
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

/// Any number of values, each once, in the order in which they were first added.
template <class Value>
class DistinctList {
 public:
  template <class Added>
  void add(const Added& value) {
    if (known_.emplace(value).second) all_.emplace_back(value);
  }
  template <class Wanted>
  bool contains(const Wanted& value) const {
    return known_.contains(value);
  }
  const std::vector<Value>& all() const { return all_; }

 private:
  std::vector<Value> all_;
  std::set<Value, std::less<>> known_;
};

/// The name of an enumerator. `names` are in the order of the enumeration, which begins at 0.
template <class Enum>
std::string_view name_in(std::initializer_list<std::string_view> names, Enum value) {
  return names.begin()[static_cast<std::size_t>(value)];
}

}  // namespace mlf::support
