#include "graph/relay_shapes.h"

#include <algorithm>

namespace mlf::graph {
namespace {

bool calls_are_alike(const Topology& topology, const Topology& relay) {
  return std::equal(topology.calls.begin(), topology.calls.end(), relay.calls.begin(),
                    relay.calls.end(), [&](const Call& a, const Call& b) {
                      return topology.kernel_of(a).symbol == relay.kernel_of(b).symbol;
                    });
}

bool is_tensor(const Argument& argument) {
  return argument.direction == Direction::input || argument.direction == Direction::output;
}

void take_shape(TensorType& type, const TensorType& from) {
  if (type.dtype == from.dtype && type.bytes() && type.bytes() == from.bytes()) type = from;
}

void take_shapes_of_call(Call& call, const Call& relay) {
  auto from = relay.arguments.begin();
  for (Argument& argument : call.arguments) {
    if (!is_tensor(argument)) continue;
    if (from == relay.arguments.end() || from->direction != argument.direction) return;
    take_shape(argument.type, from->type);
    ++from;
  }
}

}  // namespace

void take_shapes_of_relay(Topology& topology, const Topology& relay) {
  if (!calls_are_alike(topology, relay)) return;
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    take_shapes_of_call(topology.calls[i], relay.calls[i]);
  }
  for (Value& value : topology.values) {
    if (!value.producer || value.producer->kind != Endpoint::Kind::call) continue;
    const Call& call = topology.calls[value.producer->step];
    take_shape(value.type, call.arguments[value.producer->argument].type);
  }
}

}  // namespace mlf::graph
