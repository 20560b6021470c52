// Matches lines of a kernel's TIR with lines of its generated C.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "mlf/tir/module.h"
#include "report/code_lines.h"

namespace mlf::page {

/// A loop, a store or a condition, and the line that it begins on.
struct StatementPlace {
  tir::Kind kind{};
  std::uint32_t depth = 0;  ///< statements of these kinds around it
  std::uint32_t line = 0;   ///< counted from 1
};

/// Returns the loops, stores and conditions of a function in their order. Empty if one of them has
/// no place in the text.
std::vector<StatementPlace> statements_of(tir::Node function, const report::LineTable& lines);

/// Returns the line of TIR for each line of C. TVM's code generator prints statements in their
/// order; if their numbers differ, there is no match.
std::map<std::uint32_t, std::uint32_t> matching_lines(const std::vector<StatementPlace>& tir,
                                                      const std::vector<StatementPlace>& c);

}  // namespace mlf::page
