// Finds the Model Library Format in an archive or a directory that stores it below another
// directory, or stores only a part of it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "archive/contents.h"

namespace mlf::model_library {

/// Whether a source defines a function that TVM generated.
using IsGenerated = std::function<bool(const archive::Member&)>;

/// Returns the names of the members in the format. Empty if the archive already uses them, or is
/// not recognised. Recognises, in this order:
///  - all files are below a directory that has metadata.json, build.json or codegen/host/;
///  - they are codegen/ or codegen/host/ alone, in a directory of any name;
///  - they are the generated C without its directories, with metadata.json or not;
///  - they are generated C in files of other names, which `is_generated` tells.
std::optional<archive::Layout> published_layout(std::span<const archive::Member> members,
                                                const IsGenerated& is_generated);

/// Gives the members of an archive these names. Throws `Error` if a file cannot be read.
void take_layout(archive::Archive& archive);

/// Returns the shortest path of a directory that has metadata.json or codegen/host/ beside
/// unrelated files, the first of several; empty if there is none.
std::string directory_with_format(std::span<const archive::Member> members);

/// Says in a part of a message where the members may have the format; empty if nowhere.
std::string hint_at_format(std::span<const archive::Member> members);

}  // namespace mlf::model_library
