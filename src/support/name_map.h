// Hash tables of names that came from an archive.
//
// std::hash is the same function in all programs, so the author of an archive can choose names that
// share a bucket: 42,000 of them took a minute. This hash has a random key for each run. The order
// of such a table therefore differs from run to run: outputs must not depend on it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mlf::support {

struct NameHash {
  using is_transparent = void;

  // Not noexcept: then libstdc++ keeps the hash of each name, and compares names only if theirs are
  // equal. It would hash the names of a bucket again with every search.
  std::size_t operator()(std::string_view name) const;
};

/// `Name` is std::string, or std::string_view if the text outlives the table.
template <class Name, class Value>
using NameMap = std::unordered_map<Name, Value, NameHash, std::equal_to<>>;

template <class Name>
using NameSet = std::unordered_set<Name, NameHash, std::equal_to<>>;

/// Empties a hash table. Its `clear`, like `= {}`, goes through all the buckets that it ever
/// needed.
template <class Table>
void discard(Table& table) {
  table = Table();
}

/// Finds the first element of a name in a list, which must outlive it.
template <class Element>
class NameIndex {
 public:
  NameIndex(const std::vector<Element>& elements, std::string Element::*name) {
    first_.reserve(elements.size());
    for (const Element& one : elements) first_.try_emplace(one.*name, &one);
  }

  /// Null if there is none.
  const Element* find(std::string_view name) const {
    const auto found = first_.find(name);
    return found == first_.end() ? nullptr : found->second;
  }

 private:
  NameMap<std::string_view, const Element*> first_;
};

}  // namespace mlf::support
