#include "graph/overlaps.h"

#include <algorithm>
#include <map>

#include "graph/lifetimes.h"

namespace mlf::graph {
namespace {

/// A value in a pool and when it is in use.
struct Tenant {
  ValueId value;
  PoolId pool;
  std::uint64_t begin;
  std::uint64_t end;
  std::int64_t from;
  std::int64_t to;
};

std::vector<Tenant> tenants_of(const Topology& topology) {
  const Lifetimes lifetimes(topology);
  std::vector<Tenant> tenants;
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const Value& value = topology[id];
    const Storage& storage = topology[value.storage];
    if (!storage.pool || !storage.offset || !value.bytes || *value.bytes == 0) continue;
    const Lifetime life = lifetimes.of(id);
    tenants.push_back(
        {id, *storage.pool, *storage.offset, *storage.offset + *value.bytes, life.from, life.to});
  }
  return tenants;
}

/// The living tenants of one pool, by where they begin. None of them overlap.
using Occupied = std::map<std::uint64_t, const Tenant*>;

const Tenant* overlapping(const Occupied& occupied, const Tenant& tenant) {
  auto next = occupied.lower_bound(tenant.begin);
  if (next != occupied.end() && next->first < tenant.end) return next->second;
  if (next == occupied.begin()) return nullptr;
  --next;
  return next->second->end > tenant.begin ? next->second : nullptr;
}

}  // namespace

void check_overlaps(Topology& topology) {
  const std::vector<Tenant> tenants = tenants_of(topology);
  std::vector<const Tenant*> by_start;
  for (const Tenant& tenant : tenants) by_start.push_back(&tenant);
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const Tenant* a, const Tenant* b) { return a->from < b->from; });
  std::multimap<std::int64_t, const Tenant*> leaving;
  std::map<PoolId, Occupied> pools;
  for (const Tenant* tenant : by_start) {
    // Who is read for the last time by the call that defines this one may give way to it.
    for (auto at = leaving.begin(); at != leaving.end() && at->first <= tenant->from;) {
      const Tenant* gone = at->second;
      const bool is_sibling = gone->from == tenant->from;
      if (!is_sibling) pools[gone->pool].erase(gone->begin);
      at = is_sibling ? std::next(at) : leaving.erase(at);
    }
    Occupied& occupied = pools[tenant->pool];
    const Tenant* other = overlapping(occupied, *tenant);
    if (other != nullptr) {
      topology.checks.push_back({CheckCode::storage_overlap,
                                 "'" + topology[tenant->value].name + "' is put over '" +
                                     topology[other->value].name + "', which is still in use",
                                 {},
                                 tenant->value});
      continue;
    }
    occupied.emplace(tenant->begin, tenant);
    leaving.emplace(tenant->to, tenant);
  }
}

}  // namespace mlf::graph
