// Whether a network fits: what it needs held against what there is, and whether it has findings
// that it should not have. `mlf check` says it.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/analysis/count.h"
#include "mlf/export.h"
#include "mlf/report.h"

namespace mlf {

/// What can be limited.
enum class Resource : std::uint8_t {
#define MLF_RESOURCE(name, unit, meaning) name,
#include "mlf/resources.def"
#undef MLF_RESOURCE
};

struct ResourceInfo {
  Resource resource;
  std::string_view name;
  std::string_view unit;     ///< "bytes"
  std::string_view meaning;  ///< what counts, without a full stop
};
MLF_API std::span<const ResourceInfo> resource_infos();
MLF_API const ResourceInfo& info(Resource resource);
MLF_API std::span<const Resource> all_resources();
MLF_API std::string_view to_string(Resource resource);

/// What functions and data outside of the archive take at most, such as those of libm and of TVM's
/// runtime (CompiledCode::missing), where somebody knows it.
struct LibraryNeeds {
  std::optional<std::uint64_t> stack{};
  std::optional<std::uint64_t> flash{};
};

/// What a module needs of a resource: all that the name says. Where parts of it are not known, such
/// as frames without a compiler or code of libraries, it has no maximum.
MLF_API analysis::Count needed(const ModuleReport& module, Resource resource,
                               const LibraryNeeds& library = {});

enum class Verdict : std::uint8_t {
  fits,       ///< the upper bound of what is needed is within the limit
  exceeds,    ///< the lower bound is above the limit
  undecided,  ///< the limit is between the bounds, or there is no upper one
};
MLF_API std::string_view to_string(Verdict verdict);

/// At most so much of a resource.
struct Limit {
  Resource resource{};
  std::uint64_t most = 0;
};

/// One limit held against one module.
struct BudgetResult {
  std::string module;
  Limit limit;
  analysis::Count needed;
  Verdict verdict = Verdict::fits;
  /// By how much, what would help, and what is missing for a decision; one sentence each. Empty
  /// where it fits.
  std::vector<std::string> remarks;
};

/// In the order of `limits`.
MLF_API std::vector<BudgetResult> check_budget(const ModuleReport& module,
                                               std::span<const Limit> limits,
                                               const LibraryNeeds& library = {});

/// Whether there are findings of a code.
enum class Presence : std::uint8_t {
  absent,
  found,
  undecided,  ///< none is found, and not everything could be looked at
};
MLF_API std::string_view to_string(Presence presence);

/// One code of findings.def that there should be none of, held against one module.
struct FindingResult {
  std::string module;
  CostFindingCode code{};
  std::vector<CostFinding> found{};
  std::vector<std::string> unsearched{};  ///< why there may be more, one sentence each

  MLF_API Presence presence() const;
};

/// In the order of `unwanted`.
MLF_API std::vector<FindingResult> check_findings(const ModuleReport& module,
                                                  std::span<const CostFindingCode> unwanted);

}  // namespace mlf
