// Whether what an archive says about itself fits together.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"

namespace mlf {

/// What a finding is about.
enum class FindingCode : std::uint8_t {
  network_check,   ///< a check of a topology; `check` says which
  stage_mismatch,  ///< two stages of one build show different networks
  c_mismatch,      ///< generated C says something else than the TIR that was captured
  stale_outputs,   ///< outputs of mlf were made from other members than those that are there now
  damaged_output,  ///< an output of mlf is missing, or not what mlf wrote
  no_network,      ///< a module without a network
};

MLF_API std::string_view to_string(FindingCode code);

struct Finding {
  graph::Severity severity{};
  FindingCode code{};
  graph::CheckCode check{};  ///< of `network_check`
  std::string module{};      ///< empty for what concerns the whole archive
  std::string detail{};      ///< one sentence
};

struct VerifyOptions {
  std::vector<std::string> tir_files{};  ///< TIR beside the archive, see `DeploymentOptions`
  archive::Limits archive_limits{};
  tir::ReadLimits tir_limits{};
};

/// Reads everything in the archive at `path` ("-": standard input) and reports
///  - the checks of each module's network (mlf/graph/checks.def), the second opinion of Relay's
///    main among them;
///  - whether the TIR of further stages shows the network of the preferred stage, kernel by kernel;
///  - whether the generated C says what the captured TIR of its module and target says, as far as C
///    can say it (`tir::c_normal_form`) and the dialect of the TIR does (`tir::Tolerance`);
///  - whether the outputs of an earlier `process_archive` are intact and up to date.
///
/// The archive passes where no finding is of severity `error`. Nothing is written.
///
/// Errors: `invalid_input` for an archive, metadata or TIR that does not read; `io`; `usage`.
MLF_API Result<std::vector<Finding>> verify_archive(const std::string& path,
                                                    const VerifyOptions& options = {});

}  // namespace mlf
