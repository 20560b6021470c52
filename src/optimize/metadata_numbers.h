// Numbers of metadata.json that depend on memory pools and constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "edit/edited_archive.h"
#include "json/document.h"

namespace mlf::optimize {

/// The object with the memory of a module: from version 7 on, it is in `modules`. Throws `Error`
/// (check_failed) if it is missing.
json::Value metadata_of(const json::Value& root, std::string_view module);

/// Returns the edit of one number of metadata.json, `field` of one of main's devices: takes the
/// first i for which a device has the number `before[i]`, and replaces it by `after[i]`. Returns
/// nullopt if there is no such i, or if the two are equal. Throws `Error` (check_failed) if the
/// member lacks TVM's numbers, or if two devices have this number.
struct MetadataChange {
  edit::NumberChange number;
  edit::Edit edit;
};
std::optional<MetadataChange> metadata_change(const json::Document& metadata,
                                              std::string_view module, std::string_view field,
                                              std::span<const edit::NumberChange> possible);

}  // namespace mlf::optimize
