#include "optimize/call_slots.h"

#include <algorithm>
#include <optional>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/error.h"

namespace mlf::optimize {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// The kernel that a statement calls, if the statement is a single call of a kernel.
std::optional<std::string> called_in(Node statement, const Symbols& kernels) {
  std::vector<std::string> symbols;
  tir::for_each_pre_order(statement, [&](Node node) {
    if (!node.is(Kind::Call)) return;
    for (const Node arg : node.list(f::Call::args)) {
      const std::string_view name = graph::string_of(arg);
      if (kernels.contains(name)) symbols.emplace_back(name);
    }
  });
  return symbols.size() == 1 ? std::optional(symbols.front()) : std::nullopt;
}

bool may_run_otherwise_than_once(Node statement) {
  return statement.is(Kind::For) || statement.is(Kind::While) || statement.is(Kind::IfThenElse);
}

/// Text between two calls that is not code.
struct Blanks {
  std::string_view characters;
  std::string_view line_comment;
  std::string_view comment_begin;
  std::string_view comment_end;
};

constexpr Blanks kCBlanks{" \t\r\n", "//", "/*", "*/"};
constexpr Blanks kScriptBlanks{" \t\r\n", "#", {}, {}};
// Each statement is in braces, which have no meaning.
constexpr Blanks kLegacyBlanks{" \t\r\n{}", {}, {}, {}};
constexpr Blanks kJsonBlanks{" \t\r\n,", {}, {}, {}};

const Blanks& blanks_of(tir::Dialect dialect) {
  switch (dialect) {
    case tir::Dialect::c:
      return kCBlanks;
    case tir::Dialect::tvmscript:
      return kScriptBlanks;
    case tir::Dialect::legacy_text:
      return kLegacyBlanks;
    default:
      return kJsonBlanks;
  }
}

/// The end of a comment at `at`; `at` if there is none.
std::size_t end_of_comment(std::string_view text, std::size_t at, const Blanks& blanks) {
  const auto end_behind = [&](std::string_view mark) {
    const std::size_t found = text.find(mark, at);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  const std::string_view rest = text.substr(at);
  if (!blanks.line_comment.empty() && rest.starts_with(blanks.line_comment))
    return end_behind("\n");
  if (!blanks.comment_begin.empty() && rest.starts_with(blanks.comment_begin)) {
    return end_behind(blanks.comment_end);
  }
  return at;
}

/// Offset of the first code in the bytes [begin, end); `end` if there is none.
std::size_t code_between(std::string_view text, std::size_t begin, std::size_t end,
                         const Blanks& blanks) {
  while (begin < end) {
    if (blanks.characters.find(text[begin]) != std::string_view::npos) {
      ++begin;
      continue;
    }
    const std::size_t behind = end_of_comment(text, begin, blanks);
    if (behind == begin) return begin;
    begin = behind;
  }
  return end;
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
      auto symbol = called_in(statement, kernels);
      if (symbol && place != nullptr) slots.push_back({*place, std::move(*symbol)});
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

// Moves the text of each call; the text between two calls stays. So each line keeps its form, and
// no other byte changes.
std::vector<Edit> edits_in_order(const support::SourceText& source, tir::Dialect dialect,
                                 const std::vector<CallSlot>& slots,
                                 const std::vector<std::size_t>& order) {
  const Blanks& blanks = blanks_of(dialect);
  std::vector<Edit> edits;
  bool is_among_moved = false;
  std::size_t furthest = 0;  // the last call that has moved to a place up to here
  for (std::size_t i = 0; i < order.size(); ++i) {
    const tir::SourceRange to = slots[i].place.range;
    if (i > 0 && slots[i - 1].place.range.end > to.begin) refuse("main has calls inside of calls");
    // Code between two calls stays in place, so no call may move across it.
    if (is_among_moved) {
      const std::size_t code =
          code_between(source.text, slots[i - 1].place.range.end, to.begin, blanks);
      if (code != to.begin) {
        throw support::Error(ErrorKind::check_failed,
                             "something else is between calls that would change places",
                             source.locate(code, 1));
      }
    }
    furthest = std::max(furthest, order[i]);
    is_among_moved = furthest > i;
    const tir::SourceRange from = slots[order[i]].place.range;
    edits.push_back({to, std::string(source.text.substr(from.begin, from.end - from.begin))});
  }
  return edits;
}

}  // namespace mlf::optimize
