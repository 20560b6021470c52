// Detects the dialect of a text by its content: the first matching rule decides. The order of the
// rules matters, because dialects contain each other (Relay text contains legacy text, TVMScript
// contains save_json).
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "mlf/tir/document.h"
#include "support/lines.h"
#include "tir/reader.h"

namespace mlf::tir {
namespace {

using support::take_line;

struct DialectName {
  Dialect dialect;
  std::string_view name;
};

// The names of dialects are part of tir-N.json and of the command line.
constexpr std::array kDialects = {
    DialectName{Dialect::save_json, "save_json"},
    DialectName{Dialect::tvmscript, "tvmscript"},
    DialectName{Dialect::legacy_text, "legacy_text"},
    DialectName{Dialect::tir_json, "tir_json"},
    DialectName{Dialect::old_tvmscript, "old_tvmscript"},
    DialectName{Dialect::c, "c"},
};

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kTargetLine = "// tvm target:";
constexpr std::string_view kScriptHeader = "# from tvm.script import";

std::string_view without_leading_blank(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlank), text.size()));
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

// Searches the whole text, for texts whose beginning is ambiguous.
bool contains_any(std::string_view text, std::initializer_list<std::string_view> fragments) {
  return std::any_of(fragments.begin(), fragments.end(), [&](std::string_view fragment) {
    return text.find(fragment) != std::string_view::npos;
  });
}

/// Removes `expected` and blanks before it from the front of `text`.
bool take_word(std::string_view& text, std::string_view expected) {
  const std::string_view rest = without_leading_blank(text);
  if (!rest.starts_with(expected)) return false;
  text = rest.substr(expected.size());
  return true;
}

/// Whether `text` begins with `"format": "mlf-tir"`.
bool names_our_format(std::string_view text) {
  return take_word(text, "\"format\"") && take_word(text, ":") && take_word(text, "\"mlf-tir\"");
}

/// mlf's own format states its name; the members that TVM writes first identify save_json.
std::optional<Dialect> detect_json(std::string_view text) {
  std::string_view inside = without_leading_blank(text.substr(1));
  if (names_our_format(inside)) return Dialect::tir_json;
  // "root_index" identifies the format of a later TVM; the reader rejects it with a specific error.
  if (starts_with_any(inside, {"\"root\"", "\"root_index\"", "\"nodes\""}))
    return Dialect::save_json;
  // Another tool may have rewritten the document with another order of keys.
  for (std::size_t at = inside.find("\"format\""); at != std::string_view::npos;
       at = inside.find("\"format\"", at + 1)) {
    if (names_our_format(inside.substr(at))) return Dialect::tir_json;
  }
  if (contains_any(inside, {"\"root\"", "\"root_index\""}) && contains_any(inside, {"\"nodes\""})) {
    return Dialect::save_json;
  }
  return std::nullopt;
}

/// `@name = primfn(` or `primfn(`.
bool is_primfn_line(std::string_view line) {
  if (line.starts_with("primfn(")) return true;
  const std::size_t name_end = line.find(' ');
  return line.starts_with('@') && name_end != std::string_view::npos &&
         line.substr(name_end).starts_with(" = primfn(");
}

// Line by line, because `primfn(` may be a string inside of something else.
bool has_primfn_line(std::string_view text) {
  while (!text.empty()) {
    if (is_primfn_line(take_line(text))) return true;
  }
  return false;
}

/// TVMScript without its header, as from `show()` or a copied text. Words that only the old printer
/// writes decide, unless words occur that only the new one writes.
Dialect detect_without_header(std::string_view text) {
  const bool old = contains_any(text, {"@tvm.script.", "T.Buffer[", "T.buffer_decl(", "# body\n",
                                       "T.var(", "T.store(", "T.load("});
  const bool modern =
      contains_any(text, {"@I.ir_module", "I.module_attrs", "T.LetStmt(", "T.Buffer("});
  return old && !modern ? Dialect::old_tvmscript : Dialect::tvmscript;
}

/// Old TVMScript has its code directly under the header; new TVMScript has a blank line between.
Dialect detect_under_header(std::string_view text) {
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  while (line.starts_with(kScriptHeader)) line = take_line(rest);
  // Comments of users do not depend on the printer.
  if (line.starts_with('#')) return detect_without_header(text);
  const bool blank = line.find_first_not_of(kBlank) == std::string_view::npos;
  if (blank || line.starts_with("metadata")) return Dialect::tvmscript;
  return line.starts_with('@') && !line.starts_with("@tvm.script.") &&
                 line.find(".ir_module") != std::string_view::npos
             ? Dialect::tvmscript
             : Dialect::old_tvmscript;
}

