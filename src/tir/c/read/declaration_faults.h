// Faults of C that archives of TVM are known to have: declarations that every compiler rejects, and
// workspaces that are used or freed in a wrong order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/tir/document.h"
#include "support/source_text.h"

namespace mlf::tir::c {

struct DeclarationFault {
  Location where;
  std::string message;  ///< one sentence without a place
};

/// Checks one file and the archive's headers that it includes: functions of TVM that are declared
/// with different types, keywords of C and parts with a hyphen as names, types of parameters that
/// nothing declares, workspaces that are used after they were freed or freed before a later one.
/// What a missing header or a condition of the preprocessor may declare is no fault.
std::vector<DeclarationFault> declaration_faults(const support::SourceText& source,
                                                 std::span<const support::SourceText> headers,
                                                 const MacroValues& macros);

}  // namespace mlf::tir::c
