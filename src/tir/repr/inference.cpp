// Facts that the text of a function omits: its dtypes, by classes of nodes that share one dtype,
// each with the best evidence; and the extents of its buffers.
#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tir/interval.h"
#include "tir/node_queries.h"
#include "tir/repr/expressions.h"
#include "tir/text/op_table.h"

namespace mlf::tir::repr {
namespace {

using text::DtypeRule;

// Operators whose calls may have any dtype, and the usual one.
constexpr text::Meaning<DType> kConventions[] = {{"tir.reinterpret", DType::Handle()},
                                                 {"tir.tvm_struct_get", DType::Handle()},
                                                 {"tir.type_annotation", DType::Float(32)}};

constexpr DType kBFloat16 = {TypeCode::BFloat, 16, 1};

// The kinds of operators are adjacent in nodes.def.
bool is_comparison(Kind kind) {
  return kind >= Kind::EQ && kind <= Kind::GE;
}
bool is_logic(Kind kind) {
  return kind == Kind::And || kind == Kind::Or;
}
bool is_arithmetic(Kind kind) {
  return kind >= Kind::Add && kind <= Kind::Max;
}

/// A call without a result has no lanes and does not influence those of others.
std::int16_t lanes_of_dtype(DType dtype) {
  return dtype.is_void() ? std::int16_t{1} : dtype.lanes;
}

/// Union-find over the nodes of one function. The nodes of a class share one element type; the
/// class stores the best evidence for it. Lanes are not part of it: they follow from the operands.
class DTypeInference {
 public:
  /// Nodes from `first` on are those of the function.
  DTypeInference(Context& context, std::uint32_t first)
      : context_(context), builder_(context.builder), first_(first) {
    classes_.resize(builder_.size() - first);
    for (std::uint32_t i = 0; i < classes_.size(); ++i) classes_[i].parent = i;
    is_implied_.resize(classes_.size());
    for (const NodeId id : context.definitions.implied) is_implied_[index(id) - first] = true;
    is_block_allocated_.resize(classes_.size());
    for (const BufferDraft& draft : context.buffers.drafts()) {
      is_block_allocated_[index(draft.node) - first] = draft.is_of_block;
    }
  }

  /// Collects evidence from all nodes; then assigns dtypes, children before parents.
  void run() {
    const auto last = first_ + static_cast<std::uint32_t>(classes_.size());
    for (std::uint32_t id = first_; id < last; ++id) {
      if (!is_implied_[id - first_]) visit(builder_.node(static_cast<NodeId>(id)));
    }
    for (std::uint32_t id = first_; id < last; ++id) assign(static_cast<NodeId>(id));
    for (const BufferDraft& draft : context_.buffers.drafts()) {
      settle_data(builder_.node(draft.node));
    }
  }

 private:
  /// How certain a dtype is. The most certain one applies to the class.
  enum class Evidence : std::uint8_t {
    none,        ///< handed on only: a pointer
    operand,     ///< of arithmetic: int32
    element,     ///< of a buffer: float32
    convention,  ///< what calls of this kind have
    width,       ///< of a constant: float16, as which bfloat16 is printed too
    allocation,  ///< of what a buffer lies in
    position,    ///< an index, extent or count: int32
    rule,        ///< no other one is possible
    printed,
  };
  struct Class {
    std::uint32_t parent;
    DType dtype = DType::Handle();
    Evidence evidence = Evidence::none;
  };

  /// Uses path halving, to keep long chains of sums cheap.
  std::uint32_t find(NodeId id) {
    std::uint32_t at = index(id) - first_;
    while (classes_[at].parent != at) {
      classes_[at].parent = classes_[classes_[at].parent].parent;
      at = classes_[at].parent;
    }
    return at;
  }

  /// The class with the better evidence keeps its dtype. Ignores nodes of other functions.
  void unite(Node a, Node b) {
    if (!a || !b || !is_own(a.id()) || !is_own(b.id())) return;
    std::uint32_t to = find(a.id());
    std::uint32_t from = find(b.id());
    if (to == from) return;
    if (classes_[from].evidence > classes_[to].evidence) std::swap(to, from);
    classes_[from].parent = to;
  }

