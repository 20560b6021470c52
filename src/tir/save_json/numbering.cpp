#include "tir/save_json/numbering.h"

#include <algorithm>

#include "support/error.h"

namespace mlf::tir::save_json {
namespace {

// Lists are written once for each field that holds them, so that sharing can expand.
constexpr std::uint64_t kMostReferences = 1'000'000'000;

}  // namespace

Numbering::Numbering(const Items& items, const Item& root) : of_node_(items.module().size()) {
  order_.push_back({});
  std::vector<Item> stack{root};
  std::vector<Item> targets;
  std::uint64_t references = 0;
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    std::uint32_t& number = place(item);
    if (number != 0) continue;
    number = static_cast<std::uint32_t>(order_.size());
    order_.push_back(item);
    targets.clear();
    items.for_each_target(item, [&](const Item& target) {
      ++references;
      if (target.form != Item::Form::null && place(target) == 0) targets.push_back(target);
    });
    if (references > kMostReferences) {
      throw support::Error(ErrorKind::invalid_input,
                           "the module has more references than save_json can be written with");
    }
    stack.insert(stack.end(), targets.rbegin(), targets.rend());
  }
}

std::uint64_t Numbering::key(const Item& item) {
  return static_cast<std::uint64_t>(item.form) << 40 |
         static_cast<std::uint64_t>(item.field) << 32 | index(item.id);
}

std::uint32_t& Numbering::place(const Item& item) {
  switch (item.form) {
    case Item::Form::node:
      return of_node_[index(item.id)];
    case Item::Form::text:
      return of_text_[item.text];
    case Item::Form::objects_of_key:
      return of_key_[item.text];
    default:
      return of_other_[key(item)];
  }
}

std::uint32_t Numbering::number(const Item& item) const {
  switch (item.form) {
    case Item::Form::null:
      return 0;
    case Item::Form::node:
      return of_node_[index(item.id)];
    case Item::Form::text:
      return of_text_.at(item.text);
    case Item::Form::objects_of_key:
      return of_key_.at(item.text);
    default:
      return of_other_.at(key(item));
  }
}

}  // namespace mlf::tir::save_json
