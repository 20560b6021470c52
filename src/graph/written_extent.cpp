#include "graph/written_extent.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "graph/iterations.h"
#include "mlf/tir/visit.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

class Stores {
 public:
  std::map<tir::NodeId, std::int64_t> of(Node function) &&;

 private:
  void enter(Node node);
  void leave(Node node);
  void store(Node data, tir::NodeList indices);
  std::optional<std::int64_t> highest(Node index) const;

  std::vector<Loop> loops_;
  std::vector<Binding> lets_;
  std::vector<Node> conditions_;
  std::size_t endless_ = 0;  // loops around whose bounds are no constants
  std::map<tir::NodeId, std::int64_t> extents_;
  std::set<tir::NodeId> unknown_;
};

void Stores::enter(Node node) {
  if (node.is(Kind::For)) {
    const auto loop = loop_of(node);
    loop ? loops_.push_back(*loop) : static_cast<void>(++endless_);
  } else if (node.is(Kind::LetStmt)) {
    lets_.emplace_back(node[f::LetStmt::var], node[f::LetStmt::value]);
  } else if (node.is(Kind::IfThenElse)) {
    conditions_.push_back(node[f::IfThenElse::else_case] ? Node() : node[f::IfThenElse::condition]);
  } else if (node.is(Kind::BufferStore)) {
    store(node[f::BufferStore::buffer][f::Buffer::data], node.list(f::BufferStore::indices));
  }
}

void Stores::leave(Node node) {
  if (node.is(Kind::For)) {
    loop_of(node) ? loops_.pop_back() : static_cast<void>(--endless_);
  } else if (node.is(Kind::LetStmt)) {
    lets_.pop_back();
  } else if (node.is(Kind::IfThenElse)) {
    conditions_.pop_back();
  }
}

std::optional<std::int64_t> Stores::highest(Node index) const {
  std::optional<std::int64_t> most;
  bool known = true;
  const bool ran = for_each_iteration(loops_, lets_, conditions_, [&](Evaluator& at) {
    const auto element = at(index);
    known = element.has_value();
    if (known) most = std::max(most.value_or(0), *element);
    return known;
  });
  return ran && known ? most : std::nullopt;
}

void Stores::store(Node data, tir::NodeList indices) {
  const bool is_guarded =
      !conditions_.empty() && std::all_of(conditions_.begin(), conditions_.end(),
                                          [](Node condition) { return bool(condition); });
  const auto element =
      is_guarded && endless_ == 0 && indices.size() == 1 ? highest(indices[0]) : std::nullopt;
  if (!element) {
    unknown_.insert(data.id());
    return;
  }
  std::int64_t& extent = extents_[data.id()];
  extent = std::max(extent, *element + 1);
}

std::map<tir::NodeId, std::int64_t> Stores::of(Node function) && {
  tir::NodeSet seen(function.module());
  tir::walk(
      function[f::PrimFunc::body], seen,
      [this](Node node) {
        enter(node);
        return tir::Descend::into_children;
      },
      [this](Node node) { leave(node); });
  for (const tir::NodeId id : unknown_) extents_.erase(id);
  return std::move(extents_);
}

}  // namespace

std::map<tir::NodeId, std::int64_t> guarded_extents(Node function) {
  return Stores().of(function);
}

}  // namespace mlf::graph
