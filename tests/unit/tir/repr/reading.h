// Reads repr text in tests, through the public API.
#pragma once

#include <gtest/gtest.h>

#include "unit/tir/text/reading.h"

namespace mlf::tir::repr {

using text::attribute;
using text::body;
using text::error_of;
using text::function;
using text::lost;
using text::read_text;
using text::value;

/// `statements`, indented by two blanks, as the body of a function with these parameters.
inline std::string in_function(std::string_view statements, std::string_view params = "n, m") {
  return "PrimFunc([" + std::string(params) + "])  {\n" + std::string(statements) + "\n}\n";
}

inline Document statements(std::string_view text, std::string_view params = "n, m") {
  return read_text(in_function(text, params));
}

}  // namespace mlf::tir::repr
