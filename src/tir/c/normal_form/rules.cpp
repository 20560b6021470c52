#include "tir/c/normal_form/rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tir/c/c.h"

namespace mlf::tir {
namespace {

constexpr auto kRules = std::to_array<CNormalizationRule>({
#define MLF_C_RULE(loss, kind, field, remainder, what) \
  {LossCode::loss, Kind::kind, std::uint8_t{f::kind::field}, CRemainder::remainder, what},
#define MLF_C_KIND_RULE(step, loss, kind, what) \
  {LossCode::loss, Kind::kind, std::nullopt, CRemainder::below, what},
#include "tir/c/c_normalization.def"
#undef MLF_C_RULE
#undef MLF_C_KIND_RULE
});

}  // namespace

std::span<const CNormalizationRule> all_c_normalization_rules() {
  return kRules;
}

std::string to_string(const CNormalizationRule& row) {
  const KindInfo& kind = info(row.kind);
  const std::string place = row.field
                                ? fmt::format("{}.{}", kind.name, kind.fields[*row.field].name)
                                : std::string(kind.name);
  return fmt::format("{}: {} ({})", place, row.what, info(row.loss).code);
}

namespace c {

/// Few rules take a field away as a whole, so that a search in the table is fast enough.
std::optional<NormalizationRule> reset_of(Kind kind, std::uint8_t field) {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    const CNormalizationRule& row = kRules[i];
    const bool is_whole = row.remainder == CRemainder::nothing;
    if (is_whole && row.kind == kind && row.field == field) {
      return static_cast<NormalizationRule>(i);
    }
  }
  return std::nullopt;
}

}  // namespace c
}  // namespace mlf::tir