/// Whether a line of Python is independent of the module: an import, a comment, or a blank line.
bool is_preamble(std::string_view line) {
  return line.find_first_not_of(kBlank) == std::string_view::npos ||
         starts_with_any(line, {"import ", "from ", "#"});
}

/// Skips the licence and imports before the text in a Python file. Keeps TVM's header, although it
/// is a comment too.
std::string_view without_preamble(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty() && !rest.starts_with(kScriptHeader)) {
    std::string_view behind = rest;
    if (!is_preamble(take_line(behind))) break;
    rest = behind;
  }
  return rest;
}

/// A licence may come before the line that codegen_c_host.cc writes first.
bool is_generated_c(std::string_view text) {
  return text.starts_with(kTargetLine) ||
         (starts_with_any(text, {"/*", "//"}) && contains_any(text, {"\n// tvm target:"}));
}

/// Whether a line of Python makes the function or class below it TIR.
bool is_script_decorator(std::string_view line) {
  if (!line.starts_with('@')) return false;
  const std::string_view path = line.substr(0, line.find_first_of("( \t\r"));
  return path.ends_with("prim_func") || path.ends_with("ir_module");
}

/// The text from the first line on that only one dialect has: users may have log lines, code and
/// notes before a text.
std::string_view from_first_known_line(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view from_here = rest;
    const std::string_view line = take_line(rest);
    const bool is_known = is_primfn_line(line) ||
                          is_script_decorator(without_leading_blank(line)) ||
                          starts_with_any(line, {kTargetLine, "#define TVM_EXPORTS", kScriptHeader,
                                                 "#[version = \""});
    if (is_known) return from_here;
  }
  return {};
}

/// The dialect of a text that begins in the form of a dialect.
std::optional<Dialect> detect_beginning(std::string_view text) {
  if (is_generated_c(text)) return Dialect::c;
  if (text.starts_with('{')) return detect_json(text);
  if (text.starts_with("metadata = tvm.ir.load_json(")) return Dialect::tvmscript;
  // Relay's text format, which the legacy printer shares.
  if (text.starts_with("#[version = \"")) return Dialect::legacy_text;
  text = without_preamble(text);
  if (is_primfn_line(text.substr(0, text.find('\n')))) return Dialect::legacy_text;
  if (text.starts_with(kScriptHeader)) return detect_under_header(text);
  // Relay's printer puts other functions of a module before the PrimFuncs.
  if (starts_with_any(text, {"def @", "type ", "fn (", "free_var "})) {
    if (has_primfn_line(text)) return Dialect::legacy_text;
    return std::nullopt;
  }
  if (starts_with_any(text, {"@T.", "@I.", "@tvm.script", "class ", "T.", "with T."})) {
    return detect_without_header(text);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Dialect dialect) {
  return std::ranges::find(kDialects, dialect, &DialectName::dialect)->name;
}

std::optional<Dialect> dialect_named(std::string_view name) {
  const auto* const found = std::ranges::find(kDialects, name, &DialectName::name);
  if (found == kDialects.end()) return std::nullopt;
  return found->dialect;
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

// Every printer begins its texts in its own way. The order of the tests matters if two beginnings
// are similar. Only JSON and TVMScript without a header need the rest of the text.
std::optional<Dialect> detect(std::string_view text) {
  text = without_leading_blank(without_byte_order_mark(text));
  if (const auto dialect = detect_beginning(text)) return dialect;
  const std::string_view known = without_leading_blank(from_first_known_line(text));
  if (known.starts_with("#define TVM_EXPORTS")) return Dialect::c;
  if (is_script_decorator(known.substr(0, known.find('\n')))) return detect_without_header(known);
  return known.empty() ? std::nullopt : detect_beginning(known);
}

std::size_t begin_of_text(std::string_view text, Dialect dialect) {
  const std::string_view bare = without_leading_blank(text);
  if (dialect != Dialect::legacy_text || detect_beginning(bare)) return 0;
  return text.size() - from_first_known_line(bare).size();
}

}  // namespace mlf::tir