  /// Among equal evidence the first applies.
  void note(Node node, DType dtype, Evidence evidence) {
    if (!node || !is_own(node.id())) return;
    Class& known = classes_[find(node.id())];
    if (known.evidence >= evidence) return;
    known.dtype = dtype.is_void() ? dtype : dtype.element();
    known.evidence = evidence;
  }

  void note_all(const NodeList& nodes, DType dtype, Evidence evidence) {
    for (const Node node : nodes) note(node, dtype, evidence);
  }

  void unite_all(const NodeList& a, const NodeList& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) unite(a[i], b[i]);
  }

  /// Takes what an expression states about itself and its operands.
  void visit(Node node) {
    if (node.category() == Category::stmt) return visit_statement(node);
    if (!is_expr(node.category())) return visit_part(node);
    switch (node.kind()) {
      case Kind::FloatImm:
        return note(node, node.dtype(),
                    node.dtype() == DType::Float(16) ? Evidence::width : Evidence::printed);
      case Kind::IntImm:
      case Kind::StringImm:
      case Kind::Cast:
        return note(node, node.dtype(), Evidence::printed);
      case Kind::Var:
        if (node[f::Var::type_annotation].is(Kind::PointerType)) {
          note(node, DType::Handle(), Evidence::printed);
        }
        return;
      case Kind::BufferLoad:
        note_all(node.list(f::BufferLoad::indices), DType::Int(32), Evidence::position);
        return unite(node, node[f::BufferLoad::buffer]);
      case Kind::Load:
        note(node[f::Load::buffer_var], DType::Handle(), Evidence::rule);
        note(node[f::Load::index], DType::Int(32), Evidence::position);
        note(node[f::Load::predicate], DType::Bool(), Evidence::rule);
        return note(node, DType::Float(32), Evidence::element);
      case Kind::Call:
        return visit_call(node);
      case Kind::Reduce:
        return visit_reduce(node);
      default:
        return visit_operator(node);
    }
  }

  /// Both operands of arithmetic and of comparisons have one dtype: TVM's constructors ensure that.
  void visit_operator(Node node) {
    if (is_arithmetic(node.kind()) || is_comparison(node.kind())) {
      const Node a = node[f::Add::a];
      unite(a, node[f::Add::b]);
      note(a, DType::Int(32), Evidence::operand);
      return is_comparison(node.kind()) ? note(node, DType::Bool(), Evidence::rule)
                                        : unite(node, a);
    }
    if (is_logic(node.kind())) {
      for (const Node part : {node, node[f::And::a], node[f::And::b]}) {
        note(part, DType::Bool(), Evidence::rule);
      }
      return;
    }
    switch (node.kind()) {
      case Kind::Not:
        note(node, DType::Bool(), Evidence::rule);
        return note(node[f::Not::a], DType::Bool(), Evidence::rule);
      case Kind::Select:
        note(node[f::Select::condition], DType::Bool(), Evidence::rule);
        unite(node, node[f::Select::true_value]);
        return unite(node, node[f::Select::false_value]);
      case Kind::Ramp:
        unite(node, node[f::Ramp::base]);
        return unite(node, node[f::Ramp::stride]);
      case Kind::Broadcast:
        return unite(node, node[f::Broadcast::value]);
      case Kind::Let:
        unite(node[f::Let::var], node[f::Let::value]);
        return unite(node, node[f::Let::body]);
      case Kind::Shuffle:
        for (const Node vector : node.list(f::Shuffle::vectors)) unite(node, vector);
        return note_all(node.list(f::Shuffle::indices), DType::Int(32), Evidence::position);
      case Kind::Any:
        return note(node, DType::Int(32), Evidence::position);
      default:
        return;
    }
  }

