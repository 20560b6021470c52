#include "edit/call_slots.h"

#include <algorithm>
#include <optional>

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

/// The end of a blank or comment, or of several, of `dialect` at `at`; `at` if none begins there.
std::uint32_t end_of_blank(std::string_view text, std::uint32_t at, std::uint32_t end,
                           tir::Dialect dialect) {
  const auto one_of = [&](std::string_view characters) {
    return characters.find(text[at]) == characters.npos ? at : at + 1;
  };
  switch (dialect) {
    case tir::Dialect::c:
      // A line of the preprocessor may make calls conditional.
      return tir::c::skip_comments(text, at, end);
    case tir::Dialect::tvmscript:
      if (text[at] != '#') return one_of(" \t\r\n");
      return static_cast<std::uint32_t>(std::min<std::size_t>(text.find('\n', at), end));
    case tir::Dialect::legacy_text:
      // Each statement is in braces, which have no meaning.
      return one_of(" \t\r\n{}");
    default:
      return one_of(" \t\r\n,");
  }
}

/// Offset of the first code in the bytes [begin, end); `end` if there is none.
std::uint32_t code_between(std::string_view text, std::uint32_t begin, std::uint32_t end,
                           tir::Dialect dialect) {
  while (begin < end) {
    const std::uint32_t behind = end_of_blank(text, begin, end, dialect);
    if (behind == begin) return begin;
    begin = behind;
  }
  return end;
}

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

std::vector<CallSlot> call_slots(Node main, const tir::Places& places, const Symbols& kernels) {
  struct PendingStatement {
    Node statement;
    const tir::Place* around;  // the place of the innermost enclosing statement
  };
  std::vector<CallSlot> slots;
  // Uses an explicit stack: bodies nest as deep as networks are long.
  std::vector<PendingStatement> stack{{main[f::PrimFunc::body], nullptr}};
  std::vector<PendingStatement> below;
  while (!stack.empty()) {
    const auto [statement, around] = stack.back();
    stack.pop_back();
    if (may_run_otherwise_than_once(statement)) continue;
    const tir::Place* const own = places.find(statement.id());
    const tir::Place* const place = own == nullptr ? around : own;
    if (statement.is(Kind::Evaluate)) {
      const Node callee = callee_in(statement, kernels);
      if (!callee || place == nullptr) continue;
      const tir::Place* const name = places.find(callee.id());
      slots.push_back({*place, std::string(graph::string_of(callee)),
                       name == nullptr ? std::nullopt : std::optional(*name)});
      continue;
    }
    below.clear();
    tir::for_each_child(statement, [&](Node child, const tir::FieldInfo&) {
      if (child.category() == tir::Category::stmt) below.push_back({child, place});
    });
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  return slots;
}

std::vector<CallSlot> slots_of_network(Node main, const tir::Places& places,
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

MainCalls calls_of_main(const Deployment& deployment, const EditedMembers& members,
                        std::size_t module, const graph::Topology& network,
                        const tir::ReadLimits& limits) {
  const std::string& symbol = network.provenance.symbol;
  for (const TirSource& c : support::get_or_throw(deployment.generated_c(module))) {
    tir::Places places;
    const tir::Document document = tir::read_c_with_places(members.files_of(c), limits, places);
    const Node main = function_with_symbol(document.module, symbol);
    if (!main) continue;
    std::vector<CallSlot> slots = slots_of_network(main, places, network, c.c_members);
    const archive::Member& member = *c.c_members[file_of(slots)];
    return {&member, members.text_of(member), std::move(slots)};
  }
  refuse("the archive has no C of function '" + symbol + "'");
}

// Moves the text of each call; the text between two calls stays. So each line keeps its form, and
// no other byte changes.
std::vector<Edit> edits_in_order(const support::SourceText& source, tir::Dialect dialect,
                                 const std::vector<CallSlot>& slots,
                                 const std::vector<std::size_t>& order) {
  std::vector<Edit> edits;
  bool is_among_moved = false;
  std::size_t furthest = 0;  // the last call that has moved to a place up to here
  for (std::size_t i = 0; i < order.size(); ++i) {
    const tir::SourceRange to = slots[i].place.range;
    if (i > 0 && slots[i - 1].place.range.end > to.begin) refuse("main has calls inside of calls");
    // Code between two calls stays in place, so no call may move across it.
    if (is_among_moved) {
      const std::uint32_t code =
          code_between(source.text, slots[i - 1].place.range.end, to.begin, dialect);
      if (code != to.begin) {
        throw support::Error(ErrorKind::check_failed,
                             "something else is between calls that would change places",
                             source.locate(code, 1));
      }
    }
    furthest = std::max(furthest, order[i]);
    is_among_moved = furthest > i;
    const tir::SourceRange from = slots[order[i]].place.range;
    edits.push_back({to, std::string(text_in(source.text, from))});
  }
  return edits;
}

}  // namespace mlf::edit
