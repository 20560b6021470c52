// Reads TVMScript in tests, through the public door.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mlf/tir/document.h"

namespace mlf::tir::tvmscript {

/// Reads a text; a failure ends the test with its message.
inline Document read_script(std::string_view text) {
  auto document = read({.file = "test.txt", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error().front()));
  return *std::move(document);
}

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
  return std::string(kModuleHead) +
         "    def main(n: T.int32, h: T.handle, p: T.handle(\"float32\", \"global\")):\n"
         "        A = T.match_buffer(h, (16,), \"int8\")\n" +
         indented(lines);
}

inline Node function(const Document& document, std::size_t i = 0) {
  return document.module.root().map(f::IRModule::functions).value(i);
}
inline Node body(const Document& document) {
  return function(document)[f::PrimFunc::body];
}
/// The value of a body that is one Evaluate.
inline Node value(const Document& document) {
  return body(document)[f::Evaluate::value];
}
inline std::int64_t number(Node constant) {
  return constant.integer(f::IntImm::value);
}
inline Node attr(const Document& document, std::string_view name) {
  return function(document)[f::PrimFunc::attrs].map(f::DictAttrs::dict).find(name);
}

inline bool lost(const Document& document, LossCode code) {
  return std::ranges::find(document.losses, code, &Loss::code) != document.losses.end();
}

/// Message, source line and caret of the error that a text must give.
inline std::string error_of(std::string_view text, const ReadLimits& limits = {}) {
  const auto document = read({.file = "", .member = "", .text = text}, limits);
  return document ? "no error" : to_string(document.error().front());
}

}  // namespace mlf::tir::tvmscript
