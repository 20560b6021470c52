#include "text_tolerance.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tir/node_queries.h"
#include "tolerance_rules.h"

namespace mlf::tir {
namespace compare_detail {
namespace {

/// Whether a field contains the Var or Buffer that its node defines for the statements below, or a
/// part of it: the places in which a text may print one variable of TVM as several.
bool defines(std::optional<Node> owner, std::uint8_t field) {
  if (!owner) return false;
  const FieldInfo& info = owner->info().fields[field];
  return info.role == Role::define && info.type == FieldType::node;
}

bool is_param_of(Node function, Node var) {
  const NodeList params = function.list(f::PrimFunc::params);
  return std::ranges::any_of(ids_of(params), [&](NodeId param) { return param == var.id(); });
}

/// Whether the legacy printer always puts braces around this body.
bool is_braced(Node owner, std::uint8_t field) {
  if (owner.info().fields[field].expects != Expects::stmt) return false;
  switch (owner.kind()) {
    case Kind::PrimFunc:
    case Kind::For:
    case Kind::While:
    case Kind::IfThenElse:
    case Kind::BufferRealize:
    case Kind::ProducerRealize:
      return true;
    default:
      return false;
  }
}

/// Tries the rows about the kind of a node in their order; the first whose rule fits explains the
/// difference.
class RowTolerance final : public Tolerance {
 public:
  RowTolerance(const Module& left, const Module& right, const TextTolerance& tolerance)
      : known_(left, right), rows_(tolerance.rows()) {}

  std::vector<Tolerated> take() { return std::move(tolerated_); }

  bool takes(const Mismatch& at) override {
    known_.pairing = &at.pairing;
    const bool is_about_field =
        at.aspect == Aspect::field || at.aspect == Aspect::order || at.aspect == Aspect::entry;
    return take_row(at, [&](const ToleranceRow& row) {
      if (row.aspect != (is_about_field ? Aspect::field : at.aspect)) return false;
      if (is_about_field && row.field != at.field) return false;
      return fits(row.rule, at);
    });
  }

  // The printers of TVMScript splice nested sequences. The legacy printer writes a body and a
  // sequence of this one statement in the same form, in braces.
  Statements statements_in(const Mismatch& at) override {
    Statements spliced = spliced_in(at);
    return spliced.pairs.empty() ? unwrapped_in(at) : spliced;
  }

 private:
  template <class Test>
  bool take_row(const Mismatch& at, Test&& test) {
    for (const std::uint16_t index : rows_) {
      const ToleranceRow& row = all_tolerances()[index];
      if (row.kind.value_or(at.left().kind()) != at.left().kind() || !test(row)) continue;
      tolerated_.push_back({row.loss, at.steps.path(at.step, name_of(at)), index});
      return true;
    }
    return false;
  }

  bool take_rule(const Mismatch& at, ToleranceRule rule) {
    return take_row(at, [&](const ToleranceRow& row) { return row.rule == rule; });
  }

  static std::string name_of(const Mismatch& at) {
    switch (at.aspect) {
      case Aspect::entry:
        return entry_name(at.left(), at.field, at.position);
      case Aspect::field:
      case Aspect::order:
        return std::string(at.left().info().fields[at.field].name);
      case Aspect::span:
        return "span";
      default:
        return {};
    }
  }

  static std::optional<Node> owner_of(const Mismatch& at) {
    const StepId parent = at.steps[at.step].parent;
    return parent == kNoStep ? std::nullopt : std::optional(at.steps.left(parent));
  }

  bool fits(ToleranceRule rule, const Mismatch& at) {
    const Node a = at.left();
    const Node b = at.right();
    switch (at.aspect) {
      case Aspect::field:
        return tolerates_field(rule, {a, b, at.field}, known_);
      case Aspect::kind:
        return tolerates_kind(rule, {a, b, owner_of(at)}, known_);
      case Aspect::identity:
        return tolerates_identity(rule, at);
      case Aspect::span:
        return rule == ToleranceRule::not_printed && a.module().span(a.id()) &&
               !b.module().span(b.id());
      case Aspect::order:
        return rule == ToleranceRule::any_order;
      case Aspect::entry: {
        const NodeMap map = a.map(at.field);
        if (rule == ToleranceRule::not_a_param) return !is_param_of(a, map.key(at.position));
        return rule == ToleranceRule::not_tir && !map.value(at.position).is(Kind::PrimFunc);
      }
    }
    return false;
  }

