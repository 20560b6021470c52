#include "tir/text/form_arguments.h"

namespace mlf::tir::text {

NodeId make_node(ExprFactory& make, Kind kind, std::span<const FieldValue> fields) {
  const auto node = [&](std::uint8_t field) { return static_cast<NodeId>(fields[field].bits()); };
  switch (kind) {
    case Kind::Not:
      return make.logical_not(node(f::Not::a));
    case Kind::Select:
      return make.select(node(f::Select::condition), node(f::Select::true_value),
                         node(f::Select::false_value));
    case Kind::Ramp:
      return make.ramp(node(f::Ramp::base), node(f::Ramp::stride), node(f::Ramp::lanes));
    case Kind::Broadcast:
      return make.broadcast(node(f::Broadcast::value), node(f::Broadcast::lanes));
    case Kind::Let:
      return make.let(node(f::Let::var), node(f::Let::value), node(f::Let::body));
    default:
      return make.builder().make(kind, fields);
  }
}

}  // namespace mlf::tir::text
