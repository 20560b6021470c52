// What comes out, held against what went in.
#pragma once

#include <span>
#include <string_view>

#include "mlf/tir/module.h"
#include "replan/assignment.h"

namespace mlf::replan {

/// Throws `Error` (internal) unless `after` is `before` but for the numbers of the assignments, and
/// each of those is what it should be. The last word on every edit, whatever found the place.
void check_changed(const tir::Module& before, const tir::Module& after,
                   std::span<const ModuleAssignment> assignments, std::string_view member);

}  // namespace mlf::replan
