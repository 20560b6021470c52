// The types of inputs and outputs that a packed archive keeps for TVM's C++ runtime.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/source_text.h"
#include "tir/c/context.h"
#include "tir/c/items.h"

namespace mlf::tir::c {

/// Reads the arrays of one file. Nothing where the file has none, or where one of them is not what
/// TVM prints: then the types come from elsewhere.
std::optional<CMetadata> read_metadata(const support::SourceText& source, const FileItems& items);

}  // namespace mlf::tir::c