  /// Applies the rules of text/op_table.def. If only a printed dtype could determine that of an
  /// operator, assumes the usual dtype of its calls.
  void visit_call(Node call) {
    const NodeList arguments = call.list(f::Call::args);
    const Node callee = call[f::Call::op];
    if (!callee.is(Kind::Op)) return note(call, DType::Int(32), Evidence::convention);
    const std::string_view name = callee.text(f::Op::name);
    const text::OpInfo* const known = text::find_op(name);
    const DtypeRule rule = known == nullptr ? DtypeRule::printed : known->rule;
    if (name == "tir.if_then_else" && arguments.size() == 3) {
      note(arguments[0], DType::Bool(), Evidence::rule);
      unite(arguments[1], arguments[2]);
    }
    switch (rule) {
      case DtypeRule::argument_0:
        return arguments.empty() ? void() : unite(call, arguments[0]);
      case DtypeRule::argument_1:
        return arguments.size() < 2 ? void() : unite(call, arguments[1]);
      case DtypeRule::last_argument:
        return arguments.empty() ? void() : unite(call, arguments[arguments.size() - 1]);
      case DtypeRule::printed: {
        const DType* const known_dtype = text::meaning_of(kConventions, name);
        return note(call, known_dtype != nullptr ? *known_dtype : DType::Int(32),
                    Evidence::convention);
      }
      default: {
        const DType scalar = DType::Int(32);
        return note(call, *text::infer_dtype(rule, std::span(&scalar, 1)), Evidence::rule);
      }
    }
  }

  /// The Reduce has the value at value_index.
  void visit_reduce(Node reduce) {
    const NodeList sources = reduce.list(f::Reduce::source);
    const auto place = static_cast<std::size_t>(reduce.integer(f::Reduce::value_index));
    unite(reduce, sources[place]);
    unite_all(sources, reduce[f::Reduce::combiner].list(f::CommReducer::identity_element));
    unite_all(sources, reduce.list(f::Reduce::init));
    note(reduce[f::Reduce::condition], DType::Bool(), Evidence::rule);
  }

  /// Parts of expressions that are not expressions.
  void visit_part(Node node) {
    switch (node.kind()) {
      case Kind::Buffer:
        return visit_buffer(node);
      case Kind::Range:
        note(node[f::Range::min], DType::Int(32), Evidence::position);
        return unite(node[f::Range::min], node[f::Range::extent]);
      case Kind::IterVar:
        note(node[f::IterVar::var], DType::Int(32), Evidence::position);
        if (const Node domain = node[f::IterVar::dom]) {
          unite(node[f::IterVar::var], domain[f::Range::min]);
        }
        return;
      case Kind::CommReducer:
        unite_all(node.list(f::CommReducer::lhs), node.list(f::CommReducer::rhs));
        unite_all(node.list(f::CommReducer::lhs), node.list(f::CommReducer::result));
        return unite_all(node.list(f::CommReducer::lhs),
                         node.list(f::CommReducer::identity_element));
      default:
        return;
    }
  }

  /// A buffer in an allocation has the allocation's dtype, unless a block states another one.
  void visit_buffer(Node buffer) {
    const Node data = buffer[f::Buffer::data];
    note(data, DType::Handle(), Evidence::convention);
    note(buffer, DType::Float(32), Evidence::element);
    if (is_block_allocated_[index(buffer.id()) - first_]) {
      return note(buffer, buffer.dtype(f::Buffer::dtype), Evidence::printed);
    }
    if (!context_.definitions.extents.contains(index(data.id()))) return;
    const Node element = data[f::Var::type_annotation][f::PointerType::element_type];
    note(buffer, element.dtype(f::PrimType::dtype), Evidence::allocation);
  }

  /// Conditions are boolean; indices, extents and loop variables are usually int32. The value and
  /// the buffer of a store share one dtype.
  void visit_statement(Node statement) {
    switch (statement.kind()) {
      case Kind::LetStmt:
        return unite(statement[f::LetStmt::var], statement[f::LetStmt::value]);
      case Kind::AssertStmt:
        return note(statement[f::AssertStmt::condition], DType::Bool(), Evidence::rule);
      case Kind::Store:
        note(statement[f::Store::buffer_var], DType::Handle(), Evidence::rule);
        note(statement[f::Store::predicate], DType::Bool(), Evidence::rule);
        return note(statement[f::Store::index], DType::Int(32), Evidence::position);
      case Kind::BufferStore:
        note_all(statement.list(f::BufferStore::indices), DType::Int(32), Evidence::position);
        return unite(statement[f::BufferStore::buffer], statement[f::BufferStore::value]);
      case Kind::Allocate:
        note(statement[f::Allocate::condition], DType::Bool(), Evidence::rule);
        return note_all(statement.list(f::Allocate::extents), DType::Int(32), Evidence::position);
      case Kind::For:
        note(statement[f::For::loop_var], DType::Int(32), Evidence::position);
        unite(statement[f::For::loop_var], statement[f::For::min]);
        return unite(statement[f::For::loop_var], statement[f::For::extent]);
      case Kind::While:
        return note(statement[f::While::condition], DType::Bool(), Evidence::rule);
      case Kind::IfThenElse:
        return note(statement[f::IfThenElse::condition], DType::Bool(), Evidence::rule);
      case Kind::BlockRealize:
        return visit_block(statement);
      case Kind::Evaluate: {
        const Node value = statement[f::Evaluate::value];
        const bool is_own_function = value.is(Kind::Call) && !value[f::Call::op].is(Kind::Op);
        return is_own_function ? note(value, DType::Void(), Evidence::rule) : void();
      }
      default:
        return;
    }
  }

