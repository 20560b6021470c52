// TVMScript in tests: what its functions stand in, and what is read from it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "mlf/tir/document.h"
#include "unit/tir/text/reading.h"

namespace mlf::tir::tvmscript {

using text::attribute;
using text::body;
using text::error_of;
using text::function;
using text::lost;
using text::read_text;
using text::value;

/// `lines`, each indented as the suite of a function.
inline std::string indented(std::string_view lines) {
  std::string text;
  for (std::size_t begin = 0; begin <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    if (end > begin) text.append("        ").append(lines.substr(begin, end - begin));
    text += '\n';
    begin = end + 1;
  }
  return text;
}

constexpr std::string_view kModuleHead =
    "# from tvm.script import ir as I\n"
    "# from tvm.script import tir as T\n"
    "\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n";

/// `lines` as the body of a function that knows n (int32), h (handle), p (a pointer to float32)
/// and a Buffer A of 16 int8.
inline std::string in_function(std::string_view lines) {
  // Appended, not added: GCC 12 at -O2 sees an overflow in `+` of temporaries that is not there.
  std::string text(kModuleHead);
  text += "    def main(n: T.int32, h: T.handle, p: T.handle(\"float32\", \"global\")):\n";
  text += "        A = T.match_buffer(h, (16,), \"int8\")\n";
  return text += indented(lines);
}

inline std::int64_t number(Node constant) {
  return constant.integer(f::IntImm::value);
}

inline Document statements(std::string_view lines) {
  return read_text(in_function(lines));
}

}  // namespace mlf::tir::tvmscript
