// The rows of c_normalization.def, as the normal form refers to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mlf/tir/module.h"

namespace mlf::tir::c {

enum class NormalizationRule : std::uint8_t {
#define MLF_C_RULE(loss, kind, field, remainder, what) kind##_##field,
#define MLF_C_KIND_RULE(step, loss, kind, what) step,
#include "tir/c/c_normalization.def"
#undef MLF_C_RULE
#undef MLF_C_KIND_RULE
};

/// The row that takes a field away as a whole, if there is one.
std::optional<NormalizationRule> reset_of(Kind kind, std::uint8_t field);

}  // namespace mlf::tir::c
