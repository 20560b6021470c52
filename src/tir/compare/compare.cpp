#include "tir/compare/compare.h"

#include <fmt/core.h>

#include <array>

#include "tir/compare/comparer.h"

namespace mlf::tir {
namespace {

enum Hiding : bool { no = false, yes = true };

struct RuleInfo {
  std::string_view name;
  bool hides_below;
};

// The tables of tolerances.def: the rules, then the rows that use them.
constexpr auto kRules = std::to_array<RuleInfo>({
#define MLF_RULE(name, hides_below) {#name, hides_below},
#define MLF_TOLERATE(dialect, loss, kind, field, rule)
#define MLF_TOLERATE_NODE(dialect, loss, kind, aspect, rule)
#define MLF_TOLERATE_ANY(dialect, loss, aspect, rule)
#include "tir/compare/tolerances.def"
#undef MLF_RULE
#undef MLF_TOLERATE
#undef MLF_TOLERATE_NODE
#undef MLF_TOLERATE_ANY
});

constexpr auto kTolerances = std::to_array<ToleranceRow>({
#define MLF_RULE(name, hides_below)
#define MLF_TOLERATE(dialect, loss, kind, member, rule) \
  {Dialect::dialect, LossCode::loss,  Kind::kind,       \
   Aspect::field,    f::kind::member, ToleranceRule::rule},
#define MLF_TOLERATE_NODE(dialect, loss, kind, aspect, rule) \
  {Dialect::dialect, LossCode::loss, Kind::kind, Aspect::aspect, 0, ToleranceRule::rule},
#define MLF_TOLERATE_ANY(dialect, loss, aspect, rule) \
  {Dialect::dialect, LossCode::loss, std::nullopt, Aspect::aspect, 0, ToleranceRule::rule},
#include "tir/compare/tolerances.def"
#undef MLF_RULE
#undef MLF_TOLERATE
#undef MLF_TOLERATE_NODE
#undef MLF_TOLERATE_ANY
});

constexpr std::array<std::string_view, 4> kAspects = {"field", "kind", "identity", "span"};

}  // namespace

std::span<const ToleranceRow> all_tolerances() {
  return kTolerances;
}

std::string_view to_string(ToleranceRule rule) {
  return kRules[static_cast<std::size_t>(rule)].name;
}

bool hides_below(ToleranceRule rule) {
  return kRules[static_cast<std::size_t>(rule)].hides_below;
}

std::string to_string(const ToleranceRow& row) {
  const std::string_view kind = row.kind ? info(*row.kind).name : "any";
  const std::string what =
      row.aspect == Aspect::field
          ? fmt::format("{}.{}", kind, info(*row.kind).fields[row.field].name)
          : fmt::format("{} ({})", kind, kAspects[static_cast<std::size_t>(row.aspect)]);
  return fmt::format("{} {}: {}", to_string(row.dialect), what, to_string(row.rule));
}

// Every text is compared with what save_json has, which loses a little itself.
Tolerance Tolerance::of(Dialect dialect) {
  Tolerance tolerance;
  for (std::size_t i = 0; i < kTolerances.size(); ++i) {
    if (kTolerances[i].dialect == dialect || kTolerances[i].dialect == Dialect::save_json) {
      tolerance.rows_.push_back(static_cast<std::uint16_t>(i));
    }
  }
  return tolerance;
}

Comparison compare(const Module& left, const Module& right, const Tolerance& tolerance) {
  return compare_detail::Comparer(left, right, tolerance).run();
}

std::vector<Difference> differences(const Module& left, const Module& right) {
  return compare(left, right).differences;
}

std::string to_string(const Difference& difference) {
  return fmt::format("{}: {} / {}", difference.path, difference.left, difference.right);
}

}  // namespace mlf::tir
