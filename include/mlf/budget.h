// Compares what a network needs with limits, and looks for findings that it must not have, for `mlf
// check`.
//
//     const mlf::Budget budget{.common = {.limits = {{mlf::Resource::ram, 96 * 1024}}}};
//     if (!mlf::check(report, budget).all_hold()) print("it does not fit");
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
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
MLF_API std::string_view to_string(Resource resource);
/// Errors: `usage`; the message lists all names.
MLF_API Result<Resource> resource_named(std::string_view name);

/// The most that functions and data outside of all archives of a program take, such as those of
/// libm and of TVM's runtime (CompiledCode::missing). Empty if unknown.
struct LibraryNeeds {
  std::optional<std::uint64_t> stack{};
  std::optional<std::uint64_t> flash{};
};

/// Returns what a module needs of a resource: everything that the resource includes. The result has
/// no maximum if a part is unknown, such as frames without a compiler or code of libraries.
MLF_API analysis::Count needed(const ModuleReport& module, Resource resource,
                               const LibraryNeeds& library = {});

/// The module of a result for all modules of an archive together.
inline constexpr std::string_view kAllModules = "*";

/// The need for a resource, of one module or of all together.
struct Total {
  std::string module;  ///< or `kAllModules`
  Resource resource{};
  analysis::Count needed;
  std::vector<std::string> missing;  ///< what would make it exact, one sentence each
};

/// Returns RAM and flash of each module with a network, then of all together if there are several.
/// Their code and constants add up, as do variables of their C, pools among them; other memory is
/// between that of one network at a time and that of all.
MLF_API std::vector<Total> totals(const Report& report);

enum class Verdict : std::uint8_t {
  fits,       ///< the upper bound of what is needed is within the limit
  exceeds,    ///< the lower bound is above the limit
  undecided,  ///< the limit is between the bounds, or there is no upper one
};
MLF_API std::string_view to_string(Verdict verdict);

/// The most that a module may use of a resource, or all networks of a memory.
struct Limit {
  Resource resource{};
  std::uint64_t most = 0;
  /// The memory of a board that is limited, in place of a resource; empty: bytes that no memory
  /// holds.
  std::optional<std::string> memory{};
};
/// The name of the resource or of the memory.
MLF_API std::string_view to_string(const Limit& limit);

/// One limit compared with one module, or with all together.
struct BudgetResult {
  std::string module;  ///< or `kAllModules`
  Limit limit;
  analysis::Count needed;
  Verdict verdict = Verdict::fits;
  /// By how much the limit is exceeded, what would help, and what is missing for a decision; one
  /// sentence each. Empty if the module fits.
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
  undecided,  ///< none is found, but not everything could be searched
};
MLF_API std::string_view to_string(Presence presence);

/// The result for one module and one code of findings.def that it must not have.
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

/// The limits and unwanted findings of a module.
struct Demands {
  std::vector<Limit> limits{};
  std::vector<CostFindingCode> no_findings{};
  Location where{};  ///< the module's name in the budget file

  bool empty() const noexcept { return limits.empty() && no_findings.empty(); }
};

/// Demands on every module, and on single modules.
struct Budget {
  Demands common;
  std::map<std::string, Demands, std::less<>> of_modules{};

  /// Returns the demands on one module: a limit of its own overrides the common one, unwanted
  /// findings add up. In the orders of `resource_infos` and `all_cost_findings`.
  MLF_API Demands demands_on(std::string_view module) const;
};

/// What a network needs of a board, and where it is.
struct BoardPart {
  std::string archive;
  std::string name;    ///< a pool, a section of the compiled C, or a kind such as "heap"
  std::string memory;  ///< empty: no memory holds it
  analysis::Count bytes;
  std::string module{};  ///< of an archive with several; not in documents
};

/// A symbol that a program can have once, and the archives that define it.
struct SymbolClash {
  std::string symbol;
  std::vector<std::string> archives;
  std::vector<std::string> modules{};  ///< of these archives; not in documents
};

/// The results for all modules of an archive, or for a board.
struct CheckResults {
  std::vector<BudgetResult> limits{};
  std::vector<FindingResult> findings{};
  std::vector<ModuleContradiction> contradictions{};
  std::vector<BoardPart> parts{};      ///< of a board, in the order of archives
  std::vector<SymbolClash> clashes{};  ///< of a board

  MLF_API bool all_hold() const;
};

/// Compares every module of a report with what the budget demands of it. If there are several,
/// limits on every module also hold for all together: their flash adds up, and variables of their
/// C; other memory is between that of the largest and the sum, because networks may run in turn.
MLF_API CheckResults check(const Report& report, const Budget& budget,
                           const LibraryNeeds& library = {});

/// A name in the list of what a memory holds: of a part, of a pool or of a section, which may have
/// the name of an archive and a colon in front.
struct HeldName {
  std::string name;
  Location where{};
};

struct BoardMemory {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<HeldName> holds{};
};

/// The PREFIX of mlf_add_network, which replaces `tvmgen` in the symbols of an archive.
struct SymbolPrefix {
  HeldName archive;
  std::string prefix;
};

/// The memories of a board, and how networks share them.
struct Board {
  std::vector<BoardMemory> memories;
  /// Networks never run at the same time: they share stack, heap and the pools that the application
  /// provides. Otherwise each has its own.
  bool in_turn = false;
  std::vector<SymbolPrefix> prefixes{};
};

/// An archive on a board.
struct BoardArchive {
  std::string name;
  Report report;
};

/// Compares every memory of a board with what all archives together have in it. A part that no
/// memory holds does not fit. Errors: `invalid_input` for a name that no archive has, or that two
/// memories hold, and for a prefix that mlf_add_network refuses.
MLF_API Result<CheckResults> check(const Board& board, std::span<const BoardArchive> archives,
                                   const LibraryNeeds& library = {});

/// Returns the text of `mlf check --format json` (schemas/check.schema.json).
MLF_API std::string to_json(const CheckResults& results, const DocumentForm& form);

/// Returns SARIF 2.1.0 about the checked `archive`, with a result for each limit that does not hold
/// and each unwanted finding, and digests of what was read.
MLF_API std::string to_sarif(const CheckResults& results, std::string_view archive,
                             const DocumentForm& form);

}  // namespace mlf
