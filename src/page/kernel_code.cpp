#include "page/kernel_code.h"

#include <algorithm>
#include <utility>

#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
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

std::vector<StatementPlace> statements_of(Node function, const report::LineTable& lines) {
  const tir::Module& module = function.module();
  std::vector<StatementPlace> places;
  std::uint32_t depth = 0;
  bool is_complete = true;
  tir::NodeSet seen(module);
  const auto enter = [&](Node node) {
    // Expressions do not have their own lines. Text that a reader kept may contain any statements.
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

// --- TVMScript, function by function -------------------------------------------------------------

namespace {

// The form in which tir/tvmscript writes the methods of a module's class, in every version.
constexpr std::string_view kFunction = "    @T.prim_func";
constexpr std::string_view kDefinition = "    def ";
constexpr std::string_view kIndent = "    ";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

/// A module as TVMScript, without the data of its constants if possible: the page has its own table
/// of them. Empty if TVMScript cannot express the module.
std::string script_of(const tir::Document& document) {
  for (const auto place : {tir::ConstantPlace::none, tir::ConstantPlace::inside}) {
    std::string text;
    const auto sink = [&](std::string_view bytes) { text += bytes; };
    const auto written = tir::write_tvmscript(document, {.constants = place}, sink);
    if (written) return text;
    support::throw_unless_invalid(written.error());
  }
  return {};
}

/// Returns the module's names for its functions.
std::map<tir::NodeId, std::string_view> names_of_functions(const tir::Module& module) {
  std::map<tir::NodeId, std::string_view> names;
  for (const tir::NamedFunction& one : tir::functions_of(module)) {
    names.try_emplace(one.function.id(), one.name);
  }
  return names;
}

}  // namespace

ScriptFunctions::ScriptFunctions(std::string_view script) {
  std::string_view rest = script;
  Function function;
  std::string name;
  const auto finish = [&] {
    while (function.text.ends_with("\n\n")) function.text.pop_back();
    if (!name.empty()) by_name_.emplace(name, std::move(function));
    function = {};
    name.clear();
  };
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (line.starts_with(kFunction)) finish();
    if (function.text.empty()) function.first_line = number;
    if (line.starts_with(kDefinition) && name.empty()) {
      const std::string_view head = line.substr(kDefinition.size());
      name = head.substr(0, head.find('('));
    }
    function.text += line.starts_with(kIndent) ? line.substr(kIndent.size()) : line;
  }
  finish();
}

const ScriptFunctions::Function* ScriptFunctions::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

// --- Kernels -------------------------------------------------------------------------------------

ReadText::ReadText(std::shared_ptr<const tir::Document> document, std::string_view text)
    : document_(std::move(document)), lines_(text) {
  if (!document_) return;
  for (const tir::NamedFunction& one : tir::prim_functions_of(document_->module)) {
    functions_.emplace(one.name, one.function);
  }
}

std::vector<StatementPlace> ReadText::statements_of(std::string_view function) const {
  const auto found = functions_.find(function);
  if (found == functions_.end()) return {};
  return page::statements_of(found->second, lines_);
}

namespace {

/// Null if it contains no TIR.
std::shared_ptr<const tir::Document> read_script(std::string_view script) {
  auto read = support::value_if_valid(tir::read({.file = {}, .member = {}, .text = script}));
  return read ? std::make_shared<const tir::Document>(*std::move(read)) : nullptr;
}

}  // namespace

/// In a text without its metadata section, only references to some attributes are left; the script
/// omits these.
std::string CodeCollector::whole_script(const KernelReport& kernel) const {
  std::string script = script_of(*kernel.document);
  const TirSource* source = deployment_.find_tir(kernel.source);
  if (!script.empty() || source == nullptr) return script;
  tir::Document own = get_or_throw(deployment_.read_tir(*source));
  tir::omit_missing(own);
  return script_of(own);
}

CodeCollector::Source CodeCollector::read(const KernelReport& kernel) const {
  report::PooledConstants constants(*kernel.document);
  auto names = names_of_functions(kernel.document->module);
  const std::string script = whole_script(kernel);
  if (!script.empty()) {
    // The places of the lines of the new script. A script cannot be read if it lacks the data of
    // constants that TVM keeps elsewhere.
    return {kernel.document, ScriptFunctions(script), ReadText(read_script(script), script),
            std::move(constants), std::move(names)};
  }
  const TirSource* source = deployment_.find_tir(kernel.source);
  const std::string_view own = source == nullptr || source->c ? std::string_view() : source->text;
  return {kernel.document, ScriptFunctions({}), ReadText(kernel.document, own),
          std::move(constants), std::move(names)};
}

const CodeCollector::Source& CodeCollector::source_of(const KernelReport& kernel) {
  const auto known = sources_.find(kernel.document.get());
  if (known != sources_.end()) return known->second;
  return sources_.emplace(kernel.document.get(), read(kernel)).first->second;
}

/// The reader of C has places only for the file that gives a source its name.
std::vector<StatementPlace> CodeCollector::statements_of_c(const KernelReport& kernel,
                                                           std::size_t module) {
  auto known = c_.find(kernel.c->file);
  if (known != c_.end()) return known->second.statements_of(kernel.symbol);
  const auto sources = get_or_throw(deployment_.generated_c(module));
  const auto source = std::ranges::find(sources, kernel.c->file, &TirSource::name);
  if (source == sources.end()) return {};
  auto document = support::value_if_valid(deployment_.document(*source));
  known = c_.try_emplace(kernel.c->file, document.value_or(nullptr), source->text).first;
  return known->second.statements_of(kernel.symbol);
}

/// Lines of the texts on the page, not of their sources.
std::map<std::uint32_t, std::uint32_t> CodeCollector::matches_of(const KernelReport& kernel,
                                                                 std::size_t module,
                                                                 const KernelCode& code) {
  if (code.c.empty() || code.tir.empty()) return {};
  const Source& source = source_of(kernel);
  const std::string_view name = source.names.at(kernel.function);
  const std::uint32_t first =
      code.is_tvmscript ? source.functions.find(name)->first_line : kernel.tir->first;
  std::map<std::uint32_t, std::uint32_t> shown;
  for (const auto& [c, tir] :
       matching_lines(source.text.statements_of(name), statements_of_c(kernel, module))) {
    shown.emplace(c - kernel.c->first + 1, tir - first + 1);
  }
  return shown;
}

/// Lines of a member; empty if they are in a file beside the archive.
std::string CodeCollector::lines(const std::optional<CodeLines>& place) {
  const archive::Member* member = place ? deployment_.archive().find(place->file) : nullptr;
  if (member == nullptr) return {};
  const std::string_view text = get_or_throw(deployment_.archive().read(*member));
  const report::LineTable& table = line_tables_.try_emplace(member, text).first->second;
  return std::string(table.lines_of(text, *place));
}

KernelCode CodeCollector::code_of(const KernelReport& kernel, std::size_t module,
                                  const graph::Kernel* known) {
  KernelCode code;
  code.c = lines(kernel.c);
  if (!kernel.document) return code;
  const Source& source = source_of(kernel);
  const auto* const function = source.functions.find(source.names.at(kernel.function));
  code.is_tvmscript = function != nullptr;
  code.tir = code.is_tvmscript ? function->text : lines(kernel.tir);
  code.line_of_tir = matches_of(kernel, module, code);
  code.constants = report::constants_of(kernel, known, source.constants);
  return code;
}

}  // namespace mlf::page
