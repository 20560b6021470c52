// Decides whether two modules mean the same, in one walk over both.
#include "tir/compare/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/node_queries.h"

namespace mlf::tir {
namespace compare_detail {
namespace {

/// Whether the identity of a node is significant: for Var, Buffer, constants and objects. Spans are
/// objects in TVM, but only their content matters.
bool has_identity(Node node) {
  switch (node.kind()) {
    case Kind::Var:
    case Kind::SizeVar:
      return true;
    case Kind::Span:
    case Kind::SequentialSpan:
    case Kind::SourceName:
    case Kind::MissingObject:
      return false;
    default:
      break;
  }
  const Category category = node.category();
  return category == Category::buffer || category == Category::constant ||
         category == Category::object;
}

// --- Entries of maps ----------------------------------------------------------------------------

constexpr std::uint32_t kUnmatched = UINT32_MAX;

/// For each entry on the left its position on the right, or kUnmatched.
using Matching = std::vector<std::uint32_t>;

/// save_json contains one array several times if it writes it by value.
bool are_equal_arrays(Node a, Node b) {
  if (!a.is(Kind::NDArray) || !b.is(Kind::NDArray)) return false;
  const auto data = a.bytes(f::NDArray::data);
  const auto other = b.bytes(f::NDArray::data);
  return data && other && std::ranges::equal(*data, *other) &&
         a.dtype(f::NDArray::dtype) == b.dtype(f::NDArray::dtype) &&
         std::ranges::equal(a.integers(f::NDArray::shape), b.integers(f::NDArray::shape));
}

using ById = std::unordered_map<std::uint32_t, std::uint32_t>;
using ByName = support::NameMap<std::string_view, std::uint32_t>;
using ByText = support::NameMap<std::string, std::uint32_t>;

std::uint32_t position(std::size_t i) {
  return static_cast<std::uint32_t>(i);
}

/// `Places` is a table of std::uint32_t by what `key_at` returns.
template <class Places, class KeyAt>
Places index_of(const NodeMap& map, KeyAt&& key_at) {
  Places places;
  for (std::size_t i = 0; i < map.size(); ++i) places.emplace(key_at(map, i), position(i));
  return places;
}

template <class Places>
std::uint32_t find(const Places& places, const typename Places::key_type& key) {
  return support::value_at(places, key).value_or(kUnmatched);
}

std::string_view function_name(const NodeMap& map, std::size_t i) {
  const Node key = map.key(i);
  return key.is(Kind::GlobalVar) ? key.text(f::GlobalVar::name_hint) : std::string_view();
}

/// The text of a constant key; empty for any other key.
std::string constant(Node key) {
  if (key.is(Kind::String)) return fmt::format("\"{}\"", key.text(f::String::value));
  if (key.is(Kind::StringImm)) return fmt::format("\"{}\"", key.text(f::StringImm::value));
  if (!key.is(Kind::IntImm)) return {};
  return fmt::format("{} {}", to_string(key.dtype()), key.integer(f::IntImm::value));
}

/// Positions on the right without a counterpart on the left.
std::vector<std::uint32_t> unmatched_on_right(const Matching& matching, std::size_t right_size) {
  std::vector<bool> matched(right_size);
  for (const std::uint32_t place : matching) {
    if (place != kUnmatched) matched[place] = true;
  }
  std::vector<std::uint32_t> rest;
  for (std::size_t i = 0; i < right_size; ++i) {
    if (!matched[i]) rest.push_back(position(i));
  }
  return rest;
}

/// Matches variables that only these maps mention by their names, if both sides have the same
/// names, each once. TVM orders such a map by addresses.
void match_free_variables(const NodeMap& left, const NodeMap& right, Matching& matching) {
  const auto name_at = [](const NodeMap& map, std::size_t i) {
    return is_var(map.key(i)) ? map.key(i).text(f::Var::name) : std::string_view();
  };
  ByName free;
  for (const std::uint32_t i : unmatched_on_right(matching, right.size())) {
    if (name_at(right, i).empty() || !free.emplace(name_at(right, i), i).second) return;
  }
  Matching by_name = matching;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (matching[i] != kUnmatched) continue;
    const auto found = free.find(name_at(left, i));
    if (found == free.end()) return;
    by_name[i] = found->second;
    free.erase(found);
  }
  matching = std::move(by_name);
}

/// Matches by the names of a string_map.
Matching match_names(const NodeMap& left, const NodeMap& right) {
  const auto name_at = [](const NodeMap& map, std::size_t i) { return map.name(i); };
  const auto places = index_of<ByName>(right, name_at);
  Matching matching;
  for (std::size_t i = 0; i < left.size(); ++i) matching.push_back(find(places, left.name(i)));
  return matching;
}

/// Matches by the keys of a node_map in four rounds, each weaker than the one before: the content
/// of keys, the pairs that the walk has made so far, the names of unpaired variables, and finally
/// the position. Matches no position twice.
Matching match_keys(const NodeMap& left, const NodeMap& right, const Pairing& pairing) {
  const auto functions = index_of<ByName>(right, function_name);
  const auto ids = index_of<ById>(
      right, [](const NodeMap& map, std::size_t i) { return index(map.key(i).id()); });
  const auto constants = index_of<ByText>(
      right, [](const NodeMap& map, std::size_t i) { return constant(map.key(i)); });
  const auto find_key = [&](Node key) {
    if (key.is(Kind::GlobalVar)) return find(functions, key.text(f::GlobalVar::name_hint));
    if (const std::string value = constant(key); !value.empty()) return find(constants, value);
    return find(ids, index(has_identity(key) ? pairing.right_of(key) : NodeId::none));
  };
  Matching matching;
  for (std::size_t i = 0; i < left.size(); ++i) matching.push_back(find_key(left.key(i)));
  match_free_variables(left, right, matching);
  for (const std::uint32_t i : unmatched_on_right(matching, right.size())) {
    const bool is_free = i < left.size() && matching[i] == kUnmatched;
    if (is_free && !left.key(i).is(Kind::GlobalVar)) matching[i] = i;
  }
  return matching;
}

/// The equal element for each element of a list of constants; empty if they are not the same ones.
Matching match_arrays(const NodeList& left, const NodeList& right) {
  if (left.size() == 0 || !left[0] || !left[0].is(Kind::NDArray)) return {};
  const auto content = [](Node node) {
    const auto bytes = node && node.is(Kind::NDArray) ? node.bytes(f::NDArray::data) : std::nullopt;
    return bytes ? std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                 : std::string_view();
  };
  support::NameMap<std::string_view, std::vector<std::uint32_t>> places;
  for (std::size_t i = right.size(); i-- > 0;) places[content(right[i])].push_back(position(i));
  Matching matching;
  for (const Node array : left) {
    const auto found = places.find(content(array));
    const bool is_known = found != places.end() && !found->second.empty() &&
                          are_equal_arrays(array, right[found->second.back()]);
    if (!is_known) return {};
    matching.push_back(found->second.back());
    found->second.pop_back();
  }
  return matching;
}

/// Whether matched entries are in the same order on both sides.
bool is_in_order(const Matching& matching) {
  std::uint32_t last = 0;
  for (const std::uint32_t place : matching) {
    if (place == kUnmatched) continue;
    if (place < last) return false;
    last = place;
  }
  return true;
}

// --- The walk -----------------------------------------------------------------------------------

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

// Both directions of the bijection are stored, so a node of either side cannot join two pairs
// unnoticed.
Pairing::Match Pairing::pair(Node left, Node right) {
  NodeId& partner_of_right = left_of_[index(right.id())];
  if (partner_of_right == left.id()) return Match::paired;
  if (partner_of_right != NodeId::none) return Match::conflict;
  if (right_of_[index(left.id())] != NodeId::none) return Match::left_split;
  add_copy(left, right);
  return Match::paired;
}

void Pairing::add_copy(Node left, Node right) {
  left_of_[index(right.id())] = left.id();
  right_of_[index(left.id())] = right.id();
}

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
