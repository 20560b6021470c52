// How JSON is laid out, for everything that writes it.
#pragma once

#include <cstdint>

namespace mlf {

enum class JsonLayout : std::uint8_t {
  compact,  ///< no white space at all
  pretty,   ///< a line for each value, indented by two blanks
};

}  // namespace mlf
