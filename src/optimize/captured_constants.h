// Constants in captured TIR: text, and its lossless twin. They say the same as the generated C.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/deployment.h"
#include "optimize/c_constants.h"
#include "optimize/edited_archive.h"
#include "optimize/new_constants.h"
#include "tir/places.h"

namespace mlf::optimize {

/// One member with captured TIR of a module.
struct CapturedReading {
  const archive::Member* member = nullptr;
  deployment::TirForm form{};
  tir::Document document;
  tir::Places places;
  ModuleConstants constants;
};

/// The captured TIR with functions of a module, as it is by now. Throws `Error` where one does not
/// read.
std::vector<CapturedReading> read_captured(const Deployment& deployment, std::size_t module,
                                           const CConstants& constants, const EditedMembers& edited,
                                           const tir::ReadLimits& limits);

/// Keeps each constant that one of these says otherwise than the C, or in a text that does not
/// spell what would change.
void keep_by_captured(const std::vector<CapturedReading>& captured, const EditedMembers& edited,
                      CConstants& constants);

/// Makes the changes in the members, and reads texts again: each has to be what its old TIR becomes
/// by these changes and by no others. Throws `Error` (check_failed) where it is not.
void edit_captured(std::vector<CapturedReading> captured, const NewConstants& wanted,
                   EditedMembers& edited, const tir::ReadLimits& limits);

}  // namespace mlf::optimize
