#include "tir/c/erasures.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "mlf/tir/c.h"

namespace mlf::tir {
namespace {

constexpr auto kErasures = std::to_array<CErasure>({
#define MLF_ERASE(loss, kind, field, remainder, what) \
  {LossCode::loss, Kind::kind, std::uint8_t{f::kind::field}, CRemainder::remainder, what},
#define MLF_ERASE_KIND(step, loss, kind, what) \
  {LossCode::loss, Kind::kind, std::nullopt, CRemainder::below, what},
#include "mlf/tir/c_erasures.def"
#undef MLF_ERASE
#undef MLF_ERASE_KIND
});

}  // namespace

std::span<const CErasure> all_c_erasures() {
  return kErasures;
}

std::string to_string(const CErasure& row) {
  const KindInfo& kind = info(row.kind);
  const std::string place = row.field
                                ? fmt::format("{}.{}", kind.name, kind.fields[*row.field].name)
                                : std::string(kind.name);
  return fmt::format("{}: {} ({})", place, row.what, info(row.loss).code);
}

namespace c {

std::optional<Erasure> reset_of(Kind kind, std::uint8_t field) {
  for (std::size_t i = 0; i < kErasures.size(); ++i) {
    const CErasure& row = kErasures[i];
    const bool is_whole = row.remainder == CRemainder::nothing;
    if (is_whole && row.kind == kind && row.field == field) {
      return static_cast<Erasure>(i);
    }
  }
  return std::nullopt;
}

}  // namespace c
}  // namespace mlf::tir
