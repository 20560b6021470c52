// The text of each call of main, so that calls can change places.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "optimize/edit.h"
#include "support/source_text.h"
#include "tir/places.h"

namespace mlf::optimize {

/// The text of one call, as a statement. For a packed call it includes the statements that store
/// its arguments.
struct CallSlot {
  tir::Place place;
  std::string symbol;  ///< the kernel's
};

using Symbols = std::set<std::string, std::less<>>;

/// Returns the PrimFunc with this global symbol, or an undefined node.
tir::Node function_with_symbol(const tir::Module& module, std::string_view symbol);

/// Returns the calls of `kernels` that every run of main makes exactly once, in the order of its
/// text. Leaves out calls whose text is unknown or contains another call.
std::vector<CallSlot> call_slots(tir::Node main, const tir::Places& places, const Symbols& kernels);

/// Returns edits that put call `order[i]` in the place of call i; all slots are of `source`. Throws
/// `Error` (check_failed) if there is code between calls that would move.
std::vector<Edit> edits_in_order(const support::SourceText& source, tir::Dialect dialect,
                                 const std::vector<CallSlot>& slots,
                                 const std::vector<std::size_t>& order);

}  // namespace mlf::optimize
