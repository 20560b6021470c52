// Makes IR from the operators of C, and reverses the changes of TVM's host passes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tir/c/language.h"
#include "tir/c/versions.h"
#include "tir/interval.h"
#include "tir/text/expr_factory.h"
#include "tir/text/losses.h"

namespace mlf::tir::c {

struct Fact {
  std::optional<Interval> range;  ///< the values of an integer, if they follow from loops
  bool loads = false;             ///< whether it contains a load
};

/// Facts by node id, for nodes made after this object.
class Facts {
 public:
  explicit Facts(std::uint32_t first) : first_(first) {}

  Fact of(NodeId id) const {
    const std::size_t at = index(id) - std::size_t{first_};
    return index(id) >= first_ && at < facts_.size() ? facts_[at] : Fact();
  }
  void set(NodeId id, const Fact& fact) {
    if (index(id) < first_) return;
    const std::size_t at = index(id) - first_;
    if (at >= facts_.size()) facts_.resize(at + 1);
    facts_[at] = fact;
  }

 private:
  std::uint32_t first_;
  std::vector<Fact> facts_;
};

class Operators {
 public:
  Operators(text::ExprFactory& make, text::FunctionLosses& losses)
      : make_(&make), losses_(&losses), facts_(make.builder().size()) {}

  NodeId binary(const BinaryOperator& op, NodeId a, NodeId b);
  NodeId min_max(Kind kind, NodeId a, NodeId b);
  NodeId cast(DType dtype, NodeId value);
  NodeId logical_not(NodeId value);
  NodeId call(std::string_view op, DType dtype, std::span<const NodeId> args);
  /// `condition ? a : b`, or the floor division that it computes.
  NodeId choice(Ternary ternary, NodeId condition, NodeId true_value, NodeId false_value);
  NodeId select(NodeId condition, NodeId true_value, NodeId false_value);
  NodeId if_then_else(NodeId condition, NodeId true_value, NodeId false_value);
  NodeId load(NodeId buffer, NodeId index);
  NodeId integer(DType dtype, std::int64_t value);
  /// NULL is a zero that is read as a pointer.
  NodeId null_handle();
  /// A variable with the values in this range.
  void limit(NodeId var, const std::optional<Interval>& range) { facts_.set(var, {range, false}); }

  const Facts& facts() const { return facts_; }
  text::ExprFactory& make() { return *make_; }

 private:
  Node node(NodeId id) const { return make_->builder().node(id); }
  bool loads(NodeId a, NodeId b) const { return facts_.of(a).loads || facts_.of(b).loads; }
  NodeId with_facts(NodeId made, std::span<const NodeId> parts);
  NodeId arithmetic(Kind kind, NodeId a, NodeId b);
  NodeId comparison(Kind kind, NodeId a, NodeId b);
  NodeId addition(NodeId a, NodeId b);
  NodeId floor_of(NodeId value, Kind truncating, Kind floor);
  NodeId shift_right(NodeId a, NodeId b);
  NodeId bitwise_and(NodeId a, NodeId b);
  void note_form() { losses_->add(LossCode::expr_form); }

  text::ExprFactory* make_;
  text::FunctionLosses* losses_;
  Facts facts_;
};

}  // namespace mlf::tir::c
