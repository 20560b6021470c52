// Reads legacy text in tests, through the public API.
#pragma once

#include <gtest/gtest.h>

#include "unit/tir/text/reading.h"

namespace mlf::tir::legacy {

using text::body;
using text::error_of;
using text::function;
using text::lost;
using text::read_text;
using text::value;

/// `statements` as the body of a function that knows n, m (int32), x (float32), c (bool), a Buffer
/// A of 16 float32 and an untyped pointer p.
inline std::string in_function(std::string_view statements) {
  return "@main = primfn(n: int32, m: int32, x: float32, c: bool, h: handle, p: handle) -> ()\n"
         "  buffers = {A: Buffer(A_1: Pointer(float32), float32, [16], [])}\n"
         "  buffer_map = {h: A} {\n" +
         std::string(statements) + "\n}\n";
}

}  // namespace mlf::tir::legacy
