// Writes a smaller archive: constants in the smallest type that holds their values, one element of
// constants whose elements are equal, equal constants once, and memory pools with the offsets of
// the best plan. Changes C, headers, metadata.json and captured TIR together; every other member
// keeps its bytes.
//
//     const auto report = mlf::write_optimized(deployment, {.output = "smaller.tar"});
//     if (!report) return fail(report.error());
//     for (const mlf::OptimizedModule& module : report->modules) {
//       print(module.name, module.constants_before, module.constants_after);
//     }
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/compile.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/plan.h"
#include "mlf/tir/module.h"

namespace mlf {

/// Which optimizations to apply.
struct Optimizations {
  bool narrow = true;        ///< smaller types of constants
  bool collapse = true;      ///< one element of constants whose elements are equal
  bool share = true;         ///< equal constants of a pool once
  bool ram = true;           ///< offsets of workspace pools
  bool drop_unused = false;  ///< no functions, constants and pools that nothing uses
  bool reorder = false;      ///< also the order of main's calls
  bool in_place = false;     ///< also results over the inputs that they are computed from

  bool any_of_constants() const { return narrow || collapse || share || drop_unused; }
};

/// A name for some of them, as `mlf optimize --only` takes it: "narrow", "collapse", "share",
/// "flash" (these three) and "ram".
struct OptimizationName {
  std::string_view name;
  Optimizations what;
};
MLF_API std::span<const OptimizationName> optimization_names();

/// What these names mean together, and nothing else. Errors: `usage` for another name.
MLF_API Result<Optimizations> optimizations_named(std::span<const std::string> names);

/// A constant of the generated C.
struct OptimizedConstant {
  std::string name;
  std::string pool;  ///< empty for an array
  tir::DType before{};
  tir::DType after{};
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;  ///< 0 where it is not stored any more
  bool is_collapsed = false;      ///< one element is left
  bool is_dropped = false;        ///< nothing read it
  bool is_parameter = false;      ///< of the graph executor, in parameters/<m>.params
  std::string equal{};            ///< the constant that is stored in its place; empty: none
  std::string kernel{};           ///< a function that reads it; empty for a parameter, or if none
  std::uint64_t bytes_saved = 0;  ///< with the alignment of pools
  /// Why it is larger than its values need; empty where it is not.
  std::string kept{};
};

/// A function of the generated C that main does not call, directly or through others.
struct OptimizedFunction {
  std::string symbol;
  bool is_dropped = false;
  std::string kept{};  ///< why it stays; empty where it is dropped
};

/// A workspace pool.
struct OptimizedPool {
  std::string name;
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
};

/// Bytes of constants that an archive has no more, by cause.
struct ConstantSavings {
  std::uint64_t narrowing = 0;
  std::uint64_t collapsing = 0;
  std::uint64_t sharing = 0;
  std::uint64_t dropping = 0;

  std::uint64_t total() const { return narrowing + collapsing + sharing + dropping; }
};

struct OptimizedModule {
  std::string name;
  std::vector<OptimizedConstant> constants;  ///< in the order of the C
  /// Bytes of all constants as the compiler stores them, alignment in pools included. Nothing where
  /// the C may have others beside `constants`, which `constants_kept` says, or where constants were
  /// not asked for.
  std::optional<std::uint64_t> constants_before{};
  std::optional<std::uint64_t> constants_after{};
  ConstantSavings saved{};
  /// Unused ones; none if `drop_unused` was not asked for.
  std::vector<OptimizedFunction> functions{};
  std::string constants_kept{};  ///< why some or all were not looked at; empty: all were
  std::vector<OptimizedPool> pools;
  std::string pools_kept{};  ///< why the workspace pools stay; empty where they could change
};

struct OptimizeOptions {
  std::string output{};  ///< "-": standard output; empty: nothing is written
  Optimizations what{};
  plan::SearchLimits search{};
  /// Compiles the C of each module with and without constants of one element: a constant keeps its
  /// elements if the functions that read it grow by more than it saves.
  std::optional<Compiler> compiler{};
  archive::Limits archive_limits{};
  tir::ReadLimits tir_limits{};
};

/// How workspace pools became smaller.
enum class RamPlan : std::uint8_t {
  offsets,   ///< other offsets
  in_place,  ///< also results over the inputs that they are computed from, where proven safe
  order,     ///< also the calls of main in another order
};
MLF_API std::string_view to_string(RamPlan plan);

struct OptimizeReport {
  std::vector<OptimizedModule> modules{};  ///< in the order of the archive's
  std::optional<RamPlan> ram_plan{};       ///< nothing where pools stay
  std::vector<std::string> changed{};      ///< members, in the order of the archive
  std::vector<std::string> lost{};         ///< as in ProcessReport
};

/// Writes the archive of `deployment` with less flash and less RAM. Makes every change that it can
/// prove correct; the report has the reason for everything else. Reads the result again, and
/// compares it with the old TIR plus the reported changes: they must be equal.
///
/// Parameters of the graph executor get smaller types in their file, its graph and its kernels.
///
/// A constant changes only if every use of it is a load of one element through its own type, in
/// functions that mlf understands completely, and if its name occurs nowhere else in the C. The
/// load converts to the old type, which gives the same value (C11 6.3.1.3). A constant of one value
/// gets one element, and its loads the index 0. Both only where the constant then takes less
/// memory: 16 bytes that are aligned to 16 do not. Code for the index 0 is no larger than for
/// another index, but a compiler may unroll or merge other loops then; `compiler` measures that.
///
/// A function that nothing calls goes only if a header of the archive states the interface without
/// it, and if no code of the archive names it.
///
/// Errors: `check_failed` with the place if no change can be proven correct; `usage` for a
/// directory, or if the output is the archive itself; `io`.
MLF_API Result<OptimizeReport> write_optimized(const Deployment& deployment,
                                               const OptimizeOptions& options);

/// Returns what `write_optimized` does with constants (narrow, collapse, share), but neither makes
/// nor proves the edits of C and TIR. `networks` are those of the deployment. Errors: as
/// `write_optimized`.
MLF_API Result<OptimizeReport> smaller_constants(const Deployment& deployment,
                                                 const Networks& networks);

/// Returns the text of `mlf optimize --json` (schemas/optimize.schema.json).
MLF_API std::string to_json(const OptimizeReport& report, const DocumentForm& form);

}  // namespace mlf
