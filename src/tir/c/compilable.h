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

/// Checks the declarations of one file and of the archive's headers that it includes. Faults are
/// functions that are declared twice with different types or called with another number of
/// arguments, names that are keywords of C, and types and variables without a declaration.
/// Declarations that a missing header or the file's own preprocessor lines may contain are not
/// faults.
std::vector<CFault> compilation_faults(const support::SourceText& source,
                                       std::span<const support::SourceText> headers);

}  // namespace mlf::tir::c
