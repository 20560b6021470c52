// Compares two builds: memory, arithmetic, kernels, the network, for `mlf diff`.
//
//     const auto changes = mlf::diff({deployment_before, report_before}, {deployment, report});
//     if (!changes) return fail(changes.error());
//     for (const mlf::ModuleDifference& module : changes->modules) print(module.name);
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/report.h"

namespace mlf {

/// A number of a module or kernel that changed.
struct NumberChange {
  std::string what;  ///< as in the report's JSON: "ram.pools", "mac", "scratch"
  analysis::Count before;
  analysis::Count after;

  /// Whether it is certainly larger than before.
  bool grows() const { return before.max && *before.max < after.min; }
  /// `what` as people read it in reports: "RAM pools", "constants".
  MLF_API std::string label() const;
  /// Returns "+16 (+3.1 %)"; "-9216..-6912", ">=-16" or "?" if one of them is not exact.
  MLF_API std::string delta() const;
};

enum class KernelChange : std::uint8_t {
  added,
  removed,
  moved,        ///< the same code with its workspaces and constants at other offsets of pools
  constants,    ///< the same code with constants stored in another form
  timing,       ///< the same code; profiles of the builds have other numbers of it
  rescheduled,  ///< other code for the same tensors and as many multiply-accumulates
  changed,      ///< other code, other tensors, constants or arithmetic
};
MLF_API std::string_view to_string(KernelChange change);

/// How a kernel stores its constants in another form. Each is a number of constants.
struct StorageChanges {
  std::size_t types = 0;   ///< of another type
  std::size_t counts = 0;  ///< one element in place of all, or the reverse
  /// In one build they share their bytes with other constants that are apart in the other build.
  std::size_t shared = 0;

  bool any() const { return types + counts + shared > 0; }
};

/// A kernel whose program differs between the builds.
struct KernelDifference {
  KernelChange change{};
  std::string before{};        ///< its symbol; empty if added
  std::string after{};         ///< its symbol; empty if removed
  std::string name{};          ///< short, of both: "cast_subtract", "conv2d -> conv2d_1"
  StorageChanges constants{};  ///< of KernelChange::constants
  std::vector<NumberChange> numbers{};
};

struct ModuleDifference {
  std::string name;
  std::optional<std::size_t> before{};  ///< its position in the first report; nothing: added
  std::optional<std::size_t> after{};   ///< in the second one; nothing: removed
  std::vector<NumberChange> numbers{};
  std::vector<KernelDifference> kernels{};
  /// Calls, inputs and outputs that only one of the networks has; one sentence each.
  std::vector<std::string> graph{};
  /// Why a number of `numbers` is not exact: "after: the size of 'x' is unknown".
  std::vector<std::string> uncertain{};

  MLF_API bool empty() const;
};

/// A constant of both builds with other values, or of another size.
struct ConstantDifference {
  std::string name;
  std::string kernel{};  ///< symbol of the kernel that reads it, after; empty: not known
  std::string layer{};   ///< of the first call of that kernel; empty: not known
  std::uint64_t bytes = 0;
  std::uint64_t bytes_before = 0;  ///< where it is another number, values are not compared
  std::uint64_t elements = 0;
  std::uint64_t differing = 0;      ///< of these
  bool is_reordered = false;        ///< the elements are the same in another order
  std::optional<double> largest{};  ///< difference of an element; nothing: it is no number
};

/// A kernel whose program is the same under another name or in another file.
struct MovedKernel {
  std::string before;  ///< its symbol
  std::string after;
};

/// A member whose content differs.
struct MemberDifference {
  std::string name;
  KernelChange change{};  ///< added, removed or changed
  std::string same_as{};  ///< the member of the other build with the same bytes; empty: none
  /// Symbols of functions in C or captured TIR that differ in more than comments and blanks of C.
  std::vector<std::string> functions{};
};

/// What changed between two builds.
struct BuildDifference {
  std::vector<ModuleDifference> modules{};      ///< without those that are the same
  std::vector<ConstantDifference> constants{};  ///< in the order of the second build
  /// By name: every member but directories. These do not count: the time of export and the order
  /// of kernels in metadata.json, the order of functions in C and in texts of TIR, that of maps in
  /// save_json, and members that `mlf process` wrote and that are as it wrote them.
  std::vector<MemberDifference> members{};
  std::vector<MovedKernel> moved{};  ///< in the order of the second build
  /// Short names of kernels of both builds, by symbol.
  std::map<std::string, std::string, std::less<>> names{};
  /// Statements of one of the builds that contradict each other.
  std::vector<ModuleContradiction> contradictions_before{};
  std::vector<ModuleContradiction> contradictions_after{};

  /// Whether nothing changed.
  bool empty() const noexcept { return modules.empty() && constants.empty() && members.empty(); }
};

/// Kernels, a constant or a member, and how these differ, in words.
struct DifferenceWords {
  std::string where;  ///< "constant fused_constant of add"
  std::string what;   ///< "1 of 288 elements (576 bytes) differs, by at most 84"
};
/// Returns one for all kernels that moved, one for all that store constants in another form, one
/// for each constant, then for each member. More than ten members of TVM's C runtime share one.
MLF_API std::vector<DifferenceWords> words_of(const BuildDifference& difference);

/// One of two builds. `report` is that of the deployment.
struct ComparedBuild {
  const Deployment& deployment;
  const Report& report;
};

/// Compares the members of two archives, and their reports module by module, by name. If each has
/// one module, compares these whatever their names.
///
/// Kernels are equal if their code differs in names only, as read or in the form that C can
/// express, and no shape differs but for flattening; their order does not matter. The other kernels
/// are paired by their role in the network: the producers of their arguments, and the types of
/// their tensors. Constants are compared between kernels of one pair.
///
/// Errors: `io`.
MLF_API Result<BuildDifference> diff(const ComparedBuild& before, const ComparedBuild& after);

/// Returns the text of `mlf diff --format json` (schemas/diff.schema.json).
MLF_API std::string to_json(const BuildDifference& difference, const DocumentForm& form);

}  // namespace mlf
