#include "tir/tvmscript/write/metadata_objects.h"

#include <fmt/core.h>

#include <algorithm>

namespace mlf::tir::tvmscript {

std::string MetadataObjects::reference(Node object) {
  const std::string key(object.is(Kind::Opaque) ? object.text(f::Opaque::type_key)
                                                : object.info().type_key);
  std::vector<NodeId>& same_key = objects_[key];
  const auto found = std::ranges::find(same_key, object.id());
  const auto position = found - same_key.begin();
  if (found == same_key.end()) same_key.push_back(object.id());
  return fmt::format("metadata[\"{}\"][{}]", key, position);
}

}  // namespace mlf::tir::tvmscript
