// Reads texts of any dialect in tests, through the public API.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mlf/tir/document.h"

namespace mlf::tir::text {

/// Reads a text; a failure ends the test with its message.
inline Document read_text(std::string_view text) {
  auto document = read({.file = "test.txt", .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  return *std::move(document);
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
inline Node attribute(const Document& document, std::string_view name) {
  return function(document)[f::PrimFunc::attrs].map(f::DictAttrs::dict).find(name);
}

inline bool lost(const Document& document, LossCode code) {
  return std::ranges::find(document.losses, code, &Loss::code) != document.losses.end();
}

/// Message, source line and caret of the error that a text must give.
inline std::string error_of(std::string_view text, const ReadLimits& limits = {}) {
  const auto document = read({.file = "", .member = "", .text = text}, limits);
  return document ? "no error" : to_string(document.error());
}

}  // namespace mlf::tir::text
