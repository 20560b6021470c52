#include "tir/tvmscript/function.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "mlf/tir/visit.h"
#include "tir/linear_sum.h"
#include "tir/node_queries.h"

namespace mlf::tir::tvmscript {
namespace {

/// Index expressions are short: larger ones are not analysed.
constexpr std::size_t kMostTerms = 32;
/// Keeps products of factors and extents within 64 bits.
constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
/// Indices may nest, and each of them is evaluated separately.
constexpr std::size_t kMostParts = 256;

std::optional<std::int64_t> constant_of(Node node) {
  if (!node.is(Kind::IntImm)) return std::nullopt;
  const std::int64_t value = node.integer(f::IntImm::value);
  if (value > kMostElements || value < -kMostElements) return std::nullopt;
  return value;
}

/// An expression and its parts; nullopt if there are too many.
std::optional<std::vector<NodeId>> parts_of(Context& c, NodeId expr) {
  std::vector<NodeId> parts{expr};
  std::unordered_set<NodeId> seen{expr};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.size() > kMostParts) return std::nullopt;
    for_each_child(c.node(parts[i]), [&](Node child, const FieldInfo&) {
      if (is_expr(child.category()) && seen.insert(child.id()).second) parts.push_back(child.id());
    });
  }
  return parts;
}

/// The values of an index over all iterations of the loops inside of the block.
struct Interval {
  enum class State : std::uint8_t {
    bounded,
    everything,  ///< TVM knows no bound either
    unknown,     ///< TVM may know one
  };
  State state = State::unknown;
  NodeId min = NodeId::none;
  std::int64_t width = 0;        ///< max - min
  NodeId extent = NodeId::none;  ///< max - min + 1 if it is not constant
  bool was_united = false;       ///< TVM has simplified it

  bool is_bounded() const { return state == State::bounded; }
  bool is_point() const { return is_bounded() && width == 0 && extent == NodeId::none; }
};

constexpr Interval kEverything{.state = Interval::State::everything};
constexpr Interval kUnknown{};

Interval point(NodeId expr) {
  return {.state = Interval::State::bounded, .min = expr};
}

/// Evaluates indices like arith::EvalSet.
class Evaluation {
 public:
  explicit Evaluation(Context& c) : c_(c) {}

  /// The meaning of a variable of a loop, a let or an inner block.
  void bind(NodeId var, const Interval& values) { values_[var] = values; }
  void release(NodeId var) { values_.erase(var); }
  bool is_bound(NodeId var) const { return values_.contains(var); }
  /// A condition limits a variable more than its loop does.
  void constrain(NodeId var) { ++constrained_[var]; }
  void relieve(NodeId var) { --constrained_[var]; }

  /// Parts have lower ids than the whole, so a pass in the order of ids needs no recursion.
  Interval of(NodeId expr) {
    auto parts = parts_of(c_, expr);
    if (!parts) return kUnknown;
    std::ranges::sort(*parts);
    Results results;
    for (const NodeId part : *parts) results[part] = evaluate(part, results);
    return results[expr];
  }

  /// The `extent` values from `begin` on.
  Interval range(const Interval& begin, NodeId extent) {
    if (!begin.is_bounded()) return begin;
    Interval values = begin;
    if (const auto count = constant_of(c_.node(extent))) {
      if (*count < 1) return kUnknown;
      values.width += *count - 1;
      return within_bounds(values);
    }
    if (!begin.is_point()) return kUnknown;
    const Interval bound = of(extent);
    if (!bound.is_point()) return kUnknown;
    values.extent = bound.min;
    return values;
  }

  Interval sum(const Interval& a, const Interval& b) {
    if (!a.is_bounded() || !b.is_bounded()) return open(a, b);
    const bool is_symbolic = a.extent != NodeId::none || b.extent != NodeId::none;
    if (is_symbolic && !a.is_point() && !b.is_point()) return kUnknown;
    Interval result = a.extent != NodeId::none ? a : b;
    result.min = folded_binary(c_, Kind::Add, a.min, b.min);
    result.width = is_symbolic ? 0 : a.width + b.width;
    return within_bounds(result);
  }

