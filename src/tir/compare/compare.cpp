// Decides whether two modules mean the same: one walk over both, and the tables of tolerances.def.
#include "tir/compare/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tir/compare/correspondence.h"
#include "tir/compare/descriptions.h"
#include "tir/compare/surroundings.h"
#include "tir/compare/tolerance_rules.h"
#include "tir/node_queries.h"

namespace mlf::tir {
namespace compare_detail {
namespace {

/// Floats are equal bit by bit: NaN equals itself, and 0.0 differs from -0.0.
bool scalars_equal(Node left, Node right, std::uint8_t field) {
  switch (left.info().fields[field].type) {
    case FieldType::string:
      return left.has_text(field) == right.has_text(field) && left.text(field) == right.text(field);
    case FieldType::real:
      return std::bit_cast<std::uint64_t>(left.real(field)) ==
             std::bit_cast<std::uint64_t>(right.real(field));
    case FieldType::dtype:
      return left.dtype(field) == right.dtype(field);
    case FieldType::integers:
      return std::ranges::equal(left.integers(field), right.integers(field));
    case FieldType::bytes: {
      const auto a = left.bytes(field);
      const auto b = right.bytes(field);
      return a.has_value() == b.has_value() && (!a || std::ranges::equal(*a, *b));
    }
    default:
      return left.integer(field) == right.integer(field);
  }
}

/// Whether a field contains the Var or Buffer that its node defines for the statements below, or a
/// part of it: the places in which a text may print one variable of TVM as several.
bool defines(std::optional<Node> owner, std::uint8_t field) {
  if (!owner) return false;
  const FieldInfo& info = owner->info().fields[field];
  return info.role == Role::define && info.type == FieldType::node;
}

bool is_param_of(Node function, Node var) {
  for (const Node param : function.list(f::PrimFunc::params)) {
    if (param.id() == var.id()) return true;
  }
  return false;
}

/// Whether a field is the name of a node with an identity.
bool is_name(Node node, std::uint8_t field) {
  return (is_var(node) && field == f::Var::name) ||
         (node.is(Kind::Buffer) && field == f::Buffer::name);
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

/// Compares two modules in one walk, from the roots down. Pairs of nodes wait on a stack, because
/// recursion could not handle deeply nested input, and come in the order of the left module.
/// Compares a pair once, even if several paths lead to it: both modules share subtrees, and time
/// grows with the number of pairs. For each pair, in this order: aligns statements that one text
/// nests differently (sequences, bodies in braces); requires equal kinds; requires that nodes with
/// an identity correspond one to one (Pairing); then compares every field of the table row. If the
/// two sides differ, tries the rows of tolerances.def about this kind in their order; the first
/// whose rule fits turns the difference into a tolerated loss.
class Comparer {
 public:
  Comparer(const Module& left, const Module& right, const Tolerance& tolerance)
      : known_{Roles(left), Roles(right), Pairing(left, right)},
        rows_of_kind_(all_kinds().size()),
        steps_(left, right),
        constants_in_any_order_(tolerance.has_constants_in_any_order()) {
    for (const RowIndex row : tolerance.rows()) {
      const auto kind = all_tolerances()[row].kind;
      if (kind) {
        rows_of_kind_[static_cast<std::size_t>(*kind)].push_back(row);
      } else {
        for (auto& rows : rows_of_kind_) rows.push_back(row);
      }
    }
  }

  Comparison run() && {
    const ComparisonStep root{steps_.left_root(), steps_.right_root(), kNoStep, kNoPosition, 0,
                              StepKind::root};
    stack_.push_back(steps_.add(root));
    while (!stack_.empty()) {
      const StepId at = stack_.back();
      stack_.pop_back();
      compare_pair(at);
      flush();
    }
    return std::move(result_);
  }

 private:
  using RowIndex = std::uint16_t;
  /// An entry of a map in a field of a node.
  struct MapEntry {
    Node owner;
    std::uint8_t field;
    std::uint32_t position;
  };

  void push(StepKind kind, StepId parent, Node left, Node right, std::uint8_t field,
            std::uint32_t position) {
    pushed_.push_back({left.id(), right.id(), parent, position, field, kind});
  }

  // `pushed_` is in order; reversed, because the stack returns the last pair first.
  void flush() {
    const std::size_t first = stack_.size();
    for (const ComparisonStep& step : pushed_) stack_.push_back(steps_.add(step));
    std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
    pushed_.clear();
  }

  void compare_pair(StepId at) {
    if (steps_[at].kind == StepKind::map) return compare_maps(steps_[at].parent, steps_[at].field);
    const Node a = left(at);
    const Node b = right(at);
    if (!a && !b) return;
    if (!a || !b) return differ(at, {}, brief(a), brief(b));
    // Two ids of 32 bits make one key.
    const std::uint64_t key = std::uint64_t{index(a.id())} << 32 | index(b.id());
    if (!seen_.insert(key).second) return;
    ++result_.nodes;
    if (splice_sequences(at) || unwrap_body(at)) return;
    if (!kinds_agree(at) || !identities_agree(at)) return;
    if (a.category() == Category::function) {
      ++result_.functions;
      ++scope_;
    }
    compare_spans(at);
    for (std::uint8_t i = 0; i < a.info().fields.size(); ++i) compare_field(at, i);
  }

  // --- Rows ------------------------------------------------------------------------------------

  /// Finds and notes the first row about this place for which `test` is true.
  template <class Test>
  bool tolerate(Aspect aspect, StepId at, std::uint8_t field, std::string_view what, Test&& test) {
    for (const RowIndex index : rows_of_kind_[static_cast<std::size_t>(left(at).kind())]) {
      const ToleranceRow& row = all_tolerances()[index];
      if (row.aspect != aspect || (aspect == Aspect::field && row.field != field)) continue;
      if (!test(row.rule)) continue;
      result_.tolerated.push_back({row.loss, steps_.path(at, what), index});
      return true;
    }
    return false;
  }

  bool tolerate_field(StepId at, std::uint8_t field) {
    const auto name = left(at).info().fields[field].name;
    return tolerate(Aspect::field, at, field, name, [&](ToleranceRule rule) {
      return tolerates_field(rule, {left(at), right(at), field}, known_);
    });
  }

  void differ(StepId at, std::string_view what, std::string left, std::string right,
              DifferenceIn in = DifferenceIn::node) {
    const bool is_in_attributes = steps_.is_below(at, Kind::PrimFunc, f::PrimFunc::attrs);
    result_.differences.push_back({.path = steps_.path(at, what),
                                   .left = std::move(left),
                                   .right = std::move(right),
                                   .in = is_in_attributes ? DifferenceIn::attribute : in,
                                   .function = std::string(steps_.function(at)),
                                   .left_range = steps_.left_range(at),
                                   .right_range = steps_.right_range(at)});
  }

  // --- Nodes -----------------------------------------------------------------------------------

  std::optional<Node> owner_of(StepId at) const {
    const StepId parent = steps_[at].parent;
    return parent == kNoStep ? std::nullopt : std::optional(left(parent));
  }

  bool kinds_agree(StepId at) {
    if (left(at).kind() == right(at).kind()) return true;
    const auto test = [&](ToleranceRule rule) {
      return tolerates_kind(rule, {left(at), right(at), owner_of(at)}, known_);
    };
    if (!tolerate(Aspect::kind, at, 0, {}, test)) {
      differ(at, {}, brief(left(at)), brief(right(at)));
      return false;
    }
    // Both kinds of variables have the same fields.
    return left(at).is(Kind::SizeVar) && right(at).is(Kind::Var);
  }

  // One Var, Buffer or object on the left must be one on the right, and vice versa: merging or
  // splitting them changes the meaning. Texts may print one of them several times.
  bool identities_agree(StepId at) {
    const Node a = left(at);
    const Node b = right(at);
    if (!has_identity(a)) return true;
    const Pairing::Match match = known_.pairing.pair(a, b, scope_);
    if (match == Pairing::Match::paired) return true;
    const auto test = [&](ToleranceRule rule) {
      if (rule == ToleranceRule::copies) return true;
      if (match != Pairing::Match::left_split) return false;
      if (rule == ToleranceRule::one_per_scope) return defines(owner_of(at), steps_[at].field);
      return rule == ToleranceRule::one_per_function && known_.pairing.scope_of(a) != scope_;
    };
    if (tolerate(Aspect::identity, at, 0, {}, test)) {
      if (match == Pairing::Match::left_split) known_.pairing.add_copy(a, b, scope_);
      return true;
    }
    const Node partner(b.module(), known_.pairing.right_of(a));
    differ(at, {}, brief(a) + ", another one", brief(b) + ", paired before: " + brief(partner));
    return false;
  }

  // Spans are not fields of the table: they state where TVM read a node, not what it is.
  void compare_spans(StepId at) {
    const Node a = left(at).module().span(left(at).id());
    const Node b = right(at).module().span(right(at).id());
    if (!a && !b) return;
    const auto test = [&](ToleranceRule rule) {
      return rule == ToleranceRule::not_printed && a && !b;
    };
    if (tolerate(Aspect::span, at, 0, "span", test)) return;
    if (!a || !b) return differ(at, "span", brief(a), brief(b));
    push(StepKind::span, at, a, b, 0, kNoPosition);
  }

  // --- Fields ----------------------------------------------------------------------------------

  void compare_field(StepId at, std::uint8_t field) {
    switch (left(at).info().fields[field].type) {
      case FieldType::node:
        return compare_nodes(at, field);
      case FieldType::list:
        return compare_lists(at, field);
      case FieldType::string_map:
        return compare_maps(at, field);
      case FieldType::node_map: {
        // Its keys match by their correspondence, so the fields before it come first.
        const Node none(left(at).module(), NodeId::none);
        return push(StepKind::map, at, none, none, field, kNoPosition);
      }
      default:
        break;
    }
    const Node a = left(at);
    const Node b = right(at);
    if (scalars_equal(a, b, field) || tolerate_field(at, field)) return;
    differ(at, a.info().fields[field].name, brief_field(a, field), brief_field(b, field),
           is_name(a, field) ? DifferenceIn::name : DifferenceIn::node);
  }

  void compare_nodes(StepId at, std::uint8_t field) {
    const Node a = left(at).node(field);
    const Node b = right(at).node(field);
    if (!a && !b) return;
    if (tolerate_field(at, field)) return;
    const bool is_position =
        left(at).is(Kind::AllocateConst) && field == f::AllocateConst::irmod_storage_idx;
    if (constants_in_any_order_ && is_position && a && b) return;
    push(StepKind::node, at, a, b, field, kNoPosition);
  }

  void compare_lists(StepId at, std::uint8_t field) {
    const NodeList a = left(at).list(field);
    const NodeList b = right(at).list(field);
    // Elements correspond by position, so lists of different sizes are not compared further.
    const bool same_size = a.defined() == b.defined() && a.size() == b.size();
    if (!same_size && tolerate_field(at, field)) return;
    if (!same_size) {
      return differ(at, left(at).info().fields[field].name, brief_field(left(at), field),
                    brief_field(right(at), field));
    }
    const Matching matching = constants_in_any_order_ ? match_arrays(a, b) : Matching();
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      push(StepKind::element, at, a[i], b[matching.empty() ? i : matching[i]], field, i);
    }
  }

  void compare_maps(StepId at, std::uint8_t field) {
    const NodeMap a = left(at).map(field);
    const NodeMap b = right(at).map(field);
    const bool by_name = left(at).info().fields[field].type == FieldType::string_map;
    if ((a.defined() != b.defined() || a.size() != b.size()) && tolerate_field(at, field)) return;
    if (a.defined() != b.defined()) {
      return differ(at, left(at).info().fields[field].name, brief_field(left(at), field),
                    brief_field(right(at), field));
    }
    const Matching matching = by_name ? match_names(a, b) : match_keys(a, b, known_.pairing);
    report_unmatched(at, field, matching);
    compare_order(at, field, matching);
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      if (matching[i] == kUnmatched) continue;
      if (!by_name) push(StepKind::key, at, a.key(i), b.key(matching[i]), field, i);
      push(StepKind::element, at, a.value(i), b.value(matching[i]), field, i);
    }
  }

