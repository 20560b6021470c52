// Where the Model Library Format begins in an archive or a directory: people publish it below a
// directory of another name, or only a part of it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "archive/contents.h"

namespace mlf::model_library {

/// The names that the members have in the format. Nothing where the archive has them already, or
/// where it does not look like the format. In this order:
///  - all files are below a directory that has metadata.json, build.json or codegen/host/;
///  - they are codegen/ or codegen/host/ alone, in a directory of any name;
///  - they are the generated C without its directories.
std::optional<archive::Layout> published_layout(std::span<const archive::Member> members);

/// Names the members of an archive so, if they are not yet.
void take_layout(archive::Archive& archive);

/// The shortest path, and of these the first, of a directory that has metadata.json or
/// codegen/host/, beside files that have nothing to do with it. Empty: none.
std::string directory_with_format(std::span<const archive::Member> members);

}  // namespace mlf::model_library
