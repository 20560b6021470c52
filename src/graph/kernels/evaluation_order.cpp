#include "graph/kernels/evaluation_order.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "graph/kernels/iteration_domain.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "tir/ethos_u.h"

namespace mlf::graph {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

/// Collects the parts of one node.
class PartList {
 public:
  explicit PartList(std::vector<Part>& parts) : parts_(parts) {}

  /// Adds the node, if there is one.
  void add(Node node, Part part) {
    part.node = node;
    if (node) parts_.push_back(part);
  }
  void value(Node node) { add(node, {}); }
  void address(Node node) { add(node, {.is_address = true}); }
  void addresses(tir::NodeList nodes) {
    for (const Node node : nodes) address(node);
  }
  void when(Node node, When when, Node guard = {}) { add(node, {.when = when, .guard = guard}); }
  void branches(Node guard, Node then_case, Node else_case) {
    value(guard);
    when(then_case, When::guard_holds, guard);
    when(else_case, When::guard_fails, guard);
  }

 private:
  std::vector<Part>& parts_;
};

/// An address is not an access: the code only computes the indices of the element.
void add_address_of(Node element, PartList& parts) {
  if (element.is(Kind::BufferLoad)) {
    parts.addresses(element.list(f::BufferLoad::indices));
  } else if (element.is(Kind::Load)) {
    parts.address(element[f::Load::index]);
  } else {
    parts.address(element);
  }
}

void add_call(Node call, PartList& parts) {
  const std::string_view op = operator_of(call);
  const tir::NodeList args = call.list(f::Call::args);
  if (op == "if_then_else" && args.size() == 3) return parts.branches(args[0], args[1], args[2]);
  if (op == "address_of" && args.size() == 1) return add_address_of(args[0], parts);
  // Pointers, shapes and types of tensors: the code computes only offsets and sizes there.
  const bool is_address = op == "tvm_access_ptr" || op.starts_with("tvm_stack_make_");
  for (const Node arg : args) {
    if (tir::passed_pointer(call, arg) != arg) {
      add_address_of(arg, parts);
    } else {
      is_address ? parts.address(arg) : parts.value(arg);
    }
  }
}

// TVMScript's `T.where` is the predicate; the block runs if it is true.
void add_block(Node realize, PartList& parts) {
  parts.addresses(realize.list(f::BlockRealize::iter_values));
  parts.value(realize[f::BlockRealize::predicate]);
  parts.when(realize[f::BlockRealize::block], When::guard_holds,
             realize[f::BlockRealize::predicate]);
}

/// Whether `0 != 0` holds, which TVM prints for shifts of 0.
std::optional<bool> truth_of(Node condition) {
  if (!condition.is(Kind::NE) && !condition.is(Kind::EQ)) return std::nullopt;
  const auto a = integer_of(condition[f::NE::a]);
  const auto b = integer_of(condition[f::NE::b]);
  if (!a || !b) return std::nullopt;
  return condition.is(Kind::NE) == (*a != *b);
}

void add_select(Node whole, PartList& parts) {
  const Node condition = whole[f::Select::condition];
  parts.value(condition);
  if (const auto holds = truth_of(condition)) {
    return parts.value(whole[*holds ? f::Select::true_value : f::Select::false_value]);
  }
  parts.when(whole[f::Select::true_value], When::chosen, condition);
  parts.when(whole[f::Select::false_value], When::not_chosen, condition);
}

/// A field whose nodes are evaluated with the node that has it, whatever they are.
struct EvaluatedField {
  tir::FieldRef field;
  When when = When::always;
  bool is_address = false;
};

constexpr EvaluatedField address(tir::FieldRef field) {
  return {field, When::always, true};
}

/// The fields of one kind are in the order of evaluation. Literals and variables have no parts.
/// Reduce, which lowering replaces, has no known parts. The message of an assertion is a
/// description, which is not evaluated.
constexpr auto kEvaluatedFields = std::to_array<EvaluatedField>({
    address(f::Load::index),
    address(f::BufferLoad::indices),
    address(f::ProducerLoad::indices),
    {f::Let::value},
    {f::Let::body},
    {f::Cast::value},
    {f::Not::a},
    {f::Ramp::base},
    {f::Ramp::stride},
    {f::Broadcast::value},
    {f::Shuffle::vectors},
    // The code evaluates both bounds once, when it enters the loop.
    address(f::For::min),
    address(f::For::extent),
    {f::For::body, When::each_iteration},
    {f::While::condition, When::unknown_times},
    {f::While::body, When::unknown_times},
    {f::LetStmt::value},
    {f::LetStmt::body},
    {f::AssertStmt::condition},
    {f::AssertStmt::body},
    address(f::Store::index),
    {f::Store::value},
    address(f::BufferStore::indices),
    {f::BufferStore::value},
    address(f::ProducerStore::indices),
    {f::ProducerStore::value},
    {f::BufferRealize::body},
    {f::ProducerRealize::body},
    address(f::Allocate::extents),
    {f::Allocate::body},
    {f::AllocateConst::body},
    {f::DeclBuffer::body},
    {f::SeqStmt::seq},
    {f::Evaluate::value},
    {f::Block::init, When::first_iteration},
    {f::Block::body},
});

void add_fields(Node whole, PartList& parts) {
  for (const EvaluatedField& row : kEvaluatedFields) {
    if (row.field.kind() != whole.kind()) continue;
    Part part{.when = row.when, .is_address = row.is_address};
    if (whole.info().fields[row.field.position()].type == tir::FieldType::list) {
      for (const Node one : whole.list(row.field)) parts.add(one, part);
    } else {
      parts.add(whole.node(row.field), part);
    }
  }
}

}  // namespace

