// One archive to process, and everything in it that decides what is written.
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
  std::vector<const archive::Member*> members_read{};  ///< that decide the outputs
  std::vector<Digest> files_read{};                    ///< beside the archive, the same
  std::optional<Manifest> previous{};
  std::vector<std::string> kept{};  ///< members in the way of TIR that was to be added
  std::future<void> counting{};     ///< of digests, which the archive keeps; ends before it goes

  /// All that the outputs follow from, by content. Waits for digests that are being counted.
  Inputs inputs(tir::ConstantPlace constants) const;
  const archive::Archive& archive() const { return deployment.archive(); }
  const std::vector<Module>& modules() const { return deployment.library().modules; }
  /// Whose time and owner outputs get that are made from no member in particular.
  const archive::Member& anchor() const;
};

/// Whether the archive at `path` itself is to change.
bool in_place(const std::string& path, const ProcessOptions& options);

/// Opens the archive and reads what it takes to know whether anything is to be done. Throws
/// `Error`.
Job prepare(const std::string& path, const ProcessOptions& options);

/// The same of an archive that is open already.
Job prepare(Deployment deployment, const ProcessOptions& options);

/// What became of a member that an earlier run wrote.
enum class OutputState : std::uint8_t { intact, changed, missing };
OutputState state_of(const archive::Archive& archive, const Digest& written);

}  // namespace mlf::process
