#include "plan/network/in_place.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "graph/node_queries.h"
#include "tir/linear_sum.h"

namespace mlf::plan {
namespace {

using graph::KernelCode;
using graph::Surrounding;
using graph::SurroundingKind;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

// The limit for factors, extents and offsets: sums and products of two stay within 64 bits.
constexpr std::int64_t kMostOfIndex = std::int64_t{1} << 30;

bool is_small(std::int64_t number) {
  return number > -kMostOfIndex && number < kMostOfIndex;
}

using Index = tir::LinearSum<tir::NodeId>;

/// An index as TVM writes it after flattening: a sum of loop variables times numbers, all of them
/// small. Nothing for the division and modulo of fused loops: such loops give no pairs.
std::optional<Index> affine(Node expression) {
  constexpr std::size_t kMostParts = 4096;
  Index index;
  const auto look = [](Node part) {
    const Node value = graph::without_casts(part);
    return tir::is_plain_integer(value.dtype()) ? value : Node();
  };
  const auto add_term = [&](Node term, std::int64_t factor) {
    return tir::is_var(term) && index.add_term(term.id(), factor);
  };
  const bool is_all_small =
      tir::add_parts(expression, 1, kMostParts, index, look, add_term) &&
      is_small(index.constant) &&
      std::ranges::all_of(index.factors, [](const auto& one) { return is_small(one.second); });
  return is_all_small ? std::optional(std::move(index)) : std::nullopt;
}

/// Whether no two iterations have the same index: each factor exceeds the largest sum of all
/// smaller terms.
bool is_injective(const Index& index, const std::vector<Surrounding>& around) {
  std::vector<std::pair<std::int64_t, std::int64_t>> terms;  // factor, extent
  std::size_t found = 0;
  for (const Surrounding& loop : around) {
    if (loop.kind != SurroundingKind::loop || loop.extent == 1) continue;
    const auto at = index.factors.find(loop.var.id());
    // A loop whose variable is not in the index writes one element repeatedly.
    if (at == index.factors.end() || at->second < 0) return false;
    terms.emplace_back(at->second, loop.extent);
  }
  // Variables of no loop here are constant.
  for (const auto& [var, factor] : index.factors) {
    found += std::ranges::any_of(around, [&, one = var](const Surrounding& loop) {
      return loop.kind == SurroundingKind::loop && loop.var.id() == one;
    });
  }
  if (found != index.factors.size()) return false;
  // Like the digits of a number: the sum of all smaller digits is less than the next factor.
  std::ranges::sort(terms);
  std::int64_t reach = 0;
  for (const auto& [factor, extent] : terms) {
    if (factor <= reach || !is_small(factor * (extent - 1) + reach)) return false;
    reach += factor * (extent - 1);
  }
  return true;
}

/// The index of an access, counted from the beginning of its memory; undefined if there is none.
Node place_of(Node access) {
  const Node buffer = graph::buffer_of(access);
  const Node begin = buffer ? buffer[f::Buffer::elem_offset] : Node();
  const bool begins_with_memory = !begin || graph::integer_of(begin) == 0;
  return begins_with_memory ? graph::index_of(access) : Node();
}

/// 0 for a vector.
std::size_t bytes_of_one(Node access) {
  const tir::DType dtype = graph::dtype_of(access);
  return dtype.lanes == 1 ? static_cast<std::size_t>(dtype.element_bytes()) : 0;
}

}  // namespace

/// Leaves out a result that the statement also reads or stores elsewhere, such as a sum: it may
/// still need the element that it overwrote.
std::vector<InPlacePair> in_place_pairs(const KernelCode& code, std::span<const ElementUse> uses,
                                        const std::unordered_set<std::size_t>& opaque) {
  std::vector<InPlacePair> found;
  for (const ElementUse& to : uses) {
    const auto same = [&](const ElementUse& one) { return one.memory == to.memory; };
    const bool is_only_use = std::ranges::count_if(uses, same) == 1;
    if (!to.use->is_written || !is_only_use || opaque.contains(to.memory)) continue;
    const Node store = code.order[to.use->position];
    const std::size_t bytes = bytes_of_one(store);
    const Node place = place_of(store);
    const auto index = place && bytes != 0 ? affine(place) : std::nullopt;
    // Each iteration writes a different element, so no later iteration reads what this one wrote.
    if (!index || code.is_shared(to.use->position) ||
        !is_injective(*index, code.around(to.use->position))) {
      continue;
    }
    // Each element is read in the value of the store to the same element, and therefore before the
    // store. Elements of another size would have other bounds. An index with a load is not affine.
    const auto permits = [&](const ElementUse& one) {
      const std::size_t at = one.use->position;
      const bool is_part = one.use->is_read && one.use->statement == to.use->position;
      if (!is_part || code.is_in_several(at) || bytes_of_one(code.order[at]) != bytes) return false;
      const Node from = place_of(code.order[at]);
      const auto loaded = from ? affine(from) : std::nullopt;
      return loaded == index;
    };
    std::unordered_set<std::size_t> tried;
    for (const ElementUse& from : uses) {
      const std::size_t memory = from.memory;
      if (memory == to.memory || opaque.contains(memory) || !tried.insert(memory).second) continue;
      const bool is_proven = std::ranges::all_of(
          uses, [&](const ElementUse& one) { return one.memory != memory || permits(one); });
      if (is_proven) found.push_back({memory, to.memory});
    }
  }
  return found;
}

}  // namespace mlf::plan
