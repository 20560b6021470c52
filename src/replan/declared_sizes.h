// Sizes of pools that an archive states outside of its TIR.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "replan/assignment.h"
#include "replan/edit.h"
#include "support/source_text.h"

namespace mlf::replan {

// Each throws `Error` (check_failed) where a number is not the old one.

/// `#define NAME 104192`; whether it is here.
bool add_macro_edit(const support::SourceText& source, std::string_view name,
                    const NumberChange& size, std::vector<Edit>& edits);

/// What metadata.json says of main's workspace: the pools, and perhaps one of `beside`, the bytes
/// that it may count with them. Returns the number before and after, where it says one.
std::optional<NumberChange> add_metadata_edit(const support::SourceText& source,
                                              std::string_view module,
                                              const ModuleAssignment& assignment,
                                              std::span<const std::uint64_t> beside,
                                              std::vector<Edit>& edits);

}  // namespace mlf::replan
