#include "analysis/cost/value_numbers.h"

#include <bit>
#include <string_view>

#include "tir/node_queries.h"

namespace mlf::analysis {

using tir::FieldType;
using tir::Kind;
using tir::Node;
namespace f = tir::f;

namespace {

void add_number(std::uint64_t number, std::string& key) {
  for (int i = 0; i < 8; ++i) key.push_back(static_cast<char>(number >> 8 * i & 0xff));
}

void add_text(std::string_view text, std::string& key) {
  add_number(text.size(), key);
  key += text;
}

}  // namespace

// Parts come before the whole: from the end of the order to its start.
ValueNumbers::ValueNumbers(const graph::EvaluationOrder& order, const graph::Memories& memories)
    : order_(order), memories_(memories), numbers_(order.size()), reads_(order.size()) {
  for (std::size_t i = order.size(); i-- > 0;) {
    if (tir::is_expr(order[i].category())) number(i);
  }
}

// Parts have their numbers already, so the length of a key only depends on the row of the kind.
void ValueNumbers::number(std::size_t position) {
  const Node node = order_[position];
  bool reads = graph::is_load(node) || node.is(Kind::ProducerLoad);
  for (const graph::Part& part : order_.parts(position)) {
    reads = reads || reads_[part.position];
  }
  reads_[position] = reads;
  const auto next = static_cast<std::uint32_t>(known_.size() + 1);
  numbers_[position] = known_.emplace(key_of(node), next).first->second;
}

/// Adds a node by its number, or by its id if it is not evaluated separately.
void ValueNumbers::add_node(Node child, std::string& key) const {
  if (child.is(Kind::Op)) return add_text(child.text(f::Op::name), key);
  if (child.is(Kind::IntImm)) {  // lanes are not evaluated
    key.push_back('v');
    add_number(child.dtype().packed(), key);
    return add_number(static_cast<std::uint64_t>(child.integer(f::IntImm::value)), key);
  }
  const bool is_numbered = child && order_.contains(child) && !tir::is_var(child);
  key.push_back(is_numbered ? 'n' : 'i');
  add_number(is_numbered ? numbers_[order_.position_of(child)] : tir::index(child.id()), key);
}

/// Kind and fields. For the Buffer of a load, only the memory counts, because code may declare
/// several Buffers for the same memory.
std::string ValueNumbers::key_of(Node node) const {
  std::string key;
  add_number(static_cast<std::uint64_t>(node.kind()), key);
  if (tir::is_var(node)) {
    add_number(tir::index(node.id()), key);
    return key;
  }
  const auto memory = memories_.of_access(node);
  const auto fields = node.info().fields;
  for (std::uint8_t i = 0; i < fields.size(); ++i) {
    switch (fields[i].type) {
      case FieldType::node:
        if (memory && fields[i].role == tir::Role::use) {
          add_number(*memory, key);
        } else {
          add_node(node.node(i), key);
        }
        break;
      case FieldType::list:
        add_number(node.list(i).size(), key);
        for (const Node child : node.list(i)) add_node(child, key);
        break;
      case FieldType::integer:
      case FieldType::boolean:
      case FieldType::enumeration:
        add_number(static_cast<std::uint64_t>(node.integer(i)), key);
        break;
      case FieldType::real:
        add_number(std::bit_cast<std::uint64_t>(node.real(i)), key);
        break;
      case FieldType::dtype:
        add_number(node.dtype(tir::FieldRef(i)).packed(), key);
        break;
      case FieldType::string:
        add_text(node.text(i), key);
        break;
      default:
        // Among evaluated kinds, only unknown ones have fields of other types.
        add_number(tir::index(node.id()), key);
        break;
    }
  }
  return key;
}

bool ValueNumbers::are_same(Node a, Node b) const {
  if (a == b) return true;
  if (!a || !b || !order_.contains(a) || !order_.contains(b)) return false;
  return number_of(a) == number_of(b);
}

std::uint32_t ValueNumbers::number_of(Node expression) const {
  return order_.contains(expression) ? numbers_[order_.position_of(expression)] : 0;
}

bool ValueNumbers::reads_memory(Node expression) const {
  return order_.contains(expression) && reads_[order_.position_of(expression)];
}

}  // namespace mlf::analysis