void evaluated_parts(Node whole, std::vector<Part>& into) {
  PartList parts(into);
  switch (whole.kind()) {
    case Kind::And:
    case Kind::Or:
      // For scalars, C and LLVM code skip the second operand if the first one determines the
      // result.
      parts.value(whole[f::And::a]);
      return parts.when(whole[f::And::b],
                        whole.is(Kind::And) ? When::guard_holds : When::guard_fails,
                        whole[f::And::a]);
    case Kind::Select:
      return add_select(whole, parts);
    case Kind::Call:
      return add_call(whole, parts);
    case Kind::IfThenElse:
      return parts.branches(whole[f::IfThenElse::condition], whole[f::IfThenElse::then_case],
                            whole[f::IfThenElse::else_case]);
    case Kind::AttrStmt:
      return parts.when(whole[f::AttrStmt::body],
                        is_thread_loop(whole) ? When::each_iteration : When::always);
    case Kind::BlockRealize:
      return add_block(whole, parts);
    default:
      if (!tir::is_binary(whole.kind())) return add_fields(whole, parts);
      parts.value(whole[f::Add::a]);
      parts.value(whole[f::Add::b]);
  }
}

// --- The order -----------------------------------------------------------------------------------

// Post order with the last part first, then reversed: a part that several nodes share comes after
// all of them. Uses an explicit stack, because the input determines the nesting.
EvaluationOrder::EvaluationOrder(tir::Node body) {
  struct OpenNode {
    tir::Node node;
    std::size_t first_part = 0;  // in `parts`
    bool is_left = false;
  };
  tir::NodeSet seen(body.module());
  std::vector<OpenNode> stack{{body}};
  std::vector<OpenNode> left;
  std::vector<Part> parts;
  while (!stack.empty()) {
    const std::size_t top = stack.size() - 1;
    if (stack[top].is_left) {
      left.push_back(stack[top]);
      stack.pop_back();
      continue;
    }
    if (!seen.insert(stack[top].node.id())) {
      stack.pop_back();
      continue;
    }
    const std::size_t first = parts.size();
    evaluated_parts(stack[top].node, parts);
    stack[top].first_part = first;
    stack[top].is_left = true;
    // Marks the end: the parts of a node are not known by their number.
    parts.push_back({});
    for (std::size_t i = first; parts[i].node; ++i) {
      if (!seen.contains(parts[i].node.id())) stack.push_back({parts[i].node});
    }
  }
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    positions_.emplace_back(left[left.size() - 1 - i].node.id(), i);
  }
  std::ranges::sort(positions_);
  for (auto one = left.rbegin(); one != left.rend(); ++one) {
    nodes_.push_back(one->node);
    first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
    for (std::size_t i = one->first_part; parts[i].node; ++i) {
      parts_.push_back(parts[i]);
      parts_.back().position = static_cast<std::uint32_t>(position_of(parts[i].node));
    }
  }
  first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
}

EvaluationOrder::Positions::const_iterator EvaluationOrder::find(tir::Node node) const {
  const auto at = std::ranges::lower_bound(positions_, node.id(), {},
                                           [](const auto& one) { return one.first; });
  return at != positions_.end() && at->first == node.id() ? at : positions_.end();
}

Bindings bindings_of(const EvaluationOrder& order) {
  Bindings bindings;
  const auto bind = [&](Node variable, Node value) {
    bindings.emplace(tir::index(variable.id()), value);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node node = order[i];
    if (const auto let = let_of(node)) bind(let->var, let->value);
    // A block of an unknown kind is an opaque statement.
    const Node block = node.is(Kind::BlockRealize) ? node[f::BlockRealize::block] : Node();
    if (!block || !block.is(Kind::Block)) continue;
    const tir::NodeList axes = block.list(f::Block::iter_vars);
    const tir::NodeList values = node.list(f::BlockRealize::iter_values);
    for (std::size_t k = 0; k < std::min(axes.size(), values.size()); ++k) {
      bind(axes[k][f::IterVar::var], values[k]);
    }
  }
  return bindings;
}

}  // namespace mlf::graph