  // Reports entries that only one side has. Rows may tolerate additional entries on the left only:
  // a text cannot add facts.
  void report_unmatched(StepId at, std::uint8_t field, const Matching& matching) {
    const NodeMap a = left(at).map(field);
    const NodeMap b = right(at).map(field);
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      if (matching[i] != kUnmatched) continue;
      const std::string entry = entry_name(left(at), field, i);
      const auto test = [&](ToleranceRule rule) {
        if (rule == ToleranceRule::not_a_param) return !is_param_of(left(at), a.key(i));
        return rule == ToleranceRule::not_tir && !a.value(i).is(Kind::PrimFunc);
      };
      if (tolerate(Aspect::field, at, field, entry, test)) continue;
      lack(at, {left(at), field, i}, brief(a.value(i)), "missing");
    }
    for (const std::uint32_t i : unmatched_on_right(matching, b.size())) {
      lack(at, {right(at), field, i}, "missing", brief(b.value(i)));
    }
  }

  /// Reports an entry that only one side has.
  // The loss of a missing function concerns only that function.
  void lack(StepId at, const MapEntry& entry, std::string left, std::string right) {
    const auto [owner, field, position] = entry;
    differ(at, entry_name(owner, field, position), std::move(left), std::move(right));
    if (!owner.is(Kind::IRModule) || field != f::IRModule::functions) return;
    Difference& difference = result_.differences.back();
    difference.in = DifferenceIn::function;
    difference.function = owner.map(field).key(position).text(f::GlobalVar::name_hint);
  }

