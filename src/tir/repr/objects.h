// Objects that the printer describes field by field: memory pools, and what is in them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tir/repr/context.h"

namespace mlf::tir::repr {

/// The kind of an object printed as `type(name=value, …)`; nothing for any other type.
std::optional<Kind> described_kind(std::string_view type);

/// Whether the field is printed as it is, without quotes.
bool is_raw_text(Kind kind, std::string_view field);

/// Makes such an object of the fields that are printed; the others are lost, and so are those that
/// later versions have no more. Fails at the lexer's token where a field cannot have its value.
NodeId make_object(Context& context, const text::Lexer& lexer, Kind kind,
                   std::span<const std::string> names, std::span<const NodeId> values);

}  // namespace mlf::tir::repr
