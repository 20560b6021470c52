// Reads a text line by line.
#pragma once

#include <algorithm>
#include <string_view>

namespace mlf::support {

/// Removes the first line from `text` and returns it. A line may end with CR LF.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

}  // namespace mlf::support
