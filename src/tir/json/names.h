// Unique names inside one table of variables or buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace mlf::tir::tir_json {

class UniqueNames {
 public:
  /// Marks a name as taken.
  void take(std::string_view name) { taken_.emplace(name); }
  bool is_taken(std::string_view name) const { return taken_.contains(std::string(name)); }

  /// `hint` itself or, where that is taken, with the first free one of the endings _1, _2, …
  std::string make(std::string_view hint) {
    std::string name(hint);
    if (!taken_.contains(name)) return take_and_return(std::move(name));
    std::uint32_t& last = endings_[name];
    do {
      name = std::string(hint) + "_" + std::to_string(++last);
    } while (taken_.contains(name));
    return take_and_return(std::move(name));
  }

 private:
  std::string take_and_return(std::string name) {
    taken_.insert(name);
    return name;
  }

  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::uint32_t> endings_;
};

}  // namespace mlf::tir::tir_json
