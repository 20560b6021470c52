// The modules of a build that has no archive, from its build.json: see schemas/build.md.
#pragma once

#include <span>

#include "mlf/model_library.h"
#include "support/source_text.h"

namespace mlf::model_library {

/// Reads the text of build.json, and assigns each of `files` to its module. Throws `Error` with
/// line, column and JSON pointer: for missing keys, wrong types, another format or version, targets
/// that do not parse, and names that two modules have.
ModelLibrary read_build(const support::SourceText& source, std::span<const FileRef> files);

}  // namespace mlf::model_library
