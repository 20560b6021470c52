// The rows of c_normalization.def: what a comparison of captured TIR with its C cannot notice.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"

namespace mlf::tir::c {

/// What remains of a field after a removal.
enum class Remainder : std::uint8_t {
  nothing,
  hidden,  ///< at most a part of its own value, and nothing below it
  below,   ///< everything below it, and a part of its own value
};

struct NormalizationRule {
  LossCode loss;  ///< the loss with which a document read from the C records it
  Kind kind;
  std::optional<std::uint8_t> field;  ///< empty: the rule is about nodes of the kind as a whole
  Remainder remainder;
  std::string_view what;
};

inline constexpr auto kNormalizationRules = std::to_array<NormalizationRule>({
#define MLF_C_RULE(loss, kind, field, remainder, what) \
  {LossCode::loss, Kind::kind, std::uint8_t{f::kind::field}, Remainder::remainder, what},
#define MLF_C_KIND_RULE(loss, kind, what) \
  {LossCode::loss, Kind::kind, std::nullopt, Remainder::below, what},
#include "unit/tir/c/c_normalization.def"
#undef MLF_C_RULE
#undef MLF_C_KIND_RULE
});

/// `Kind.field: what (loss)`.
inline std::string to_string(const NormalizationRule& row) {
  const KindInfo& kind = info(row.kind);
  const std::string place = row.field
                                ? fmt::format("{}.{}", kind.name, kind.fields[*row.field].name)
                                : std::string(kind.name);
  return fmt::format("{}: {} ({})", place, row.what, info(row.loss).code);
}

}  // namespace mlf::tir::c
