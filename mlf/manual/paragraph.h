// Text in lines of at most 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mlf::program {

/// Breaks `text` between words. Lines after the first begin with `indent` blanks; the first one
/// begins at column `column`. A line break in `text` stays.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column = 0);

/// "  name   text" as lines, the text from column `indent` on. A name that reaches this column has
/// a line of its own. A line "word  meaning" of the text is aligned below the others of that form.
std::string entry(std::string_view name, std::string_view text, std::size_t indent);

}  // namespace mlf::program
