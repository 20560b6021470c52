#include "tir/compare/compare.h"

#include <fmt/core.h>
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/node_queries.h"

namespace mlf::tir::compare_detail {

// --- Nodes with an identity ---------------------------------------------------------------------

namespace {

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

}  // namespace

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

// --- Entries of maps ----------------------------------------------------------------------------

Matching match_names(const NodeMap& left, const NodeMap& right) {
  const auto name_at = [](const NodeMap& map, std::size_t i) { return map.name(i); };
  const auto places = index_of<ByName>(right, name_at);
  Matching matching;
  for (std::size_t i = 0; i < left.size(); ++i) matching.push_back(find(places, left.name(i)));
  return matching;
}

// Four rounds, each weaker than the one before: the content of keys, the pairs that the walk has
// made so far, the names of unpaired variables, and finally the position.
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

bool is_in_order(const Matching& matching) {
  std::uint32_t last = 0;
  for (const std::uint32_t place : matching) {
    if (place == kUnmatched) continue;
    if (place < last) return false;
    last = place;
  }
  return true;
}

}  // namespace mlf::tir::compare_detail
