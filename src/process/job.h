// One archive to process, with everything that the outputs depend on.
#pragma once

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/process.h"
#include "process/manifest.h"

namespace mlf::process {

inline constexpr std::string_view kStandardStream = "-";

struct Job {
  const ProcessOptions& options;
  Deployment deployment;
  OutputNames names;
  std::vector<const archive::Member*> members_read{};  ///< that the outputs depend on
  std::vector<FileDigest> files_read{};                ///< beside the archive, the same
  std::optional<Manifest> previous{};
  std::vector<std::string> kept{};  ///< existing members with the names of TIR to add
  std::future<void> counting{};     ///< computes digests in the archive; ends before it

  /// Returns the digests of everything that the outputs depend on. Waits for digests in progress.
  Inputs inputs(tir::ConstantPlace constants) const;
  const archive::Archive& archive() const { return deployment.archive(); }
  const std::vector<Module>& modules() const { return deployment.library().modules; }
  /// Returns the member whose time and owner those outputs get that come from several members.
  const archive::Member& anchor() const;
};

/// Whether to change the archive at `path` itself.
bool in_place(const std::string& path, const ProcessOptions& options);

/// Opens the archive and reads enough to decide whether it is up to date. Throws `Error`.
Job prepare(const std::string& path, const ProcessOptions& options);

/// The same for an archive that is already open.
Job prepare(Deployment deployment, const ProcessOptions& options);

/// The state of a member that an earlier run wrote.
enum class OutputState : std::uint8_t { intact, changed, missing };
OutputState state_of(const archive::Archive& archive, const FileDigest& written);

}  // namespace mlf::process
