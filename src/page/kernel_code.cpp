#include "page/kernel_code.h"

#include <algorithm>
#include <utility>

#include "mlf/tir/visit.h"
#include "support/error.h"

namespace mlf::page {

// --- Lines that are the same statement -----------------------------------------------------------

namespace {

using support::get_or_throw;
using tir::Kind;
using tir::Node;

/// The version of the TIR determines the kind of a store; for a line, both kinds are equal.
Kind kind_of_line(Kind kind) {
  return kind == Kind::Store ? Kind::BufferStore : kind;
}

bool has_line(Kind kind) {
  return kind == Kind::For || kind == Kind::While || kind == Kind::Store ||
         kind == Kind::BufferStore || kind == Kind::IfThenElse;
}

}  // namespace

std::vector<StatementPlace> statements_of(Node function, const report::StatementLines& lines) {
  std::vector<StatementPlace> places;
  std::uint32_t depth = 0;
  bool is_complete = true;
  tir::NodeSet seen(function.module());
  const auto enter = [&](Node node) {
    // Expressions do not have their own lines. Text that a reader kept may contain any statements.
    if (node.is(Kind::OpaqueStmt)) is_complete = false;
    if (tir::is_expr(node.category())) return tir::Descend::past_children;
    if (!has_line(node.kind())) return tir::Descend::into_children;
    const auto line = lines.find(node.id());
    is_complete = is_complete && line != lines.end();
    if (is_complete) places.push_back({kind_of_line(node.kind()), depth, line->second});
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

// --- Kernels -------------------------------------------------------------------------------------

/// The reader of C has places only for the file that gives a source its name.
const CodeCollector::CFile& CodeCollector::read_c(const std::string& file, std::size_t module) {
  const auto [known, is_new] = c_.try_emplace(file);
  if (!is_new) return known->second;
  const auto sources = get_or_throw(deployment_.generated_c(module));
  const auto source = std::ranges::find(sources, file, &TirSource::name);
  if (source == sources.end()) return known->second;
  auto document = support::value_if_valid(deployment_.document(*source));
  if (!document) return known->second;
  CFile& read = known->second;
  read.document = *std::move(document);
  for (const tir::NamedFunction& one : tir::prim_functions_of(read.document->module)) {
    read.functions.emplace(one.name, one.function);
  }
  return read;
}

const report::LineTable* CodeCollector::line_table(const archive::Member* member) {
  if (member == nullptr) return nullptr;
  const std::string_view text = get_or_throw(deployment_.archive().read(*member));
  return &line_tables_.try_emplace(member, text).first->second;
}

/// Lines of a member; empty if they are in a file beside the archive.
std::string CodeCollector::lines(const std::optional<CodeLines>& place) {
  const archive::Member* member = place ? deployment_.archive().find(place->file) : nullptr;
  const report::LineTable* table = line_table(member);
  return table == nullptr ? std::string() : std::string(table->lines_of(*place));
}

/// Lines of the texts on the page, not of their sources.
std::map<std::uint32_t, std::uint32_t> CodeCollector::matches_of(const KernelReport& kernel,
                                                                 std::size_t module,
                                                                 const report::KernelText& text) {
  const report::LineTable* table =
      kernel.c ? line_table(deployment_.archive().find(kernel.c->file)) : nullptr;
  if (table == nullptr || text.text.empty()) return {};
  const CFile& c = read_c(kernel.c->file, module);
  const auto function = c.functions.find(kernel.symbol);
  if (function == c.functions.end()) return {};
  return matching_lines(
      statements_of(kernel.document->module.node(kernel.function), text.lines),
      statements_of(function->second,
                    report::statement_lines(function->second, *table, kernel.c->first)));
}

KernelCode CodeCollector::code_of(const KernelReport& kernel, std::size_t module,
                                  const graph::Kernel* known) {
  KernelCode code;
  code.c = lines(kernel.c);
  if (!kernel.document) return code;
  code.tir = report::kernel_text(deployment_, kernel);
  code.line_of_tir = matches_of(kernel, module, code.tir);
  const auto constants = constants_.try_emplace(kernel.document.get(), *kernel.document).first;
  code.constants = report::constants_of(kernel, known, constants->second);
  return code;
}

}  // namespace mlf::page
