#include "graph/lifetimes.h"

namespace mlf::graph {

Lifetimes::Lifetimes(const Topology& topology)
    : topology_(topology), returned_(topology.values.size()) {
  for (const Port& port : topology.outputs) {
    if (port.value) returned_[index(*port.value)] = true;
  }
}

Lifetime Lifetimes::of(ValueId id) const {
  const Value& value = topology_[id];
  if (value.kind == ValueKind::constant) return {};
  Lifetime life;
  if (value.first_definition) life.from = *value.first_definition;
  if (!returned_[index(id)]) life.to = value.last_use ? std::int64_t{*value.last_use} : life.from;
  return life;
}

}  // namespace mlf::graph