  Interval unite(const Interval& a, const Interval& b) {
    if (!a.is_bounded() || !b.is_bounded()) return open(a, b);
    const auto distance = distance_of(a.min, b.min);
    const bool is_symbolic = a.extent != NodeId::none || b.extent != NodeId::none;
    if (!distance || (is_symbolic && (*distance != 0 || !same_extent(a, b)))) return kUnknown;
    Interval result = *distance < 0 ? b : a;
    result.width = std::max(a.width, b.width + *distance) - std::min<std::int64_t>(*distance, 0);
    result.was_united = true;
    return within_bounds(result);
  }

  /// Whether `min` has the form that arith::Analyzer gives it: terms by falling factors, then the
  /// constant.
  bool is_simplified(NodeId min) const {
    Node rest = c_.node(min);
    if (rest.is(Kind::IntImm)) return constant_of(rest).has_value();
    if (rest.is(Kind::Add) && constant_of(rest[f::Add::b]).value_or(0) != 0) {
      rest = rest[f::Add::a];
    }
    // From the last term to the first one.
    std::unordered_set<NodeId> seen;
    for (std::int64_t last = 1; seen.size() < kMostTerms; rest = rest[f::Add::a]) {
      const Node term = rest.is(Kind::Add) ? rest[f::Add::b] : rest;
      const bool is_multiple = term.is(Kind::Mul);
      const std::int64_t factor =
          is_multiple ? constant_of(term[f::Mul::b]).value_or(0) : std::int64_t{1};
      const Node var = is_multiple ? term[f::Mul::a] : term;
      const bool is_one = is_multiple && factor == 1;
      if (!is_var(var) || is_one || factor < last || !seen.insert(var.id()).second) return false;
      last = factor;
      if (!rest.is(Kind::Add)) return true;
    }
    return false;
  }

 private:
  using Results = std::unordered_map<NodeId, Interval>;

  /// Wider than any buffer: sums could leave 64 bits.
  static Interval within_bounds(const Interval& values) {
    return values.width > kMostElements ? kUnknown : values;
  }

  static Interval open(const Interval& a, const Interval& b) {
    const bool is_known =
        a.state != Interval::State::unknown && b.state != Interval::State::unknown;
    return is_known ? kEverything : kUnknown;
  }

  bool same_extent(const Interval& a, const Interval& b) {
    const bool both = a.extent != NodeId::none && b.extent != NodeId::none;
    return both && c_.make.same_expr(a.extent, b.extent);
  }

  /// Returns `to` - `from` if it is a number.
  std::optional<std::int64_t> distance_of(NodeId from, NodeId to) const {
    LinearSum<NodeId> difference;
    const auto add_term = [&](Node part, std::int64_t factor) {
      const auto same = std::ranges::find_if(difference.factors, [&](const auto& known) {
        return c_.make.same_expr(known.first, part.id());
      });
      const NodeId term = same == difference.factors.end() ? part.id() : same->first;
      return difference.add_term(term, factor);
    };
    const auto add = [&](NodeId expr, std::int64_t times) {
      return add_parts(
          c_.node(expr), times, kMostTerms, difference, [](Node part) { return part; }, add_term);
    };
    const bool is_number = add(from, -1) && add(to, 1) && difference.is_constant() &&
                           std::abs(difference.constant) <= kMostElements;
    return is_number ? std::optional(difference.constant) : std::nullopt;
  }

  Interval evaluate(NodeId id, const Results& results) {
    const Node node = c_.node(id);
    switch (node.kind()) {
      case Kind::Var:
      case Kind::SizeVar:
        return variable(id);
      case Kind::Add:
      case Kind::Sub:
      case Kind::Mul:
        return arithmetic(node, results);
      case Kind::Ramp:
        return ramp(node, results);
      case Kind::Broadcast:
        return results.at(node[f::Broadcast::value].id());
      case Kind::Call:
        return kEverything;
      default:
        return other(node, results);
    }
  }

