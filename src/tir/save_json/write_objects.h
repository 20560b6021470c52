// Objects of a module as save_json of their own: the metadata section of a text.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mlf/tir/write.h"

namespace mlf::tir {

/// Objects by type key.
using ObjectsByKey = std::map<std::string, std::vector<NodeId>, std::less<>>;

/// Writes a Map of type keys to Arrays of `objects`, what they share being shared.
void write_objects(const Document& document, const ObjectsByKey& objects, const Sink& sink);

}  // namespace mlf::tir
