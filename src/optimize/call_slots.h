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

/// The text of one call, as a statement. A packed call has the statements with it that store its
/// arguments.
struct CallSlot {
  tir::Place place;
  std::string symbol;  ///< the kernel's
};

using Symbols = std::set<std::string, std::less<>>;

/// The PrimFunc with this global symbol; undefined where there is none.
tir::Node function_with_symbol(const tir::Module& module, std::string_view symbol);

/// The calls of `kernels` that every run of main makes once, in the order of its text. Calls whose
/// text is not known, or has another call in it, are left out.
std::vector<CallSlot> call_slots(tir::Node main, const tir::Places& places, const Symbols& kernels);

/// Edits that put call `order[i]` where call i was; all slots are of `source`. Throws `Error`
/// (check_failed) where code is between calls that would change places.
std::vector<Edit> edits_in_order(const support::SourceText& source, tir::Dialect dialect,
                                 const std::vector<CallSlot>& slots,
                                 const std::vector<std::size_t>& order);

}  // namespace mlf::optimize
