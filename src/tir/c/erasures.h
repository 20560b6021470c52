// The rows of c_erasures.def, as the normal form refers to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mlf/tir/kind.h"

namespace mlf::tir::c {

enum class Erasure : std::uint8_t {
#define MLF_ERASE(loss, kind, field, remainder, what) kind##_##field,
#define MLF_ERASE_KIND(step, loss, kind, what) step,
#include "mlf/tir/c_erasures.def"
#undef MLF_ERASE
#undef MLF_ERASE_KIND
};

/// The row that takes a field away as a whole, if there is one.
std::optional<Erasure> reset_of(Kind kind, std::uint8_t field);

}  // namespace mlf::tir::c
