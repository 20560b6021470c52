// Decides whether two modules mean the same, in one walk over both.
#include "tir/compare/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tir/node_queries.h"

namespace mlf::tir {
namespace compare_detail {
namespace {

/// Compares two modules in one walk, from the roots down. Pairs of nodes wait on a stack, because
/// recursion could not handle deeply nested input, and come in the order of the left module.
/// Compares a pair once, even if several paths lead to it: both modules share subtrees, and time
/// grows with the number of pairs. For each pair, in this order: aligns statements that are nested
/// differently, if the tolerance does; requires equal kinds; requires that nodes with an identity
/// correspond one to one (Pairing); then compares every field of the table row.
class Comparer {
 public:
  Comparer(const Module& left, const Module& right, Tolerance& tolerance)
      : pairing_(left, right),
        steps_(left, right),
        tolerance_(tolerance),
        constants_in_any_order_(tolerance.has_constants_in_any_order()) {}

  Comparison run() && {
    stack_.push_back(kRootStep);
    while (!stack_.empty()) {
      const StepId at = stack_.back();
      stack_.pop_back();
      compare_pair(at);
      flush();
    }
    return std::move(result_);
  }

 private:
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
    if (align_statements(at) || !kinds_agree(at) || !identities_agree(at)) return;
    if (a.category() == Category::function) ++result_.functions;
    compare_spans(at);
    for (std::uint8_t i = 0; i < a.info().fields.size(); ++i) compare_field(at, i);
  }

  bool takes(Aspect aspect, StepId at, std::uint8_t field = 0, std::uint32_t position = 0) {
    return tolerance_.takes({steps_, at, pairing_, aspect, field, position});
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

  bool kinds_agree(StepId at) {
    if (left(at).kind() == right(at).kind()) return true;
    if (!takes(Aspect::kind, at)) {
      differ(at, {}, brief(left(at)), brief(right(at)));
      return false;
    }
    // Both kinds of variables have the same fields.
    return is_var(left(at)) && is_var(right(at));
  }

  // One Var, Buffer or object on the left must be one on the right, and vice versa: merging or
  // splitting them changes the meaning. Texts may print one of them several times.
  bool identities_agree(StepId at) {
    const Node a = left(at);
    const Node b = right(at);
    if (!has_identity(a)) return true;
    const Pairing::Match match = pairing_.pair(a, b);
    if (match == Pairing::Match::paired) return true;
    if (takes(Aspect::identity, at)) {
      if (match == Pairing::Match::left_split) pairing_.add_copy(a, b);
      return true;
    }
    const Node partner(b.module(), pairing_.right_of(a));
    differ(at, {}, brief(a) + ", another one", brief(b) + ", paired before: " + brief(partner));
    return false;
  }

  // Spans are not fields of the table: they state where TVM read a node, not what it is.
  void compare_spans(StepId at) {
    const Node a = left(at).module().span(left(at).id());
    const Node b = right(at).module().span(right(at).id());
    if (!a && !b) return;
    if (takes(Aspect::span, at)) return;
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
    if (same_scalar(a, b, field) || takes(Aspect::field, at, field)) return;
    const bool is_name =
        (is_var(a) && field == f::Var::name) || (a.is(Kind::Buffer) && field == f::Buffer::name);
    differ(at, a.info().fields[field].name, brief_field(a, field), brief_field(b, field),
           is_name ? DifferenceIn::name : DifferenceIn::node);
  }

  void compare_nodes(StepId at, std::uint8_t field) {
    const Node a = left(at).node(field);
    const Node b = right(at).node(field);
    if (!a && !b) return;
    if (takes(Aspect::field, at, field)) return;
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
    if (!same_size && takes(Aspect::field, at, field)) return;
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
    if ((a.defined() != b.defined() || a.size() != b.size()) && takes(Aspect::field, at, field))
      return;
    if (a.defined() != b.defined()) {
      return differ(at, left(at).info().fields[field].name, brief_field(left(at), field),
                    brief_field(right(at), field));
    }
    const Matching matching = by_name ? match_names(a, b) : match_keys(a, b, pairing_);
    report_unmatched(at, field, matching);
    if (!is_in_order(matching) && !takes(Aspect::order, at, field)) {
      differ(at, left(at).info().fields[field].name, "entries in one order", "entries in another");
    }
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      if (matching[i] == kUnmatched) continue;
      if (!by_name) push(StepKind::key, at, a.key(i), b.key(matching[i]), field, i);
      push(StepKind::element, at, a.value(i), b.value(matching[i]), field, i);
    }
  }

  // Reports entries that only one side has. The tolerance may take additional entries on the left
  // only: the right side may have lost facts, and adds none.
  void report_unmatched(StepId at, std::uint8_t field, const Matching& matching) {
    const NodeMap a = left(at).map(field);
    const NodeMap b = right(at).map(field);
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      if (matching[i] != kUnmatched) continue;
      if (takes(Aspect::entry, at, field, i)) continue;
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

  // Whether the tolerance compares other statements in place of these two.
  bool align_statements(StepId at) {
    const auto [kind, pairs] = tolerance_.statements_in({steps_, at, pairing_, Aspect::kind});
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
      push(kind, at, pairs[i].first, pairs[i].second, f::SeqStmt::seq, i);
    }
    return !pairs.empty();
  }

  Node left(StepId at) const { return steps_.left(at); }
  Node right(StepId at) const { return steps_.right(at); }

  Pairing pairing_;
  Steps steps_;
  Tolerance& tolerance_;
  bool constants_in_any_order_;
  std::vector<StepId> stack_;
  std::vector<ComparisonStep> pushed_;  // below the current pair, in order
  std::unordered_set<std::uint64_t> seen_;
  Comparison result_;
};

}  // namespace
}  // namespace compare_detail

Comparison compare(const Module& left, const Module& right, Tolerance& tolerance) {
  return compare_detail::Comparer(left, right, tolerance).run();
}

Comparison compare(const Module& left, const Module& right) {
  Tolerance none;
  return compare(left, right, none);
}

std::vector<Difference> differences(const Module& left, const Module& right) {
  return compare(left, right).differences;
}

std::string to_string(const Difference& difference) {
  return fmt::format("{}: {} / {}", difference.path, difference.left, difference.right);
}

}  // namespace mlf::tir
