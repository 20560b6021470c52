// Counts bytes of long texts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace mlf::support {

/// Returns how many bytes of `text` equal `counted`.
template <class Counted>
std::size_t count_bytes(std::string_view text, Counted counted) {
  // Compilers vectorise blocks of a fixed size that are counted in a byte.
  constexpr std::size_t kBlock = 128;
  std::size_t count = 0;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    unsigned char found = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      found = static_cast<unsigned char>(found + (counted(text[i]) ? 1 : 0));
    }
    count += found;
  }
  return count + static_cast<std::size_t>(std::ranges::count_if(text, counted));
}

}  // namespace mlf::support
