// A function with the analyses that its costs and its accesses need.
#pragma once

#include "analysis/cost/evaluation_order.h"
#include "analysis/cost/evaluations.h"
#include "analysis/cost/memories.h"
#include "analysis/cost/regions.h"
#include "analysis/cost/value_numbers.h"

namespace mlf::analysis {

/// Each member depends on those before it, and refers to them.
struct EvaluatedFunction {
  explicit EvaluatedFunction(tir::Node function)
      : order(function[tir::f::PrimFunc::body]),
        bindings(bindings_of(order)),
        memories(function, order),
        values(order, memories),
        regions(bindings),
        evaluations(order, regions) {}
  EvaluatedFunction(const EvaluatedFunction&) = delete;

  EvaluationOrder order;
  graph::Bindings bindings;
  Memories memories;
  ValueNumbers values;
  Regions regions;
  Evaluations evaluations;
};

}  // namespace mlf::analysis
