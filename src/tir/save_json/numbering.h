// The order in which a module's items stand in `nodes`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tir/save_json/item.h"

namespace mlf::tir::save_json {

/// Numbers everything below a root the way TVM does, the whole before its parts, each once; equal
/// strings are one item. The null node is number 0.
class Numbering {
 public:
  Numbering(const Items& items, const Item& root);

  std::span<const Item> order() const { return order_; }
  std::uint32_t number(const Item& item) const;

 private:
  /// Where the number of an item is kept; new items get 0 there.
  std::uint32_t& place(const Item& item);
  static std::uint64_t key(const Item& item);

  std::vector<Item> order_;
  std::vector<std::uint32_t> of_node_;
  std::unordered_map<std::string_view, std::uint32_t> of_text_;
  std::unordered_map<std::string_view, std::uint32_t> of_key_;
  std::unordered_map<std::uint64_t, std::uint32_t> of_other_;
};

}  // namespace mlf::tir::save_json
