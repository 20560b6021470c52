// Numbers of metadata.json that depend on memory pools and constants.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "edit/edited_archive.h"
#include "json/document.h"

namespace mlf::optimize {

inline constexpr std::string_view kMetadata = "metadata.json";

/// Returns the edits that `add` wants in metadata.json as it is now; none if there is no such
/// member.
edit::FileEdits edits_of_metadata(
    const edit::EditedMembers& edited,
    const std::function<void(const json::Document&, std::vector<edit::Edit>&)>& add);

/// The object with the memory of a module: from version 7 on, it is in `modules`. Throws `Error`
/// (check_failed) if it is missing.
json::Value metadata_of(const json::Value& root, std::string_view module);

/// Adds the edit of one number of metadata.json, `field` of one of main's devices: takes the first
/// of `possible` whose number before a device has, and returns it; nullopt if there is none. Throws
/// `Error` (check_failed) if the member lacks TVM's numbers, or if two devices have this number.
std::optional<edit::NumberChange> change_metadata(const json::Document& metadata,
                                                  std::string_view module, std::string_view field,
                                                  std::span<const edit::NumberChange> possible,
                                                  std::vector<edit::Edit>& edits);

}  // namespace mlf::optimize