  /// A variable of a block has the dtype of the value bound to it.
  void visit_block(Node realize) {
    note(realize[f::BlockRealize::predicate], DType::Bool(), Evidence::rule);
    const NodeList iter_vars = realize[f::BlockRealize::block].list(f::Block::iter_vars);
    const NodeList values = realize.list(f::BlockRealize::iter_values);
    for (std::size_t i = 0; i < std::min(iter_vars.size(), values.size()); ++i) {
      unite(iter_vars[i][f::IterVar::var], values[i]);
    }
  }

  /// Children come before parents, so the lanes of operands are known.
  void assign(NodeId id) {
    const Node node = builder_.node(id);
    const DType element = classes_[find(id)].dtype;
    if (node.is(Kind::Buffer)) {
      const DType printed = node.dtype(f::Buffer::dtype);
      if (element != printed.element()) builder_.set(id, f::Buffer::dtype, element);
      return;
    }
    if (!is_expr(node.category()) || node.is(Kind::Cast)) return;
    if (node.is(Kind::IntImm) && classes_[find(id)].evidence == Evidence::printed &&
        node.dtype() != element) {
      // A literal keeps its own dtype, regardless of the other operand; an implied one has none.
      if (!is_implied_[index(id) - first_]) return;
    }
    if (node.is(Kind::FloatImm)) {
      const bool is_brain_float = node.dtype() == DType::Float(16) && element == kBFloat16;
      return is_brain_float ? builder_.set(id, f::FloatImm::dtype, element) : void();
    }
    if (node.is(Kind::StringImm)) return;
    const DType dtype = element.is_void() ? element : element.with_lanes(lanes_of(node));
    if (is_var(node)) return set_type(node, dtype);
    builder_.set(id, 0, dtype);
  }

  /// The lanes that TVM's constructors would set; those of the operands are known already.
  std::int16_t lanes_of(Node expr) const {
    const auto wider = [](Node a, Node b) {
      const std::int16_t lanes = lanes_of_dtype(a.dtype());
      return lanes == 1 ? lanes_of_dtype(b.dtype()) : lanes;
    };
    if (is_binary(expr.kind())) return wider(expr[f::Add::a], expr[f::Add::b]);
    switch (expr.kind()) {
      case Kind::Not:
        return lanes_of_dtype(expr[f::Not::a].dtype());
      case Kind::Select:
        return wider(expr[f::Select::true_value], expr[f::Select::condition]);
      case Kind::Let:
        return lanes_of_dtype(expr[f::Let::body].dtype());
      case Kind::Call:
        return lanes_of_call(expr);
      case Kind::Var:
      case Kind::SizeVar: {
        const auto bound = context_.definitions.values.find(index(expr.id()));
        if (bound == context_.definitions.values.end()) return 1;
        return lanes_of_dtype(builder_.node(bound->second).dtype());
      }
      default:
        return lanes_of_dtype(expr.dtype());
    }
  }

  /// The lanes by the rule of the operator, from arguments whose lanes are known.
  std::int16_t lanes_of_call(Node call) const {
    const text::OpInfo* const known = call[f::Call::op].is(Kind::Op)
                                          ? text::find_op(call[f::Call::op].text(f::Op::name))
                                          : nullptr;
    if (known == nullptr) return 1;
    const auto dtype = text::infer_dtype(known->rule, call.list(f::Call::args));
    return dtype ? lanes_of_dtype(*dtype) : std::int16_t{1};
  }