  Interval variable(NodeId id) const {
    const auto bound = values_.find(id);
    if (bound == values_.end()) return point(id);
    const auto constrained = constrained_.find(id);
    const bool is_free = constrained == constrained_.end() || constrained->second == 0;
    return is_free || bound->second.is_point() ? bound->second : kUnknown;
  }

  Interval arithmetic(Node node, const Results& results) {
    const NodeId left = node.node(std::uint8_t{f::Add::a}).id();
    const NodeId right = node.node(std::uint8_t{f::Add::b}).id();
    const Interval a = results.at(left);
    const Interval b = results.at(right);
    const Kind kind = node.kind();
    if (a.is_point() && b.is_point()) {
      const bool is_same = a.min == left && b.min == right;
      return point(is_same ? node.id() : folded_binary(c_, kind, a.min, b.min));
    }
    if (!a.is_bounded() || !b.is_bounded()) return open(a, b);
    if (kind == Kind::Add) return sum(a, b);
    if (!b.is_point()) return kind == Kind::Mul && a.is_point() ? scaled(b, a.min) : kUnknown;
    if (kind == Kind::Mul) return scaled(a, b.min);
    Interval result = a;
    result.min = folded_binary(c_, Kind::Sub, a.min, b.min);
    return result;
  }

  Interval scaled(const Interval& values, NodeId by) {
    const auto factor = constant_of(c_.node(by));
    if (!factor || *factor < 1 || values.extent != NodeId::none) return kUnknown;
    Interval result = values;
    result.min = folded_binary(c_, Kind::Mul, values.min, by);
    result.width = values.width * *factor;
    return within_bounds(result);
  }

  Interval ramp(Node node, const Results& results) {
    const Interval& base = results.at(node[f::Ramp::base].id());
    const auto stride = constant_of(node[f::Ramp::stride]);
    const auto lanes = constant_of(node[f::Ramp::lanes]);
    if (!base.is_bounded()) return base;
    if (!stride || !lanes || *stride < 1 || base.extent != NodeId::none) return kUnknown;
    Interval result = base;
    result.width += *stride * (*lanes - 1);
    return within_bounds(result);
  }

  /// All other expressions are values of their own if nothing below them varies.
  Interval other(Node node, const Results& results) const {
    bool is_same = true;
    bool is_everything = node.is(Kind::BufferLoad) && node.dtype().is_float();
    for_each_child(node, [&](Node child, const FieldInfo&) {
      if (!is_expr(child.category())) return;
      const Interval& part = results.at(child.id());
      is_same = is_same && part.is_point() && part.min == child.id();
      is_everything = is_everything || part.state == Interval::State::everything;
    });
    if (is_everything) return kEverything;
    if (is_same) return point(node.id());
    return node.is(Kind::BufferLoad) ? kEverything : kUnknown;
  }

  Context& c_;
  std::unordered_map<NodeId, Interval> values_;
  std::unordered_map<NodeId, int> constrained_;
};

/// The regions of buffers that a block accesses, in the order of the first access.
class Accesses {
 public:
  Accesses(Context& c, Evaluation& evaluation) : c_(c), evaluation_(evaluation) {}

