// From an open file or directory to the contents of an archive.
#pragma once

#include <memory>
#include <string>

#include "archive/contents.h"

namespace mlf::archive {

/// Copies what can be read only once into an unnamed temporary file.
support::File spool(const support::File& stream, const Limits& limits);

/// Reads the list of members of `source`, whatever it is. `path` is what messages call it.
std::unique_ptr<Archive::Contents> load(support::File source, std::string path,
                                        const Limits& limits);

}  // namespace mlf::archive
