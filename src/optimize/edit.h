// Changes of a member's text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "support/source_text.h"

namespace mlf::optimize {

/// Other text in the place of `range`.
struct Edit {
  tir::SourceRange range;
  std::string text;
};

/// The text with all edits made, in whatever order they are given. Two of one range must agree, and
/// no others may overlap; throws `Error` otherwise.
std::string apply(std::string_view text, std::vector<Edit> edits);

/// A number of a plan, before and after.
struct NumberChange {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

/// Writes the new number over the decimal digits that `range` begins with. Throws `Error`
/// (check_failed) where they are not those of the old one; `what` names the number.
Edit number_edit(const support::SourceText& source, tir::SourceRange range,
                 const NumberChange& change, std::string_view what);

/// Ends the attempt: the archive cannot be changed for certain. `where` is a member, or empty.
[[noreturn]] void refuse(std::string message, std::string_view where = {});

}  // namespace mlf::optimize
