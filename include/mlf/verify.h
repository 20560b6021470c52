// Checks that the parts of an archive are consistent.
//
//     const auto verified = mlf::verify_archive("module.tar");
//     if (!verified) return fail(verified.error());
//     for (const mlf::VerifyFinding& finding : verified->findings) print(finding.detail);
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/archive.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"

namespace mlf {

/// What a finding is about.
enum class FindingCode : std::uint8_t {
  network_check,       ///< a check of a topology; `check` says which
  stage_mismatch,      ///< two stages of one build show different networks
  c_mismatch,          ///< generated C differs from the captured TIR
  c_type,              ///< generated C uses a type that C does not have
  stale_outputs,       ///< outputs of mlf were made from members that have changed since
  damaged_output,      ///< an output of mlf is missing, or not what mlf wrote
  no_network,          ///< a module without a network
  not_compared,        ///< a capture of another stage or build, a function not understood
  metadata_too_small,  ///< metadata.json declares less memory than the network uses
  c_invalid,       ///< generated C that no compiler accepts, or that frees a workspace too early
  missing_file,    ///< TIR beside the archive that an earlier run read and this one does not get
  missing_main,    ///< generated C calls main, and no member defines it
  object_damaged,  ///< an object file or a static library of which a part is missing
};

MLF_API std::string_view to_string(FindingCode code);

struct VerifyFinding {
  graph::Severity severity{};
  FindingCode code{};
  graph::CheckCode check{};  ///< of `network_check`
  std::string module{};      ///< empty for what concerns the whole archive
  std::string detail{};      ///< one sentence
};

/// Checks of networks have codes of their own (checks.def), all other findings one each.
MLF_API std::string_view code_of(const VerifyFinding& finding);

/// The rows of verify_checks.def.
enum class VerifyCheck : std::uint8_t {
#define MLF_VERIFY_CHECK(name, code, claim) name,
#include "mlf/verify_checks.def"
#undef MLF_VERIFY_CHECK
};

MLF_API std::string_view to_string(VerifyCheck check);
/// "sources of TIR can be read": behind "3 of 4".
MLF_API std::string_view claim_of(VerifyCheck check);

/// The result of one check. If both numbers are 0, the check was not made.
struct VerifyResult {
  VerifyCheck check{};
  std::size_t passed = 0;
  std::size_t failed = 0;                   ///< findings say why
  std::vector<std::string> not_compared{};  ///< names of others that were to be compared
  std::string not_checked{};                ///< the reason; empty if something passed or failed

  std::size_t counted() const noexcept { return passed + failed + not_compared.size(); }
};

struct Verification {
  std::vector<VerifyFinding> findings{};
  std::vector<VerifyResult> checks{};  ///< one for each row of verify_checks.def, in its order
  ArchiveOrigin origin{};              ///< empty unless the options ask for it

  /// Whether no finding has severity `error`. Checks that were not made do not count.
  MLF_API bool passed() const noexcept;
};

struct VerifyOptions {
  std::vector<std::string> tir_files{};  ///< TIR beside the archive, see `DeploymentOptions`
  archive::Limits archive_limits{};
  tir::ReadLimits tir_limits{};
  tir::MacroValues macros{};  ///< see `DeploymentOptions`
  bool needs_origin = true;   ///< digests of the archive and its members, which are read for them
};

/// Reads everything in the archive at `path` ("-": standard input) and reports
///  - the checks of each module's network (mlf/graph/checks.def), the second opinion of Relay's
///    main among them;
///  - whether the TIR of further stages shows the network of the preferred stage, kernel by kernel;
///  - whether the generated C agrees with the captured TIR of its module and target, as far as C
///    and the dialect of the TIR can express it;
///  - whether the generated C uses TVM's `half`, which is no type of C, and whether its
///  declarations
///    are such that a compiler takes them;
///  - whether metadata.json declares the workspace that the network certainly uses;
///  - whether the outputs of an earlier `process_archive` are intact and up to date.
///
/// The archive passes if no finding has severity `error`. Writes, compiles and runs nothing: of C
/// it checks only the declarations. `checks` of the result lists what was checked and what was not.
///
/// Errors: `invalid_input` for an archive, metadata or TIR that cannot be read; `io`; `usage`.
MLF_API Result<Verification> verify_archive(const std::string& path,
                                            const VerifyOptions& options = {});

/// The result for one archive.
struct VerifiedArchive {
  std::string path;
  Verification verification;
};

/// Returns the text of `mlf verify --json` (schemas/verify.schema.json), with the origins of all.
MLF_API std::string to_json(std::span<const VerifiedArchive> archives, const DocumentForm& form);

}  // namespace mlf
