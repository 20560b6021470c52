// Finds faults of generated C that every compiler rejects, without a compiler.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"
#include "support/source_text.h"

namespace mlf::tir::c {

struct CFault {
  Location where;
  std::string message;  ///< one sentence without a place
};

/// Looks at declarations of one file and of the headers of the archive that it includes: functions
/// that are declared twice with different types or called with another number of arguments, names
/// that are words of C, types and variables that nothing declares. Declarations that a file may get
/// from missing headers, or from its own preprocessor lines, are not faults.
std::vector<CFault> compilation_faults(const support::SourceText& source,
                                       std::span<const support::SourceText> headers);

}  // namespace mlf::tir::c
