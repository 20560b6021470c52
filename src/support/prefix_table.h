// Finds which of many prefixes a text begins with.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "support/name_map.h"

namespace mlf::support {

/// Prefixes with a number each. Names of modules are prefixes of the names of their functions and
/// files, and an archive may have thousands of modules: comparing with each is quadratic.
class PrefixTable {
 public:
  /// Of equal prefixes the first one stays.
  void add(std::string prefix, std::size_t value) {
    lengths_.insert(prefix.size());
    values_.emplace(std::move(prefix), value);
  }

  /// The number of the longest prefix that `text` begins with.
  std::optional<std::size_t> longest_of(std::string_view text) const {
    // There are few lengths: k prefixes of different lengths have at least k * k / 2 characters.
    for (auto at = lengths_.lower_bound(text.size()); at != lengths_.end(); ++at) {
      const auto found = values_.find(text.substr(0, *at));
      if (found != values_.end()) return found->second;
    }
    return std::nullopt;
  }

 private:
  NameMap<std::string, std::size_t> values_;
  std::set<std::size_t, std::greater<>> lengths_;
};

}  // namespace mlf::support
