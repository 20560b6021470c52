#include "edit/call_slots.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/error.h"
#include "tir/c/read/tokens.h"

namespace mlf::edit {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// The name of the kernel that a statement calls, if the statement is a single call of a kernel;
/// else an undefined node.
Node callee_in(Node statement, const Symbols& kernels) {
  std::vector<Node> callees;
  tir::for_each_pre_order(statement, [&](Node node) {
    if (!node.is(Kind::Call)) return;
    for (const Node arg : node.list(f::Call::args)) {
      if (kernels.contains(graph::string_of(arg))) callees.push_back(arg);
    }
  });
  return callees.size() == 1 ? callees.front() : Node();
}

bool may_run_otherwise_than_once(Node statement) {
  return statement.is(Kind::For) || statement.is(Kind::While) || statement.is(Kind::IfThenElse);
}

/// By i: whether a call moves across the place between calls i - 1 and i.
std::vector<bool> is_passed(const std::vector<std::size_t>& order) {
  std::vector<bool> passed;
  std::size_t furthest = 0;  // the last call that has moved to a place up to here
  for (std::size_t i = 0; i < order.size(); ++i) {
    passed.push_back(i > 0 && furthest >= i);
    furthest = std::max(furthest, order[i]);
  }
  return passed;
}

constexpr const char* kBetween = "something else is between calls that would change places";

/// The file that contains main.
std::size_t file_of(const std::vector<CallSlot>& slots) {
  return slots.empty() ? 0 : slots.front().place.file;
}

}  // namespace

// Representations use different function names but the same symbol.
Node function_with_symbol(const tir::Module& module, std::string_view symbol) {
  for (const tir::NamedFunction& one : tir::prim_functions_of(module)) {
    if (one.symbol == symbol) return one.function;
  }
  return {};
}

std::vector<CallSlot> call_slots(Node main, const tir::Places* places, const Symbols& kernels) {
  std::vector<CallSlot> slots;
  std::vector<const tir::Place*> around{nullptr};  // places of the enclosing statements
  const auto place_of = [&](Node node) {
    return places == nullptr ? nullptr : places->find(node.id());
  };
  bool follows = false;
  const auto enter = [&](Node statement) {
    const bool was_next = std::exchange(follows, statement.is(Kind::SeqStmt) && follows);
    if (!statement || may_run_otherwise_than_once(statement)) return false;
    const tir::Place* const own = place_of(statement);
    const tir::Place* const place = own == nullptr ? around.back() : own;
    if (!statement.is(Kind::Evaluate)) {
      around.push_back(place);
      return true;
    }
    const Node callee = callee_in(statement, kernels);
    if (!callee || (places != nullptr && place == nullptr)) return false;
    const tir::Place* const name = place_of(callee);
    slots.push_back({.place = place == nullptr ? tir::Place() : *place,
                     .symbol = std::string(graph::string_of(callee)),
                     .callee = name == nullptr ? std::nullopt : std::optional(*name),
                     .call = statement.id(),
                     .follows = was_next});
    follows = true;
    return false;
  };
  const auto statements_in = [](Node statement, auto&& push) {
    tir::for_each_child(statement, [&](Node child, const tir::FieldInfo&) {
      if (child.category() == tir::Category::stmt) push(child);
    });
  };
  const auto leave = [&](Node statement) {
    around.pop_back();
    follows = follows && statement.is(Kind::SeqStmt);
  };
  tir::walk_once(main[f::PrimFunc::body], enter, statements_in, leave);
  return slots;
}

std::vector<CallSlot> slots_of_network(Node main, const tir::Places* places,
                                       const graph::Topology& network,
                                       const std::vector<const archive::Member*>& files) {
  Symbols kernels;
  for (const graph::Kernel& kernel : network.kernels) kernels.insert(kernel.symbol);
  std::vector<CallSlot> slots = call_slots(main, places, kernels);
  const std::size_t file = file_of(slots);
  bool is_same = slots.size() == network.calls.size();
  for (std::size_t i = 0; is_same && i < slots.size(); ++i) {
    is_same = slots[i].symbol == network.kernel_of(network.calls[i]).symbol &&
              slots[i].place.file == file;
  }
  if (!is_same) refuse("main does not show the calls of the network here", files[file]->name);
  return slots;
}

MainCalls calls_of_main(EditedMembers& members, const Network& network) {
  const std::string& symbol = network.topology.provenance.symbol;
  for (const TirSource& c :
       support::get_or_throw(members.deployment().generated_c(network.module))) {
    const PlacedTir tir = members.take_tir(c);
    const Node main = function_with_symbol(tir.document.module, symbol);
    if (!main) continue;
    std::vector<CallSlot> slots =
        slots_of_network(main, &tir.places, network.topology, c.c_members);
    const archive::Member& member = *c.c_members[file_of(slots)];
    return {&member, members.text_of(member), std::move(slots)};
  }
  refuse("the archive has no C of function '" + symbol + "'");
}

void check_order(const std::vector<CallSlot>& slots, const std::vector<std::size_t>& order) {
  const std::vector<bool> passed = is_passed(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (passed[i] && !slots[i].follows) refuse(kBetween);
  }
}

std::vector<Edit> edits_in_order(const support::SourceText& source, tir::Dialect dialect,
                                 const std::vector<CallSlot>& slots,
                                 const std::vector<std::size_t>& order) {
  std::vector<Edit> edits;
  const std::vector<bool> passed = is_passed(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const tir::SourceRange to = slots[i].place.range;
    const std::uint32_t before = i == 0 ? 0 : slots[i - 1].place.range.end;
    if (before > to.begin) refuse("main has calls inside of calls");
    // A line of the preprocessor, or a declaration that is no node of the IR.
    if (passed[i] && dialect == tir::Dialect::c) {
      const std::uint32_t code = tir::c::skip_comments(source.text, before, to.begin);
      if (code != to.begin)
        throw support::Error(ErrorKind::check_failed, kBetween, source.locate(code, 1));
    }
    const tir::SourceRange from = slots[order[i]].place.range;
    edits.push_back({to, std::string(text_in(source.text, from))});
  }
  return edits;
}

}  // namespace mlf::edit
