// The extents of buffers, of which the text has the indices alone: as many elements as are loaded
// and stored, as far as loops with constant bounds tell.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tir/interval.h"
#include "tir/repr/context.h"

namespace mlf::tir::repr {

class ShapeInference {
 public:
  /// Nodes from `first` on are those of the function.
  ShapeInference(Context& context, std::uint32_t first);
  void run();

 private:
  void visit(NodeId id);
  std::optional<Interval> range_of(Node expr) const;
  std::optional<Interval> range_of_var(Node var) const;
  std::optional<Interval> range_of_ramp(Node ramp) const;
  void access(Node buffer, const NodeList& indices);
  void region(Node region);
  void reach(Node buffer, std::size_t dimension, std::int64_t last);
  std::vector<NodeId> shape_of(const BufferDraft& draft);
  std::vector<NodeId> allocated_shape(const std::vector<NodeId>& extents, std::size_t dimensions);

  Context& context_;
  Builder& builder_;
  std::uint32_t first_;
  std::vector<std::optional<Interval>> ranges_;
  std::unordered_map<std::uint32_t, std::vector<std::int64_t>> extents_;  // by buffer
};

}  // namespace mlf::tir::repr
