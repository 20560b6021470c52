#include "graph/overlaps.h"

#include <algorithm>
#include <map>

#include "graph/lifetimes.h"

namespace mlf::graph {
namespace {

/// A value in a pool and when it is in use.
struct PlacedValue {
  ValueId value;
  PoolId pool;
  std::uint64_t begin;
  std::uint64_t end;
  std::int64_t from;
  std::int64_t to;
};

std::vector<PlacedValue> placed_values_of(const Topology& topology) {
  const Lifetimes lifetimes(topology);
  std::vector<PlacedValue> placed_values;
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const Value& value = topology[id];
    const Storage& storage = topology[value.storage];
    if (!storage.pool || !storage.offset || !value.bytes || *value.bytes == 0) continue;
    const Lifetime life = lifetimes.of(id);
    placed_values.push_back(
        {id, *storage.pool, *storage.offset, *storage.offset + *value.bytes, life.from, life.to});
  }
  return placed_values;
}

/// The living placed_values of one pool, by where they begin. None of them overlap.
using Occupied = std::map<std::uint64_t, const PlacedValue*>;

const PlacedValue* overlapping(const Occupied& occupied, const PlacedValue& placed) {
  auto next = occupied.lower_bound(placed.begin);
  if (next != occupied.end() && next->first < placed.end) return next->second;
  if (next == occupied.begin()) return nullptr;
  --next;
  return next->second->end > placed.begin ? next->second : nullptr;
}

}  // namespace

void check_overlaps(Topology& topology) {
  const std::vector<PlacedValue> placed_values = placed_values_of(topology);
  std::vector<const PlacedValue*> by_start;
  for (const PlacedValue& placed : placed_values) by_start.push_back(&placed);
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const PlacedValue* a, const PlacedValue* b) { return a->from < b->from; });
  std::multimap<std::int64_t, const PlacedValue*> leaving;
  std::map<PoolId, Occupied> pools;
  for (const PlacedValue* placed : by_start) {
    // Who is read for the last time by the call that defines this one may give way to it.
    for (auto at = leaving.begin(); at != leaving.end() && at->first <= placed->from;) {
      const PlacedValue* gone = at->second;
      const bool is_sibling = gone->from == placed->from;
      if (!is_sibling) pools[gone->pool].erase(gone->begin);
      at = is_sibling ? std::next(at) : leaving.erase(at);
    }
    Occupied& occupied = pools[placed->pool];
    const PlacedValue* other = overlapping(occupied, *placed);
    if (other != nullptr) {
      topology.checks.push_back({CheckCode::storage_overlap,
                                 "'" + topology[placed->value].name + "' is put over '" +
                                     topology[other->value].name + "', which is still in use",
                                 {},
                                 placed->value});
      continue;
    }
    occupied.emplace(placed->begin, placed);
    leaving.emplace(placed->to, placed);
  }
}

}  // namespace mlf::graph