  /// The dtype of a variable is also part of its type, and the two must agree.
  void set_type(Node var, DType dtype) {
    const NodeId id = var.id();
    if (var[f::Var::type_annotation].is(Kind::PointerType) && dtype.is_handle()) return;
    builder_.set(id, f::Var::dtype, dtype);
    builder_.set(id, f::Var::type_annotation, context_.make.prim_type(dtype));
  }

  /// The pointer of a buffer points to the buffer's dtype, unless an allocation states another one.
  void settle_data(Node buffer) {
    const Node data = buffer[f::Buffer::data];
    if (context_.definitions.extents.contains(index(data.id()))) return;
    const NodeId id = buffer.id();
    const NodeId type = context_.make.pointer_to(buffer.dtype(f::Buffer::dtype), "global");
    if (data.dtype().is_handle()) return builder_.set(data.id(), f::Var::type_annotation, type);
    const std::string name(buffer.text(f::Buffer::name));
    builder_.set(id, f::Buffer::data, context_.make.var(name, type));
  }

  bool is_own(NodeId id) const { return index(id) >= first_; }

  Context& context_;
  Builder& builder_;
  std::uint32_t first_;
  std::vector<Class> classes_;
  std::vector<bool> is_implied_;          // numbers that the text implies
  std::vector<bool> is_block_allocated_;  // buffers whose dtype is printed
};

}  // namespace

void infer_dtypes(Context& c, std::uint32_t first) {
  DTypeInference(c, first).run();
}

// --- Extents of buffers, from the ranges of their indices ----------------------------------------

namespace {

/// Keeps a range for each expression whose value the text bounds, and the largest index of each
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
  /// Children come before parents, and the bounds of a loop before its variable.
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

  /// Returns nullopt if the text does not bound the value: a parameter, a load, a call.
  std::optional<Interval> range_of(Node expr) const {
    const auto known = [&](Node part) -> std::optional<Interval> {
      if (!part || index(part.id()) < first_) return std::nullopt;
      return ranges_[index(part.id()) - first_];
    };
    switch (expr.kind()) {
      case Kind::IntImm:
        return value_of_literal(expr);
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

  /// The range of the value that a let binds, or of the values of a loop variable.
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

  /// The stride may be negative; then the first lane is the highest.
  std::optional<Interval> range_of_ramp(Node ramp) const {
    const auto base = ranges_[index(ramp[f::Ramp::base].id()) - first_];
    const auto stride = ranges_[index(ramp[f::Ramp::stride].id()) - first_];
    if (!base || !stride) return std::nullopt;
    const std::int64_t steps = std::abs(ramp.dtype().lanes) - 1;
    return Interval{base->low + std::min<std::int64_t>(0, stride->low * steps),
                    base->high + std::max<std::int64_t>(0, stride->high * steps)};
  }

  /// An index without bounds gives no information; the other dimensions still do.
  void access(Node buffer, const NodeList& indices) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto range = ranges_[index(indices[i].id()) - first_];
      if (range) reach(buffer, i, range->high);
    }
  }

  /// A region includes its last element, whether or not the block touches it.
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

  /// A dimension has at least one element.
  void reach(Node buffer, std::size_t dimension, std::int64_t last) {
    std::vector<std::int64_t>& extents = extents_[index(buffer.id())];
    if (extents.size() <= dimension) extents.resize(dimension + 1, 1);
    extents[dimension] = std::max(extents[dimension], last + 1);
  }

  /// The extents of its allocation if they fit, else those that the accesses reach.
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
    for (const std::int64_t extent : extents) shape.push_back(context_.make.integer(extent));
    return shape;
  }

  /// The extents of an allocation, or their product if its buffer is flat; empty if they belong to
  /// a buffer of another shape.
  std::vector<NodeId> allocated_shape(const std::vector<NodeId>& extents, std::size_t dimensions) {
    if (extents.size() == dimensions) return extents;
    const auto counts = text::constant_shape(builder_, extents);
    if (dimensions != 1 || !counts) return {};
    std::int64_t product = 1;
    for (const std::int64_t count : *counts) {
      if (count < 0 || __builtin_mul_overflow(product, count, &product)) return {};
    }
    return {context_.make.integer(product)};
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
