// Value numbering: finds equal expressions of a function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/kernels/kernel_code.h"
#include "support/name_map.h"

namespace mlf::analysis {

/// Numbers the expressions of a function: equal numbers mean the same operation on the same values.
/// Two loads of the same element are equal, even with a store between them. Linear in the number of
/// nodes.
class ValueNumbers {
 public:
  ValueNumbers(const graph::EvaluationOrder& order, const graph::Memories& memories);

  bool are_same(tir::Node a, tir::Node b) const;
  /// The number of an expression; 0 if it is not evaluated.
  std::uint32_t number_of(tir::Node expression) const;
  /// Whether the value depends on memory, also through a let.
  bool reads_memory(tir::Node expression) const;

 private:
  void number(std::size_t position);
  std::string key_of(tir::Node node) const;
  void add_node(tir::Node child, std::string& key) const;

  const graph::EvaluationOrder& order_;
  const graph::Memories& memories_;
  std::vector<std::uint32_t> numbers_;  // by position; 0: not an expression
  std::vector<bool> reads_;
  support::NameMap<std::string, std::uint32_t> known_;
};

}  // namespace mlf::analysis
