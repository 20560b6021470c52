// Faults of generated C that every compiler refuses, seen without one.
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
/// that are words of C, types and variables that nothing declares. What a file could get from
/// headers that are not here, or from its own preprocessor lines, is not called a fault.
std::vector<CFault> compilation_faults(const support::SourceText& source,
                                       std::span<const support::SourceText> headers);

}  // namespace mlf::tir::c
