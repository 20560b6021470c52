#include "page/matching_lines.h"

#include <algorithm>

#include "mlf/tir/visit.h"

namespace mlf::page {
namespace {

using tir::Kind;
using tir::Node;

/// Stores have two kinds, by the age of the TIR: for a line they are the same.
Kind kind_of_line(Kind kind) {
  return kind == Kind::Store ? Kind::BufferStore : kind;
}

bool has_line(Kind kind) {
  return kind == Kind::For || kind == Kind::While || kind == Kind::Store ||
         kind == Kind::BufferStore || kind == Kind::IfThenElse;
}

}  // namespace

std::vector<StatementPlace> statements_of(Node function, const report::LineTable& lines) {
  const tir::Module& module = function.module();
  std::vector<StatementPlace> places;
  std::uint32_t depth = 0;
  bool is_complete = true;
  tir::NodeSet seen(module);
  const auto enter = [&](Node node) {
    // Expressions have no lines of their own; what a reader kept as text may be any statements.
    if (node.is(Kind::OpaqueStmt)) is_complete = false;
    if (tir::is_expr(node.category())) return tir::Descend::past_children;
    if (!has_line(node.kind())) return tir::Descend::into_children;
    const auto range = module.source_range(node.id());
    is_complete = is_complete && range.has_value();
    if (range) places.push_back({kind_of_line(node.kind()), depth, lines.line_of(range->begin)});
    ++depth;
    return tir::Descend::into_children;
  };
  const auto leave = [&](Node node) {
    if (has_line(node.kind())) --depth;
  };
  tir::walk(function[tir::f::PrimFunc::body], seen, enter, leave);
  if (!is_complete) places.clear();
  return places;
}

std::map<std::uint32_t, std::uint32_t> matching_lines(const std::vector<StatementPlace>& tir,
                                                      const std::vector<StatementPlace>& c) {
  const bool are_the_same =
      std::ranges::equal(tir, c, [](const StatementPlace& a, const StatementPlace& b) {
        return a.kind == b.kind && a.depth == b.depth;
      });
  std::map<std::uint32_t, std::uint32_t> line_of_tir;
  if (!are_the_same) return line_of_tir;
  for (std::size_t i = 0; i < tir.size(); ++i) line_of_tir.emplace(c[i].line, tir[i].line);
  return line_of_tir;
}

}  // namespace mlf::page
