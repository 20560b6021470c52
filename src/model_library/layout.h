// Finds the Model Library Format in an archive or a directory that stores it below another
// directory, or stores only a part of it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "archive/contents.h"

namespace mlf::model_library {

/// Returns the names of the members in the format. Empty if the archive already uses them, or is
/// not recognised. Recognises, in this order:
///  - all files are below a directory that has metadata.json, build.json or codegen/host/;
///  - they are codegen/ or codegen/host/ alone, in a directory of any name;
///  - they are the generated C without its directories, with metadata.json or not.
std::optional<archive::Layout> published_layout(std::span<const archive::Member> members);

/// Gives the members of an archive these names. Generated C whose files have other names is found by
/// its functions. Throws `Error` if a file cannot be read.
void take_layout(archive::Archive& archive);

/// Returns the shortest path of a directory that has metadata.json or codegen/host/ beside
/// unrelated files, the first of several; empty if there is none.
std::string directory_with_format(std::span<const archive::Member> members);

/// Says in a part of a message where the members may have the format; empty if nowhere.
std::string hint_at_format(std::span<const archive::Member> members);

}  // namespace mlf::model_library
