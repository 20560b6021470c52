// Generated C that is nearly all constant rows, of a size that archives of whole networks have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mlf::bench {

struct ConstantFile {
  std::string text;
  std::size_t data_bytes = 0;  ///< of the constants, once decoded
};

/// A way to spell the elements of an array.
struct Spelling {
  std::string_view name;                              ///< "int32", "float32 in decimal"
  int goal = 0;                                       ///< MB of text in a second; 0: none is set
  ConstantFile (*make)(std::size_t bytes) = nullptr;  ///< a file of about this size
};

/// Every element type that TVM prints, and decimal numbers, which others may write.
std::vector<Spelling> spellings();

}  // namespace mlf::bench
