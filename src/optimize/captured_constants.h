// Constants in captured TIR, text and lossless twin, which must agree with the generated C.
#pragma once

#include <cstddef>
#include <map>
#include <span>
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
  LoadPlaces loads;  ///< of `places`
  ModuleConstants constants;
};

/// The members with captured TIR, by the modules that have functions in it.
using CapturedMembers = std::map<std::size_t, std::vector<const archive::Member*>>;

/// Finds them in the present archive; `edited` keeps the TIR. Throws `Error` if one cannot be read.
CapturedMembers captured_members(const Deployment& deployment, EditedMembers& edited,
                                 const tir::ReadLimits& limits);

/// Reads the present TIR of a module in these members, or takes that which `edited` kept. Throws
/// `Error` if one cannot be read.
std::vector<CapturedReading> read_captured(const Deployment& deployment, std::size_t module,
                                           std::span<const archive::Member* const> members,
                                           const CConstants& constants, EditedMembers& edited,
                                           const tir::ReadLimits& limits);

/// Marks each constant as kept that differs between one of these and the C, or whose text lacks a
/// value that would change.
void keep_by_captured(const std::vector<CapturedReading>& captured, const EditedMembers& edited,
                      CConstants& constants);

/// Changes the members, and reads the texts again: each must equal its old TIR plus these changes.
/// `edited` keeps the TIR. Throws `Error` (check_failed) otherwise.
void edit_captured(std::vector<CapturedReading> captured, const NewConstants& wanted,
                   EditedMembers& edited, const tir::ReadLimits& limits);

}  // namespace mlf::optimize