  void add(NodeId buffer, const std::vector<Interval>& region) {
    const auto [known, is_new] = positions_.try_emplace(buffer, entries_.size());
    if (is_new) {
      entries_.push_back({buffer, region});
      return;
    }
    std::vector<Interval>& all = entries_[known->second].region;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = i < region.size() ? evaluation_.unite(all[i], region[i]) : kUnknown;
    }
  }

  bool contains(NodeId buffer) const { return positions_.contains(buffer); }

  /// The BufferRegions, without those of the buffers in `excluded`.
  ListId regions(const Accesses* excluded) {
    std::vector<NodeId> list;
    for (const AccessedRegion& entry : entries_) {
      if (excluded != nullptr && excluded->contains(entry.buffer)) continue;
      const std::vector<NodeId> shape = ids_of(c_.node(entry.buffer).list(f::Buffer::shape));
      std::vector<NodeId> ranges;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        ranges.push_back(range(i < entry.region.size() ? entry.region[i] : kUnknown, shape[i]));
      }
      list.push_back(c_.builder.make(Kind::BufferRegion, {entry.buffer, c_.builder.list(ranges)}));
    }
    return c_.builder.list(list);
  }

 private:
  struct AccessedRegion {
    NodeId buffer;
    std::vector<Interval> region;
  };

  NodeId range(const Interval& values, NodeId extent) {
    if (values.state == Interval::State::unknown) c_.lose(LossCode::block_regions);
    if (!values.is_bounded()) return c_.builder.make(Kind::Range, {c_.make.int32(0), extent});
    const bool is_computed = values.was_united || !values.is_point();
    if (is_computed && !evaluation_.is_simplified(values.min)) c_.lose(LossCode::block_regions);
    const NodeId count = values.extent != NodeId::none
                             ? values.extent
                             : c_.make.int_imm(c_.make.dtype_of(values.min), values.width + 1);
    return c_.builder.make(Kind::Range, {values.min, count});
  }

  Context& c_;
  Evaluation& evaluation_;
  std::vector<AccessedRegion> entries_;
  std::unordered_map<NodeId, std::size_t> positions_;
};

/// Finds what a block reads and writes of buffers that are defined outside of it: a walk over its
/// body, without the blocks inside of it.
class Detector {
 public:
  Detector(Context& c, const AccessibleBuffers& buffers, const IncompleteBlock& incomplete)
      : c_(c), buffers_(buffers), incomplete_(incomplete) {
    for (const Node match : c.node(incomplete.block).list(f::Block::match_buffers)) {
      const Node target = match[f::MatchBufferRegion::buffer];
      matches_[target[f::Buffer::data].id()] = match[f::MatchBufferRegion::source].id();
    }
  }

  void complete() {
    const NodeId id = incomplete_.block;
    const Node block = c_.node(id);
    // The last one is visited first.
    push(block[f::Block::body]);
    const Node init = block[f::Block::init];
    const bool has_init = static_cast<bool>(init);
    if (has_init) push(init);
    for (const Node match : block.list(f::Block::match_buffers)) {
      for (const Node range : match[f::MatchBufferRegion::source].list(f::BufferRegion::region)) {
        push(range);
      }
    }
    while (!steps_.empty()) {
      const Visit step = steps_.back();
      steps_.pop_back();
      take(step);
    }
    if (!incomplete_.states_reads) {
      const ListId reads = reads_.regions(has_init ? &writes_ : nullptr);
      c_.builder.set(id, f::Block::reads, reads);
    }
    if (!incomplete_.states_writes) {
      c_.builder.set(id, f::Block::writes, writes_.regions(nullptr));
    }
  }

 private:
  enum class Action : std::uint8_t { visit, release, constrain, relieve };
  struct Visit {
    NodeId node;
    Action action = Action::visit;
  };

  void push(Node node) { steps_.push_back({node.id()}); }

  void take(const Visit& step) {
    switch (step.action) {
      case Action::visit:
        return visit(c_.node(step.node));
      case Action::release:
        return evaluation_.release(step.node);
      case Action::constrain:
      case Action::relieve:
        return of_condition(step);
    }
  }

  /// The loop variables in a condition.
  void of_condition(const Visit& step) {
    const auto parts = parts_of(c_, step.node);
    // Other loops keep all of their values.
    if (!parts) return c_.lose(LossCode::block_regions);
    for (const NodeId part : *parts) {
      if (!evaluation_.is_bound(part)) continue;
      step.action == Action::constrain ? evaluation_.constrain(part) : evaluation_.relieve(part);
    }
  }

