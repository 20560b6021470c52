// An index as a sum of terms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/kernels/index_program.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// `constant` plus each variable and each other expression times its factor. No factor of a
/// variable is 0.
struct IndexTerms {
  struct Other {
    tir::Node expression;
    std::int64_t factor = 1;
  };
  std::int64_t constant = 0;
  std::map<tir::NodeId, std::int64_t> variables{};
  std::vector<Other> others{};

  /// Adds `index` times `factor`. Returns false if a number or the expression is too large; the
  /// terms are then not valid.
  bool add(tir::Node index, std::int64_t factor, const graph::Bindings& bindings);
};

}  // namespace mlf::analysis
