// The text of each call of main, so that calls can change places or call another function.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "edit/edited_archive.h"
#include "mlf/deployment.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "support/source_text.h"
#include "tir/places.h"

namespace mlf::edit {

/// The text of one call, as a statement. For a packed call it includes the statements that store
/// its arguments.
struct CallSlot {
  tir::Place place;
  std::string symbol;  ///< the kernel's
  std::optional<tir::Place>
      callee{};  ///< where generated C spells the symbol as the called function
  tir::NodeId call = tir::NodeId::none;  ///< Evaluate
  bool follows = false;                  ///< nothing is between it and the call before it
};

using Symbols = std::set<std::string, std::less<>>;

/// Returns the PrimFunc with this global symbol, or an undefined node.
tir::Node function_with_symbol(const tir::Module& module, std::string_view symbol);

/// Returns the calls of `kernels` that every run of main makes exactly once, in the order of its
/// text. Leaves out calls that contain another call and, if there is a text, those whose place in
/// it is unknown. `places` is null for a TIR without a text.
std::vector<CallSlot> call_slots(tir::Node main, const tir::Places* places, const Symbols& kernels);

/// Returns the calls of a network in its main, whose text is in one of `files`. Throws `Error`
/// (check_failed) unless main contains each of its calls exactly once, in their order.
std::vector<CallSlot> slots_of_network(tir::Node main, const tir::Places* places,
                                       const graph::Topology& network,
                                       const std::vector<const archive::Member*>& files);

/// The member of generated C with a network's main, and the text of each of its calls.
struct MainCalls {
  const archive::Member* member;
  std::string_view text;  ///< of the member, as `EditedMembers` returns it
  std::vector<CallSlot> slots;
};

/// Returns the calls of a network's main in the first C of its module that contains it. Throws
/// `Error` as `slots_of_network` does.
MainCalls calls_of_main(EditedMembers& members, const Network& network);

/// Throws `Error` (check_failed) if something is between calls that move past each other where call
/// `order[i]` comes to the place of call i.
void check_order(const std::vector<CallSlot>& slots, const std::vector<std::size_t>& order);

/// Returns the edits that do this in the text of all these slots. The text between calls stays, so
/// that each line keeps its form. Throws `Error` (check_failed) if that of generated C is more than
/// comments where calls move past it.
std::vector<Edit> edits_in_order(const support::SourceText& source, tir::Dialect dialect,
                                 const std::vector<CallSlot>& slots,
                                 const std::vector<std::size_t>& order);

}  // namespace mlf::edit