  void compare_order(StepId at, std::uint8_t field, const Matching& matching) {
    if (is_in_order(matching)) return;
    const auto name = left(at).info().fields[field].name;
    const auto test = [](ToleranceRule rule) { return rule == ToleranceRule::any_order; };
    if (tolerate(Aspect::field, at, field, name, test)) return;
    differ(at, name, "entries in one order", "entries in another");
  }

  // --- Sequences -------------------------------------------------------------------------------
  // Each of these says whether the two shapes differ and a row allows that; it has then pushed the
  // parts instead.

  // The printers of TVMScript splice nested sequences. Compares the statements in order.
  bool splice_sequences(StepId at) {
    const Node a = left(at);
    const Node b = right(at);
    if (!a.is(Kind::SeqStmt) && !b.is(Kind::SeqStmt)) return false;
    if (has_same_sequences(a, b)) return false;
    const std::vector<Node> on_left = spliced(a);
    const std::vector<Node> on_right = spliced(b);
    if (on_left.size() != on_right.size()) return false;
    const auto test = [](ToleranceRule rule) { return rule == ToleranceRule::flattened; };
    if (!tolerate(Aspect::kind, at, 0, {}, test)) return false;
    for (std::uint32_t i = 0; i < on_left.size(); ++i) {
      const StepKind kind = a.is(Kind::SeqStmt) ? StepKind::element : StepKind::in_place;
      push(kind, at, on_left[i], on_right[i], f::SeqStmt::seq, i);
    }
    return true;
  }