  bool tolerates_identity(ToleranceRule rule, const Mismatch& at) const {
    if (rule == ToleranceRule::copies) return true;
    // One node became several.
    if (at.pairing.left_of(at.right()) != NodeId::none) return false;
    if (rule == ToleranceRule::one_per_scope) {
      return defines(owner_of(at), at.steps[at.step].field);
    }
    const Node partner(at.right().module(), at.pairing.right_of(at.left()));
    return rule == ToleranceRule::one_per_function &&
           known_.right.scope_of(partner) != known_.right.scope_of(at.right());
  }

  Statements spliced_in(const Mismatch& at) {
    const Node a = at.left();
    const Node b = at.right();
    if (!a.is(Kind::SeqStmt) && !b.is(Kind::SeqStmt)) return {};
    if (has_same_sequences(a, b)) return {};
    const std::vector<Node> on_left = spliced(a);
    const std::vector<Node> on_right = spliced(b);
    if (on_left.size() != on_right.size()) return {};
    if (!take_rule(at, ToleranceRule::flattened)) return {};
    Statements found{a.is(Kind::SeqStmt) ? StepKind::element : StepKind::in_place};
    for (std::size_t i = 0; i < on_left.size(); ++i) {
      found.pairs.emplace_back(on_left[i], on_right[i]);
    }
    return found;
  }

  Statements unwrapped_in(const Mismatch& at) {
    const Node a = at.left();
    const Node b = at.right();
    const auto owner = owner_of(at);
    if (!owner || a.is(Kind::SeqStmt) == b.is(Kind::SeqStmt)) return {};
    const Node on_left = unwrapped(a);
    const Node on_right = unwrapped(b);
    const bool is_one = on_left.is(Kind::SeqStmt) == on_right.is(Kind::SeqStmt);
    if (!is_one || !is_braced(*owner, at.steps[at.step].field)) return {};
    if (!take_rule(at, ToleranceRule::braced_body)) return {};
    return {StepKind::in_place, {{on_left, on_right}}};
  }

  Knowledge known_;
  std::span<const std::uint16_t> rows_;
  std::vector<Tolerated> tolerated_;
};

enum Hiding : bool { no = false, yes = true };

struct RuleInfo {
  std::string_view name;
  bool hides_below;
};

// The tables of tolerances.def: the rules, then the rows that use them.
constexpr auto kRules = std::to_array<RuleInfo>({
#define MLF_RULE(name, hides_below) {#name, hides_below},
#include "tolerances.def"
});

constexpr auto kTolerances = std::to_array<ToleranceRow>({
#define MLF_TOLERATE(dialect, loss, kind, member, rule) \
  {Dialect::dialect, LossCode::loss,  Kind::kind,       \
   Aspect::field,    f::kind::member, ToleranceRule::rule},
#define MLF_TOLERATE_NODE(dialect, loss, kind, aspect, rule) \
  {Dialect::dialect, LossCode::loss, Kind::kind, Aspect::aspect, 0, ToleranceRule::rule},
#define MLF_TOLERATE_ANY(dialect, loss, aspect, rule) \
  {Dialect::dialect, LossCode::loss, std::nullopt, Aspect::aspect, 0, ToleranceRule::rule},
#include "tolerances.def"
});

constexpr std::array<std::string_view, 4> kAspects = {"field", "kind", "identity", "span"};

}  // namespace
}  // namespace compare_detail

std::span<const ToleranceRow> all_tolerances() {
  return compare_detail::kTolerances;
}

std::string_view to_string(ToleranceRule rule) {
  return compare_detail::kRules[static_cast<std::size_t>(rule)].name;
}

bool hides_below(ToleranceRule rule) {
  return compare_detail::kRules[static_cast<std::size_t>(rule)].hides_below;
}

std::string to_string(const ToleranceRow& row) {
  const std::string_view kind = row.kind ? info(*row.kind).name : "any";
  const std::string what =
      row.aspect == Aspect::field
          ? fmt::format("{}.{}", kind, info(*row.kind).fields[row.field].name)
          : fmt::format("{} ({})", kind,
                        compare_detail::kAspects[static_cast<std::size_t>(row.aspect)]);
  return fmt::format("{} {}: {}", to_string(row.dialect), what, to_string(row.rule));
}

// Every text is compared with save_json, which has losses of its own.
TextTolerance TextTolerance::of(Dialect dialect) {
  TextTolerance tolerance;
  const auto all = all_tolerances();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].dialect == dialect || all[i].dialect == Dialect::save_json) {
      tolerance.rows_.push_back(static_cast<std::uint16_t>(i));
    }
  }
  return tolerance;
}

TextComparison compare(const Module& left, const Module& right, const TextTolerance& tolerance) {
  compare_detail::RowTolerance rows(left, right, tolerance);
  TextComparison comparison{compare(left, right, rows), {}};
  comparison.tolerated = rows.take();
  return comparison;
}

}  // namespace mlf::tir
