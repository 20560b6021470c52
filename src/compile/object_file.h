// Sections and functions of an ELF object file, of any machine.
#pragma once

#include <string>

#include "mlf/compile.h"

namespace mlf::compile {

/// Adds what the object file at `path` has in memory. Throws `Error` where it is not ELF.
void add_object_file(const std::string& path, CompiledCode& code);

/// Adds the frames that gcc and clang wrote with -fstack-usage.
void add_frames(const std::string& path, CompiledCode& code);

}  // namespace mlf::compile
