// Values of attributes and annotations, where strings are strings and lists are arrays.
#pragma once

#include <vector>

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

NodeId as_attribute(Context& c, const Value& value);
/// The entries of a dictionary whose keys are strings.
std::vector<NamedNode> as_attribute_map(Context& c, const Value& dict);
/// Adds them to those of earlier dictionaries, whose names are `names`.
void add_attributes(Context& c, const Value& dict, std::vector<NamedNode>& to, EntryNames& names);

}  // namespace mlf::tir::tvmscript
