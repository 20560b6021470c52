// What the preprocessor may change in a file of C. mlf does not run it: it leaves out the text that
// no compiler reads, and finds the text that other directives may change.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/c/read/file_items.h"

namespace mlf::tir::c {

/// A name that the text defines or undefines.
struct Macro {
  std::string_view value{};
  bool is_certain = true;  ///< defined once, under no condition and without parameters
  bool is_defined = true;
};

/// Text that may be compiled as something else.
struct Doubt {
  Bytes where;
  std::string why;
};

struct Directives {
  support::NameMap<std::string_view, Macro> macros;
  std::vector<std::string_view> includes;  ///< headers, without quotes
  std::vector<Doubt> doubts;               ///< in order, without overlaps
  std::optional<Doubt> everywhere{};       ///< what may change all of the text
  bool has_conditions = false;             ///< others than those of TVM

  /// The first doubt in a part of the text, whatever macros it names; null if there is none.
  const Doubt* doubt_in(Bytes part) const;
  /// Why a part of `text`, which has these directives, may be compiled as something else.
  std::optional<Doubt> in(std::string_view text, Bytes part) const;
  /// Whether the text before a function has only attributes, also as macros of this file, that
  /// change neither what it computes nor its name.
  bool are_harmless_attributes(std::string_view text) const;
  /// The value of an integer expression, if it depends on literals and on macros of this file, and
  /// is 0 to 2^31-1: beyond, C's types decide.
  std::optional<std::int64_t> integer(const support::SourceText& source, Bytes expression) const;
  /// Whether a definition is that of TVM_DLL, which TVM's header defines, as such attributes.
  bool is_harmless_export(std::string_view name, std::string_view value) const;
};

/// Whether a word before a function changes nothing that the function computes.
bool is_harmless_specifier(std::string_view word);
/// The same for the name of an attribute, `noinline` or `__noinline__`.
bool is_harmless_attribute(std::string_view name);

/// The text with blanks in place of what no compiler reads, because a condition is false, and of
/// conditions that the text and `macros` decide; nullopt if there are none. Places stay the same.
std::optional<std::string> active_text(std::string_view text, const MacroValues& macros = {});

/// The texts that `find` has for `includes`, and for what these include, each once.
std::vector<std::string_view> included_texts(std::span<const std::string_view> includes,
                                             const FindHeaders& find);

/// Reads all of `text` except for the rows of constants in `items`.
Directives directives_of(std::string_view text, std::span<const Item> items = {});

}  // namespace mlf::tir::c
