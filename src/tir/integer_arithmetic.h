// Arithmetic of constant integers, checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "mlf/tir/module.h"

namespace mlf::tir {

/// Computes `a kind b`: sum, difference, product, minimum, maximum, and quotient and remainder as C
/// has them (`Div`, `Mod`) and rounded down. nullopt for other kinds, for a division by zero, and
/// if the result does not fit into 64 bits.
inline std::optional<std::int64_t> integer_result(Kind kind, std::int64_t a, std::int64_t b) {
  // Only the quotient of the smallest number by -1 overflows.
  const bool can_divide = b != 0 && (b != -1 || a != std::numeric_limits<std::int64_t>::min());
  const auto rounds_down = [&] { return a % b != 0 && (a % b < 0) != (b < 0); };
  std::int64_t result = 0;
  switch (kind) {
    case Kind::Add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Sub:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Mul:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Div:
      return can_divide ? std::optional(a / b) : std::nullopt;
    case Kind::Mod:
      return can_divide ? std::optional(a % b) : std::nullopt;
    case Kind::FloorDiv:
      return can_divide ? std::optional(a / b - (rounds_down() ? 1 : 0)) : std::nullopt;
    case Kind::FloorMod:
      return can_divide ? std::optional(a % b + (rounds_down() ? b : 0)) : std::nullopt;
    case Kind::Min:
      return std::min(a, b);
    case Kind::Max:
      return std::max(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace mlf::tir
