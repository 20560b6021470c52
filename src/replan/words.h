// Text of any dialect as words and signs, with their places: enough to find a number that is known
// by what is around it. Meaning is the readers' business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::replan {

enum class Comments : std::uint8_t {
  c,       ///< `//` and `/* */`
  python,  ///< `#`; also for legacy text, which has no comments but lines that begin so
};

/// Letters, digits, `_`, `.`, `@` in a row (`@tir.address_of`), a string with its quotes, or one
/// sign.
struct Word {
  std::string_view text;
  std::size_t offset = 0;  ///< in the whole text
};

/// The words of `text` within `range`; comments and white space are left out.
std::vector<Word> words_of(std::string_view text, tir::SourceRange range, Comments comments);
std::vector<Word> words_of(std::string_view text, Comments comments);

/// The value of decimal digits; nothing for any other word.
std::optional<std::uint64_t> number_of(const Word& word);

/// Whether the words from `at` on are these; an empty one is any word.
bool matches(const std::vector<Word>& words, std::size_t at,
             std::initializer_list<std::string_view> pattern);

}  // namespace mlf::replan
