// Text in lines of at most 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mlf::program {

/// Breaks `text` between words. The first line begins at column `column`, the others with `indent`
/// blanks. Keeps line breaks in `text`.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column = 0);

/// Returns "  name   text" as lines, with the text from column `indent` on. A name that reaches
/// this column gets its own line. Aligns lines "word  meaning" of the text.
std::string entry(std::string_view name, std::string_view text, std::size_t indent);

}  // namespace mlf::program
