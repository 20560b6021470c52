// The walk over two modules side by side.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tir/compare/compare.h"
#include "tir/compare/correspondence.h"
#include "tir/compare/descriptions.h"
#include "tir/compare/tolerance_rules.h"

namespace mlf::tir::compare_detail {

/// Compares two modules in one walk, from the roots down. Pairs of nodes wait on a stack (nesting
/// in the input must not become recursion here) and are taken in the order of the left module.
///
/// A pair is compared once, however many paths lead to it: time grows with the number of pairs, as
/// both modules share subtrees. At each pair, in this order: statements that one text nests
/// differently are brought into step (sequences, bodies in braces, scopes); kinds must be equal;
/// nodes with an identity must correspond one to one (Pairing); then every field of the table row
/// is compared. Wherever the two sides differ, the rows of tolerances.def about this kind are asked
/// in their order; the first whose rule fits turns the difference into a tolerated loss.
class Comparer {
 public:
  Comparer(const Module& left, const Module& right, const Tolerance& tolerance);
  Comparison run() &&;

 private:
  using RowIndex = std::uint16_t;
  /// Of a map in a field of a node.
  struct Entry {
    Node owner;
    std::uint8_t field;
    std::uint32_t position;
  };

  void compare_pair(StepId at);
  bool identities_agree(StepId at);
  std::optional<Node> owner_of(StepId at) const;
  bool kinds_agree(StepId at);
  void compare_spans(StepId at);
  void compare_field(StepId at, std::uint8_t field);
  void compare_nodes(StepId at, std::uint8_t field);
  void compare_lists(StepId at, std::uint8_t field);
  void compare_maps(StepId at, std::uint8_t field);
  void report_unmatched(StepId at, std::uint8_t field, const Matching& matching);
  void compare_order(StepId at, std::uint8_t field, const Matching& matching);

  // Whether the pair is of another shape, a row allows that, and its parts were pushed instead.
  bool splice_sequences(StepId at);
  bool unwrap_body(StepId at);
  bool compare_lines(StepId at);
  bool compare_access(StepId at);

  /// Finds the first row about this place for which `test` holds, and notes it.
  template <class Test>
  bool tolerate(Aspect aspect, StepId at, std::uint8_t field, std::string_view what, Test&& test);
  bool tolerate_field(StepId at, std::uint8_t field);
  void differ(StepId at, std::string_view what, std::string left, std::string right,
              DifferenceIn in = DifferenceIn::node);
  /// Says that one side alone has an entry.
  void lack(StepId at, const Entry& entry, std::string left, std::string right);

  void push(StepKind kind, StepId parent, Node left, Node right, std::uint8_t field,
            std::uint32_t position);
  void flush();

  Node left(StepId at) const { return steps_.left(at); }
  Node right(StepId at) const { return steps_.right(at); }

  Knowledge known_;
  std::vector<std::vector<RowIndex>> rows_of_kind_;  // the rows about any kind are in all of them
  Steps steps_;
  std::vector<StepId> stack_;
  std::vector<Step> pushed_;  // below the pair at hand, in order
  std::unordered_set<std::uint64_t> seen_;
  std::uint32_t scope_ = 0;  // counts functions: a printed text has one Var for each of them
  Comparison result_;
};

}  // namespace mlf::tir::compare_detail
