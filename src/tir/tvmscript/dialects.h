// What sets the two TVMScripts apart, the old one of v0.8 to v0.11 and the new one since v0.12,
// beside the names that only one of them knows: those are rows of forms.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mlf/tir/document.h"
#include "tir/text/expression_parser.h"

namespace mlf::tir::tvmscript {

const text::Grammar& new_grammar();  ///< v0.12 to v0.18
/// v0.8 to v0.11: `==` binds looser than `<`, `not(x)` reads like a call, and some of what is
/// printed is not Python at all.
const text::Grammar& old_grammar();

/// Whether a name is the data of a constant as the old printer writes it: no expression to parse.
bool is_constant_text(std::string_view name);

struct Rules {
  /// What `True` is in an attribute.
  enum class Booleans : std::uint8_t { boxed, constants };
  /// What a bare number is that a buffer stores: since v0.12 TVM makes it one of the buffer's
  /// dtype; before, it is int32 or float32 whatever the buffer holds.
  enum class StoredNumbers : std::uint8_t { of_buffer, as_written };
  /// What `T.Buffer(…)` and the like say of a buffer that states no alignment.
  enum class Alignment : std::uint8_t { fixed, by_version };

  Dialect dialect;
  std::uint8_t first_version;
  std::uint8_t last_version;
  const text::Grammar* grammar;
  bool states_module_attrs;   ///< has I.module_attrs
  bool drops_dead_else;       ///< prints no else branch of a condition that is constant true
  std::string_view nameless;  ///< what a function outside of a module is called, whatever it is
  Booleans booleans;
  Alignment alignment;
  StoredNumbers stored_numbers;
  /// Positions among the arguments of `T.reduce`; npos where it is not printed.
  struct {
    std::size_t init, axis, condition, value_index;
  } reduce;
};

constexpr std::size_t kNotPrinted = SIZE_MAX;

const Rules& new_rules();  ///< v0.12 to v0.18
const Rules& old_rules();  ///< v0.8 to v0.11

}  // namespace mlf::tir::tvmscript
