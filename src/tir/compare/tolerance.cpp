#include <fmt/core.h>

#include <array>

#include "mlf/tir/compare.h"

namespace mlf::tir {
namespace {

enum Hiding : bool { no = false, yes = true };

struct ExcuseInfo {
  std::string_view name;
  bool hides_below;
};

constexpr auto kExcuses = std::to_array<ExcuseInfo>({
#define MLF_EXCUSE(name, hides_below) {#name, hides_below},
#define MLF_TOLERATE(dialect, loss, kind, field, excuse)
#define MLF_TOLERATE_NODE(dialect, loss, kind, aspect, excuse)
#define MLF_TOLERATE_ANY(dialect, loss, aspect, excuse)
#include "mlf/tir/tolerances.def"
#undef MLF_EXCUSE
#undef MLF_TOLERATE
#undef MLF_TOLERATE_NODE
#undef MLF_TOLERATE_ANY
});

constexpr auto kRows = std::to_array<ToleranceRow>({
#define MLF_EXCUSE(name, hides_below)
#define MLF_TOLERATE(dialect, loss, kind, member, excuse) \
  {Dialect::dialect, LossCode::loss, Kind::kind, Aspect::field, f::kind::member, Excuse::excuse},
#define MLF_TOLERATE_NODE(dialect, loss, kind, aspect, excuse) \
  {Dialect::dialect, LossCode::loss, Kind::kind, Aspect::aspect, 0, Excuse::excuse},
#define MLF_TOLERATE_ANY(dialect, loss, aspect, excuse) \
  {Dialect::dialect, LossCode::loss, std::nullopt, Aspect::aspect, 0, Excuse::excuse},
#include "mlf/tir/tolerances.def"
#undef MLF_EXCUSE
#undef MLF_TOLERATE
#undef MLF_TOLERATE_NODE
#undef MLF_TOLERATE_ANY
});

constexpr std::array<std::string_view, 4> kAspects = {"field", "kind", "identity", "span"};

}  // namespace

std::span<const ToleranceRow> all_tolerances() {
  return kRows;
}

std::string_view to_string(Excuse excuse) {
  return kExcuses[static_cast<std::size_t>(excuse)].name;
}

bool hides_below(Excuse excuse) {
  return kExcuses[static_cast<std::size_t>(excuse)].hides_below;
}

std::string to_string(const ToleranceRow& row) {
  const std::string_view kind = row.kind ? info(*row.kind).name : "any";
  const std::string what =
      row.aspect == Aspect::field
          ? fmt::format("{}.{}", kind, info(*row.kind).fields[row.field].name)
          : fmt::format("{} ({})", kind, kAspects[static_cast<std::size_t>(row.aspect)]);
  return fmt::format("{} {}: {}", to_string(row.dialect), what, to_string(row.excuse));
}

Tolerance Tolerance::of(Dialect dialect) {
  Tolerance tolerance;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].dialect == dialect || kRows[i].dialect == Dialect::save_json) {
      tolerance.rows_.push_back(static_cast<std::uint16_t>(i));
    }
  }
  return tolerance;
}

}  // namespace mlf::tir
