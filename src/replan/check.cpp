#include "replan/check.h"

#include <set>
#include <string>
#include <utility>

#include "mlf/tir/compare.h"
#include "replan/edit.h"

namespace mlf::replan {
namespace {

/// Pairs of numbers that may differ, as a comparison spells them.
using Expected = std::set<std::pair<std::string, std::string>>;

void expect(std::uint64_t before, std::uint64_t after, Expected& expected) {
  if (before != after) expected.emplace(std::to_string(before), std::to_string(after));
}

/// The numbers of one module's functions: read on both sides, and compared with the assignment.
void check_sites(const tir::Module& before, const tir::Module& after,
                 const ModuleAssignment& assignment, std::string_view member, Expected& expected) {
  const std::vector<FunctionSites> was = sites_of(before, assignment.pools);
  // The same reader on both sides finds the same sites, so that they can be held against each other
  // one by one.
  const std::vector<FunctionSites> is = sites_of(after, assignment.pools);
  if (was.size() != is.size()) refuse("functions with pools are missing afterwards", member);
  for (std::size_t f = 0; f < was.size(); ++f) {
    if (!assignment.has_function(was[f].symbol)) continue;
    const std::vector<SiteValue> wanted = site_values(assignment, was[f]);
    std::vector<std::uint64_t> found;
    for (const LetSite& let : is[f].lets) found.push_back(let.value);
    // In the order of site_values: offsets first, then sizes.
    for (const SizeSite& size : is[f].sizes) found.push_back(size.value);
    if (found.size() != wanted.size()) refuse("numbers of the plan are missing afterwards", member);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (found[i] != wanted[i].change.after) {
        refuse("function '" + was[f].name + "' still has " + std::to_string(found[i]) +
                   " where the plan has " + std::to_string(wanted[i].change.after),
               member);
      }
      expect(wanted[i].change.before, wanted[i].change.after, expected);
    }
  }
}

}  // namespace

/// Wanted numbers are there, and nothing else differs: the same comparison that `mlf verify` makes
/// between stages. Numbers that may differ are known as pairs, wherever they are.
void check_changed(const tir::Module& before, const tir::Module& after,
                   std::span<const ModuleAssignment> assignments, std::string_view member) {
  Expected expected;
  for (const ModuleAssignment& assignment : assignments) {
    check_sites(before, after, assignment, member, expected);
  }
  for (const tir::Difference& difference : tir::compare(before, after).differences) {
    if (expected.contains({difference.left, difference.right})) continue;
    refuse("something else would change: " + tir::to_string(difference), member);
  }
}

}  // namespace mlf::replan
