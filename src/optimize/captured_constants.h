// Constants in captured TIR, text and lossless twin, which must agree with the generated C.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "edit/edited_archive.h"
#include "mlf/deployment.h"
#include "optimize/c_constants.h"
#include "optimize/tir_changes.h"

namespace mlf::optimize {

/// One member with captured TIR.
struct CapturedReading {
  edit::PlacedTir tir;
  std::map<std::size_t, ModuleConstants> constants;  ///< by module
};

/// The constants in the C of modules, by module.
using ConstantsByModule = std::map<std::size_t, CConstants>;

/// Reads the present TIR of these modules, or takes that which `edited` kept, each member once.
/// Throws `Error` if a member with captured TIR cannot be read.
std::vector<CapturedReading> read_captured(const ConstantsByModule& constants,
                                           edit::EditedMembers& edited);

/// Marks each constant of a module as kept that differs between one of these and the C, or whose
/// text lacks a value that would change.
void keep_by_captured(const std::vector<CapturedReading>& captured, std::size_t module,
                      const edit::EditedMembers& edited, CConstants& constants);

/// Returns the members with their changes. `wanted` has the modules that change. Throws `Error`
/// (check_failed) if modules share a part of a member.
std::vector<ChangedTir> changed(std::vector<CapturedReading> captured,
                                const std::map<std::size_t, NewConstants>& wanted);

}  // namespace mlf::optimize