  /// Takes steps from the end: the last part is pushed first.
  void visit_parts(std::initializer_list<Node> parts) {
    for (auto part = std::rbegin(parts); part != std::rend(parts); ++part) {
      if (*part) push(*part);
    }
  }

  void visit(Node node) {
    if (is_expr(node.category()) && !seen_.insert(node.id()).second) return;
    switch (node.kind()) {
      case Kind::BlockRealize:
        return visit_inner(node);
      case Kind::Block:
        return;
      case Kind::For:
        return visit_loop(node);
      case Kind::LetStmt:
        evaluation_.bind(node[f::LetStmt::var].id(), evaluation_.of(node[f::LetStmt::value].id()));
        steps_.push_back({node[f::LetStmt::var].id(), Action::release});
        return visit_parts({node[f::LetStmt::value], node[f::LetStmt::body]});
      case Kind::AttrStmt:
        return visit_parts({node[f::AttrStmt::value], node[f::AttrStmt::body]});
      case Kind::IfThenElse:
        return visit_branches(node[f::IfThenElse::condition], node[f::IfThenElse::then_case],
                              node[f::IfThenElse::else_case]);
      case Kind::BufferStore:
        add(writes_, node[f::BufferStore::buffer].id(), node.list(f::BufferStore::indices));
        return visit_children(node);
      case Kind::BufferLoad:
        add(reads_, node[f::BufferLoad::buffer].id(), node.list(f::BufferLoad::indices));
        return visit_children(node);
      case Kind::Var:
        // A pointer may be used in any way.
        return add_pointer(node.id(), 3);
      case Kind::Call:
        return visit_call(node);
      default:
        return visit_children(node);
    }
  }

