// Values of attributes: lists and maps of strings, numbers, targets, and of objects that are
// printed in forms of their own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tir/repr/context.h"

namespace mlf::tir::repr {

/// Reads the value at the lexer's token and leaves the lexer behind it. `(nullptr)` is none.
NodeId read_attribute(Context& c);
/// The same for a map with names as keys.
std::vector<NamedNode> read_attribute_map(Context& c);

// --- Objects with their fields: objects.cpp ----------------------------------------------------

/// The kind of an object printed as `type(name=value, …)`; nothing for any other type.
std::optional<Kind> described_kind(std::string_view type);

/// Whether the field is printed as it is, without quotes.
bool is_raw_text(Kind kind, std::string_view field);

/// Makes such an object of the fields that are printed; the others are lost, and so are those that
/// later versions have no more. Fails at the lexer's token where a field cannot have its value.
NodeId make_object(Context& c, Kind kind, std::span<const std::string> names,
                   std::span<const NodeId> values);

}  // namespace mlf::tir::repr
