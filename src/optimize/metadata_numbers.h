// Numbers of metadata.json that depend on memory pools and constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "optimize/edit.h"
#include "support/source_text.h"

namespace mlf::optimize {

/// The edit of one number among `field` of main's devices: the one that is `before[i]` for the
/// first possible i becomes `after[i]`. Nothing where none is, or where the two are equal. Throws
/// `Error` (check_failed) where the member does not have the numbers of TVM, and where two devices
/// have it.
struct MetadataChange {
  NumberChange number;
  Edit edit;
};
std::optional<MetadataChange> metadata_change(const support::SourceText& metadata,
                                              std::string_view module, std::string_view field,
                                              std::span<const NumberChange> possible);

}  // namespace mlf::optimize
