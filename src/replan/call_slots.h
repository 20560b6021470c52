// Where the calls of a network are in each kind of member, so that they can change places.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "support/source_text.h"

namespace mlf::replan {

/// The text of one call, as a statement: [begin, end) of its member.
struct CallSlot {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string symbol;  ///< the kernel's
};

/// The calls of main in the order of a text, and what is between them.
struct CallSlots {
  std::vector<CallSlot> calls;
  /// By call: where between it and the one in front of it something is that is not a call; else
  /// `npos`. The first one has nothing in front of it.
  std::vector<std::size_t> obstacles;
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

using Symbols = std::set<std::string, std::less<>>;

/// The PrimFunc with this global symbol; undefined where there is none.
tir::Node function_with_symbol(const tir::Module& module, std::string_view symbol);

/// Calls of `kernels` in the definition of main in generated C: `if (f(…) != 0) return -1;`. A
/// packed call has the statements with it that put its arguments onto the stack.
CallSlots slots_in_c(const support::SourceText& source, tir::SourceRange definition,
                     const Symbols& kernels);

/// The same in TVMScript or legacy text.
CallSlots slots_in_text(const support::SourceText& source, tir::SourceRange function,
                        const Symbols& kernels);

/// The same in save_json, where main is a sequence of indices of nodes; `main` is its symbol.
/// Without calls where the document has no such function.
CallSlots slots_in_save_json(const support::SourceText& source, const tir::ReadLimits& limits,
                             std::string_view main, const Symbols& kernels);

/// The text with call `order[i]` where call i was. Throws `Error` (check_failed) where something is
/// between calls that would change places.
std::string with_calls_in_order(const support::SourceText& source, const CallSlots& slots,
                                const std::vector<std::size_t>& order);

}  // namespace mlf::replan
