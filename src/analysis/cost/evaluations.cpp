#include "analysis/cost/evaluations.h"

#include <algorithm>

namespace mlf::analysis {

using graph::EvaluationOrder;
using graph::Part;
using graph::When;
using tir::Node;

namespace {

// A node with more regions counts as if it were in a single one. TVM's lowered code is a tree, so a
// node in two regions is rare.
constexpr std::size_t kMaxRegions = 16;

}  // namespace

Evaluations::Evaluations(const EvaluationOrder& order, Regions& regions)
    : order_(order), regions_(regions), evaluations_(order.size()) {
  add(0, {});
  for (std::size_t i = 0; i < order.size(); ++i) pass_on(i);
}

RegionId Evaluations::new_region(const Part& part, Node whole, RegionId around) {
  switch (part.when) {
    case When::guard_holds:
      return regions_.branch(around, part.guard, graph::Constraint::Test::holds);
    case When::guard_fails:
      return regions_.branch(around, part.guard, graph::Constraint::Test::fails);
    case When::each_iteration:
      return regions_.iterate(around, whole);
    case When::first_iteration:
      return regions_.first_iteration(around, whole);
    case When::unknown_times:
      return regions_.repeat(around);
    case When::always:
    case When::chosen:
    case When::not_chosen:
      break;
  }
  return around;
}

/// One region for one condition or loop inside of another region.
RegionId Evaluations::region_of(const Part& part, Node whole, RegionId around) {
  if (part.when == When::always || part.when >= When::chosen) return around;
  const Node key = part.guard ? part.guard : whole;
  const auto known = known_.find({around, key.id(), part.when});
  if (known != known_.end()) return known->second;
  const RegionId made = new_region(part, whole, around);
  known_.emplace(std::tuple(around, key.id(), part.when), made);
  return made;
}

void Evaluations::pass_on(std::size_t position) {
  // All its parents came before, so the list is complete.
  std::vector<Evaluation>& evaluations = evaluations_[position];
  if (evaluations.size() > kMaxRegions) merge(evaluations);
  const Node whole = order_[position];
  for (const Part& part : order_.parts(position)) {
    for (const Evaluation& evaluation : evaluations) {
      const RegionId region = region_of(part, whole, evaluation.region);
      if (part.when == When::each_iteration) loops_.push_back({region, evaluation});
      add(part.position,
          {region, evaluation.is_address || part.is_address, evaluation.times});
    }
  }
}

/// A part that its parent evaluates twice in one region, as in `x * x`, counts twice.
void Evaluations::add(std::size_t position, const Evaluation& evaluation) {
  std::vector<Evaluation>& all = evaluations_[position];
  const auto same = std::find_if(all.begin(), all.end(), [&](const Evaluation& known) {
    return known.region == evaluation.region && known.is_address == evaluation.is_address;
  });
  if (same == all.end()) {
    all.push_back(evaluation);
  } else {
    same->times += evaluation.times;
  }
}

// Replaces many regions of a node by one, and keeps only the sum of the evaluations.
void Evaluations::merge(std::vector<Evaluation>& evaluations) {
  RegionId common = evaluations.front().region;
  Count sum = 0;
  bool is_address = true;
  for (const Evaluation& evaluation : evaluations) {
    common = regions_.common_region(common, evaluation.region);
    sum += regions_[evaluation.region].count * evaluation.times;
    is_address = is_address && evaluation.is_address;
  }
  evaluations = {{regions_.merge(common, sum), is_address, 1}};
}

}  // namespace mlf::analysis
