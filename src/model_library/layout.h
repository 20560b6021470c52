// Where the Model Library Format begins in an archive or a folder: people publish it below a folder
// of another name, or only a part of it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "archive/contents.h"

namespace mlf::model_library {

/// The names that the members have in the format. Nothing where the archive has them already, or
/// where it does not look like the format. In this order:
///  - all files are below a folder that has metadata.json, build.json or codegen/host/;
///  - they are codegen/ or codegen/host/ alone, in a folder of any name;
///  - they are the generated C without its folders.
std::optional<archive::Layout> published_layout(std::span<const archive::Member> members);

/// Names the members of an archive so, if they are not yet.
void take_layout(archive::Archive& archive);

/// The shortest path, and of these the first, of a folder that has metadata.json or codegen/host/,
/// beside files that have nothing to do with it. Empty: none.
std::string folder_with_format(std::span<const archive::Member> members);

}  // namespace mlf::model_library