  // The legacy printer writes a body and a sequence of this one statement in the same form, in
  // braces.
  bool unwrap_body(StepId at) {
    const Node a = left(at);
    const Node b = right(at);
    const StepId parent = steps_[at].parent;
    if (parent == kNoStep || a.is(Kind::SeqStmt) == b.is(Kind::SeqStmt)) return false;
    const Node on_left = unwrapped(a);
    const Node on_right = unwrapped(b);
    const bool is_one = on_left.is(Kind::SeqStmt) == on_right.is(Kind::SeqStmt);
    if (!is_one || !is_braced(left(parent), steps_[at].field)) return false;
    const auto test = [](ToleranceRule rule) { return rule == ToleranceRule::braced_body; };
    if (!tolerate(Aspect::kind, at, 0, {}, test)) return false;
    push(StepKind::in_place, at, on_left, on_right, f::SeqStmt::seq, 0);
    return true;
  }

  Node left(StepId at) const { return steps_.left(at); }
  Node right(StepId at) const { return steps_.right(at); }

  Knowledge known_;
  std::vector<std::vector<RowIndex>> rows_of_kind_;  // rows about any kind are in every list
  Steps steps_;
  bool constants_in_any_order_;
  std::vector<StepId> stack_;
  std::vector<ComparisonStep> pushed_;  // below the current pair, in order
  std::unordered_set<std::uint64_t> seen_;
  std::uint32_t scope_ = 0;  // counts functions: a printed text has a separate Var for each
  Comparison result_;
};

}  // namespace
}  // namespace compare_detail

namespace {

enum Hiding : bool { no = false, yes = true };

struct RuleInfo {
  std::string_view name;
  bool hides_below;
};

// The tables of tolerances.def: the rules, then the rows that use them.
constexpr auto kRules = std::to_array<RuleInfo>({
#define MLF_RULE(name, hides_below) {#name, hides_below},
#include "tir/compare/tolerances.def"
});

constexpr auto kTolerances = std::to_array<ToleranceRow>({
#define MLF_TOLERATE(dialect, loss, kind, member, rule) \
  {Dialect::dialect, LossCode::loss,  Kind::kind,       \
   Aspect::field,    f::kind::member, ToleranceRule::rule},
#define MLF_TOLERATE_NODE(dialect, loss, kind, aspect, rule) \
  {Dialect::dialect, LossCode::loss, Kind::kind, Aspect::aspect, 0, ToleranceRule::rule},
#define MLF_TOLERATE_ANY(dialect, loss, aspect, rule) \
  {Dialect::dialect, LossCode::loss, std::nullopt, Aspect::aspect, 0, ToleranceRule::rule},
#include "tir/compare/tolerances.def"
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

// Every text is compared with save_json, which has losses of its own.
Tolerance Tolerance::of(Dialect dialect) {
  Tolerance tolerance;
  for (std::size_t i = 0; i < kTolerances.size(); ++i) {
    if (kTolerances[i].dialect == dialect || kTolerances[i].dialect == Dialect::save_json) {
      tolerance.rows_.push_back(static_cast<std::uint16_t>(i));
    }
  }
  return tolerance;
}

Tolerance Tolerance::of_order() {
  Tolerance tolerance;
  tolerance.constants_in_any_order_ = true;
  for (std::size_t i = 0; i < kTolerances.size(); ++i) {
    if (kTolerances[i].rule != ToleranceRule::any_order) continue;
    tolerance.rows_.push_back(static_cast<std::uint16_t>(i));
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
