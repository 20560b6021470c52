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

/// Changes the members, each of them once, and reads the texts again: each must equal its old TIR
/// plus these changes. `wanted` has the modules that change. `edited` keeps the TIR. Throws `Error`
/// (check_failed) if a text is not equal, or if modules share a part of it.
void edit_captured(std::vector<CapturedReading> captured,
                   const std::map<std::size_t, NewConstants>& wanted, edit::EditedMembers& edited);

}  // namespace mlf::optimize
