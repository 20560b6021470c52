#include "tir/text/missing_objects.h"

#include <algorithm>

namespace mlf::tir::text {

NodeId MissingObjects::mention(std::string_view type_key, std::int64_t index,
                               std::string_view reference, std::string_view where) {
  losses_.add(LossCode::attr_object, where, reference);
  const auto [entry, is_new] = objects_.try_emplace({std::string(type_key), index});
  if (is_new) {
    const NodeId node = builder_.make(Kind::MissingObject, {builder_.string(type_key), index});
    entry->second = {node, std::string(reference)};
  }
  return entry->second.node;
}

void MissingObjects::was_found(NodeId missing) {
  const auto is_it = [&](const auto& entry) { return entry.second.node == missing; };
  const auto found = std::ranges::find_if(objects_, is_it);
  if (found != objects_.end()) losses_.withdraw(LossCode::attr_object, found->second.reference);
}

}  // namespace mlf::tir::text