  void visit_children(Node node) {
    std::vector<NodeId> children;
    for_each_child(node, [&](Node child, const FieldInfo&) {
      const bool is_visited = is_expr(child.category()) || child.category() == Category::stmt;
      if (is_visited) children.push_back(child.id());
    });
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      steps_.push_back({*child});
    }
  }

  void visit_loop(Node loop) {
    const NodeId var = loop[f::For::loop_var].id();
    const Interval min = evaluation_.of(loop[f::For::min].id());
    evaluation_.bind(var, evaluation_.range(min, loop[f::For::extent].id()));
    steps_.push_back({var, Action::release});
    visit_parts({loop[f::For::min], loop[f::For::extent], loop[f::For::body]});
  }

  /// TVM narrows the loops in a condition.
  void visit_branches(Node condition, Node then_case, Node else_case) {
    steps_.push_back({condition.id(), Action::relieve});
    visit_parts({then_case, else_case});
    steps_.push_back({condition.id(), Action::constrain});
    push(condition);
  }

  void visit_call(Node call) {
    const NodeList args = call.list(f::Call::args);
    if (is_call_of(call, "tir.if_then_else") && args.size() == 3) {
      return visit_branches(args[0], args[1], args[2]);
    }
    if (is_call_of(call, "tir.tvm_access_ptr") && args.size() == 5 && args[1].is(Kind::Var) &&
        args[4].is(Kind::IntImm)) {
      return add_pointer(args[1].id(), args[4].integer(f::IntImm::value));
    }
    visit_children(call);
  }

  /// Of an inner block, only its own reads and writes count.
  void visit_inner(Node realize) {
    const Node block = realize[f::BlockRealize::block];
    const NodeList values = realize.list(f::BlockRealize::iter_values);
    const NodeList axes = block.list(f::Block::iter_vars);
    std::vector<NodePair> bindings;
    for (std::size_t i = 0; i < axes.size() && i < values.size(); ++i) {
      bindings.push_back({axes[i][f::IterVar::var].id(), values[i].id()});
    }
    const std::vector<NodeId> reads = ids_of(block.list(f::Block::reads));
    const std::vector<NodeId> writes = ids_of(block.list(f::Block::writes));
    for (const NodePair& axis : bindings) evaluation_.bind(axis.key, evaluation_.of(axis.value));
    for (const NodeId region : reads) add_region(reads_, region);
    for (const NodeId region : writes) add_region(writes_, region);
    for (const NodePair& axis : bindings) evaluation_.release(axis.key);
  }

  void add(Accesses& accesses, NodeId buffer, NodeList indices) {
    std::vector<Interval> region;
    for (const NodeId index : ids_of(indices)) region.push_back(evaluation_.of(index));
    add(accesses, buffer, region);
  }

  void add_region(Accesses& accesses, NodeId region) {
    add(accesses, c_.node(region)[f::BufferRegion::buffer].id(), part_of(region, {}));
  }

  /// Of a region, what `part` of its last dimensions is; of the others, all.
  std::vector<Interval> part_of(NodeId region, const std::vector<Interval>& part) {
    const std::vector<NodeId> ranges = ids_of(c_.node(region).list(f::BufferRegion::region));
    const std::size_t outer = ranges.size() - std::min(ranges.size(), part.size());
    std::vector<Interval> result;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const NodeId extent = c_.node(ranges[i])[f::Range::extent].id();
      const Interval begin = evaluation_.of(c_.node(ranges[i])[f::Range::min].id());
      const bool is_inside = i >= outer && part[i - outer].is_bounded();
      result.push_back(is_inside ? evaluation_.sum(begin, part[i - outer])
                                 : evaluation_.range(begin, extent));
    }
    return result;
  }

  void add_pointer(NodeId data, std::int64_t mask) {
    const NodeId target = outside_buffer(data);
    if (target == NodeId::none) return;
    if ((mask & 1) != 0) add_whole(reads_, target);
    if ((mask & 2) != 0) add_whole(writes_, target);
    // TVM's parser asks the user to state the accesses of such a block.
    if ((mask & 3) == 3) c_.lose(LossCode::block_regions);
  }

  void add_whole(Accesses& accesses, NodeId buffer) {
    const std::size_t rank = c_.node(buffer).list(f::Buffer::shape).size();
    accesses.add(buffer, std::vector<Interval>(rank, kEverything));
  }

  /// The buffer of a pointer that is defined outside of the block, or that matches a part of one.
  NodeId outside_buffer(NodeId data) const {
    if (const auto match = matches_.find(data); match != matches_.end()) {
      data = c_.node(match->second)[f::BufferRegion::buffer][f::Buffer::data].id();
    }
    const auto known = buffers_.find(data);
    const bool is_outside =
        known != buffers_.end() && known->second.order < incomplete_.first_definition;
    return is_outside ? known->second.buffer : NodeId::none;
  }
  /// Of a matched buffer, the part of the source that corresponds to the region.
  void add(Accesses& accesses, NodeId buffer, const std::vector<Interval>& region) {
    const auto match = matches_.find(c_.node(buffer)[f::Buffer::data].id());
    const bool is_part = match != matches_.end();
    if (is_part) buffer = c_.node(match->second)[f::BufferRegion::buffer].id();
    if (outside_buffer(c_.node(buffer)[f::Buffer::data].id()) == NodeId::none) return;
    accesses.add(buffer, is_part ? part_of(match->second, region) : region);
  }

  Context& c_;
  const AccessibleBuffers& buffers_;
  const IncompleteBlock& incomplete_;
  Evaluation evaluation_{c_};
  Accesses reads_{c_, evaluation_};
  Accesses writes_{c_, evaluation_};
  std::unordered_map<NodeId, NodeId> matches_;  // sources, by data of the target
  std::unordered_set<NodeId> seen_;             // expressions
  std::vector<Visit> steps_;
};

}  // namespace

void complete_block(Context& c, const AccessibleBuffers& buffers, const IncompleteBlock& block) {
  Detector(c, buffers, block).complete();
}

}  // namespace mlf::tir::tvmscript
