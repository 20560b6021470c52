// The extents of buffers, from the ranges of their indices.
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tir/interval.h"
#include "tir/repr/expressions.h"

namespace mlf::tir::repr {
namespace {

// Far above any index, and far below what sums of such numbers could overflow.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

/// One range for each expression whose value the text bounds, and the largest index for each
/// dimension.
class ShapeInference {
 public:
  /// Nodes from `first` on are those of the function.
  ShapeInference(Context& context, std::uint32_t first)
      : context_(context), builder_(context.builder), first_(first) {
    ranges_.resize(builder_.size() - first);
  }

  void run() {
    const auto last = first_ + static_cast<std::uint32_t>(ranges_.size());
    for (std::uint32_t id = first_; id < last; ++id) visit(static_cast<NodeId>(id));
    for (const BufferDraft& draft : context_.buffers.drafts()) {
      if (!draft.is_of_block) {
        builder_.set(draft.node, f::Buffer::shape, builder_.list(shape_of(draft)));
      }
    }
  }

 private:
  /// Parts come before their wholes, and the bounds of a loop before its variable.
  void visit(NodeId id) {
    const Node node = builder_.node(id);
    if (is_expr(node.category())) ranges_[index(id) - first_] = range_of(node);
    switch (node.kind()) {
      case Kind::BufferLoad:
        return access(node[f::BufferLoad::buffer], node.list(f::BufferLoad::indices));
      case Kind::BufferStore:
        return access(node[f::BufferStore::buffer], node.list(f::BufferStore::indices));
      case Kind::BufferRegion:
        return region(node);
      default:
        return;
    }
  }

  /// Nothing where the text does not bound the value: a parameter, a load, a call.
  std::optional<Interval> range_of(Node expr) const {
    const auto known = [&](Node part) -> std::optional<Interval> {
      if (!part || index(part.id()) < first_) return std::nullopt;
      return ranges_[index(part.id()) - first_];
    };
    switch (expr.kind()) {
      case Kind::IntImm: {
        const std::int64_t value = expr.integer(f::IntImm::value);
        if (value <= -kLargest || value >= kLargest) return std::nullopt;
        return Interval{value, value};
      }
      case Kind::Var:
      case Kind::SizeVar:
        return range_of_var(expr);
      case Kind::Cast:
        return expr.dtype().is_float() ? std::nullopt : known(expr[f::Cast::value]);
      case Kind::Ramp:
        return range_of_ramp(expr);
      default:
        break;
    }
    if (!is_binary(expr.kind())) return std::nullopt;
    const auto a = known(expr[f::Add::a]);
    const auto b = known(expr[f::Add::b]);
    return a && b ? combine(expr.kind(), *a, *b) : std::nullopt;
  }

  /// What a let binds, or the values that a loop counts.
  std::optional<Interval> range_of_var(Node var) const {
    const auto& [values, domains, extents, implied] = context_.definitions;
    if (const auto value = values.find(index(var.id())); value != values.end()) {
      return ranges_[index(value->second) - first_];
    }
    const auto domain = domains.find(index(var.id()));
    if (domain == domains.end()) return std::nullopt;
    const auto first = ranges_[index(domain->second.first) - first_];
    const auto count = ranges_[index(domain->second.second) - first_];
    if (!first || !count || count->high < 1) return std::nullopt;
    return Interval{first->low, first->high + count->high - 1};
  }

  /// The stride may be negative, and then the first lane is the highest.
  std::optional<Interval> range_of_ramp(Node ramp) const {
    const auto base = ranges_[index(ramp[f::Ramp::base].id()) - first_];
    const auto stride = ranges_[index(ramp[f::Ramp::stride].id()) - first_];
    if (!base || !stride) return std::nullopt;
    const std::int64_t steps = std::abs(ramp.dtype().lanes) - 1;
    return Interval{base->low + std::min<std::int64_t>(0, stride->low * steps),
                    base->high + std::max<std::int64_t>(0, stride->high * steps)};
  }

  /// An index without bounds says nothing; the other dimensions still do.
  void access(Node buffer, const NodeList& indices) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto range = ranges_[index(indices[i].id()) - first_];
      if (range) reach(buffer, i, range->high);
    }
  }

  /// A region reaches its last element, whether the block touches that or not.
  void region(Node region) {
    const NodeList parts = region.list(f::BufferRegion::region);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto begin = ranges_[index(parts[i][f::Range::min].id()) - first_];
      const auto extent = ranges_[index(parts[i][f::Range::extent].id()) - first_];
      if (begin && extent) {
        reach(region[f::BufferRegion::buffer], i, begin->high + extent->high - 1);
      }
    }
  }

  /// A dimension has one element at least.
  void reach(Node buffer, std::size_t dimension, std::int64_t last) {
    std::vector<std::int64_t>& extents = extents_[index(buffer.id())];
    if (extents.size() <= dimension) extents.resize(dimension + 1, 1);
    extents[dimension] = std::max(extents[dimension], last + 1);
  }

  /// The extents of its allocation where they fit, else what the accesses reach.
  std::vector<NodeId> shape_of(const BufferDraft& draft) {
    const std::size_t dimensions = draft.dimensions.value_or(0);
    const Node data = builder_.node(draft.node)[f::Buffer::data];
    const auto allocated = context_.definitions.extents.find(index(data.id()));
    if (allocated != context_.definitions.extents.end()) {
      std::vector<NodeId> shape = allocated_shape(allocated->second, dimensions);
      if (shape.size() == dimensions) return shape;
    }
    std::vector<std::int64_t> extents = extents_[index(draft.node)];
    extents.resize(dimensions, 1);
    std::vector<NodeId> shape;
    for (const std::int64_t extent : extents) {
      const bool is_small = extent <= std::numeric_limits<std::int32_t>::max();
      shape.push_back(context_.make.int_imm(DType::Int(is_small ? 32 : 64), extent));
    }
    return shape;
  }

  /// The extents of an allocation, or their product where its buffer is flat; nothing where they
  /// are those of a buffer of another shape.
  std::vector<NodeId> allocated_shape(const std::vector<NodeId>& extents, std::size_t dimensions) {
    if (extents.size() == dimensions) return extents;
    const auto counts = text::constant_shape(builder_, extents);
    if (dimensions != 1 || !counts) return {};
    std::int64_t product = 1;
    for (const std::int64_t count : *counts) {
      if (count < 0 || __builtin_mul_overflow(product, count, &product)) return {};
    }
    const bool is_small = product <= std::numeric_limits<std::int32_t>::max();
    return {context_.make.int_imm(DType::Int(is_small ? 32 : 64), product)};
  }

  Context& context_;
  Builder& builder_;
  std::uint32_t first_;
  std::vector<std::optional<Interval>> ranges_;
  std::unordered_map<std::uint32_t, std::vector<std::int64_t>> extents_;  // by buffer
};

}  // namespace

void infer_shapes(Context& c, std::uint32_t first) {
  ShapeInference(c, first).run();
}

}  // namespace mlf::tir::repr
