#include "tir/text/lost_constants.h"

namespace mlf::tir::text {

NodeId LostConstants::find(ConstantQuery query, std::string_view detail) {
  query.function = losses_.function();
  const auto found = finder_ ? finder_(query) : std::nullopt;
  if (!found) {
    losses_.add(LossCode::constant_data, detail);
    return NodeId::none;
  }
  const BytesId data = builder_.bytes({found->data.begin(), found->data.end()});
  const NodeId array =
      builder_.make(Kind::NDArray, {query.dtype, builder_.integers(query.shape), data});
  found_.push_back({array, found->source});
  return array;
}

std::optional<std::vector<std::int64_t>> constant_shape(const Builder& builder,
                                                        const std::vector<NodeId>& extents) {
  std::vector<std::int64_t> shape;
  for (const NodeId extent : extents) {
    const Node node = builder.node(extent);
    if (!node.is(Kind::IntImm) || node.integer(f::IntImm::value) < 0) return std::nullopt;
    shape.push_back(node.integer(f::IntImm::value));
  }
  return shape;
}

}  // namespace mlf::tir::text
