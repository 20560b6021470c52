// Giving an archive its TIR and its network as JSON, and leaving every other byte of it alone.
//
//     const auto done = mlf::process_archive("module.tar");
//     if (!done) return fail(done.error());
//     for (const mlf::WrittenMember& member : done->written) print(member.name);
//
// Threads: calls for different archives may run at once; calls for one archive run one after the
// other, in this process and among processes (a lock on the file).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"

namespace mlf {

/// Something the archive has to have, else processing it is a failed check.
enum class Requirement : std::uint8_t {
  tir,    ///< at least one TIR source
  graph,  ///< the graph of every module
};

/// What to do with a member that has the name of an output but was not written by mlf.
enum class ForeignMembers : std::uint8_t { refuse, replace };

/// Whether the result is written or only found out.
enum class Effect : std::uint8_t { write, dry_run };

struct ProcessOptions {
  std::string output{};                  ///< empty: in place; "-": standard output
  std::vector<std::string> tir_files{};  ///< TIR beside the archive, see `DeploymentOptions`
  /// TIR that becomes a member `src/<name of the file>` first: the name is that of a TIR source. A
  /// member of that name stays as it is, and the file is not looked at any further.
  std::vector<std::string> added_tir_files{};
  /// With `npy`, constants are members src/tir-N.constants/<id>.npy.
  tir::ConstantPlace constants = tir::ConstantPlace::inside;
  std::vector<Requirement> require{};
  /// The module of an archive without metadata.json: its files have to name this one and no other.
  /// Empty: such an archive is not written into.
  std::string module{};
  ForeignMembers foreign = ForeignMembers::refuse;
  Effect effect = Effect::write;
  archive::Limits archive_limits{};
  tir::ReadLimits tir_limits{};
};

/// A member that processing writes.
struct WrittenMember {
  std::string name;
  std::uint64_t size = 0;
};

/// What became of the network of one module.
struct NetworkReport {
  std::string module;
  std::size_t calls = 0;
  std::size_t failed_checks = 0;      ///< of severity `error`: with any, no graph is written
  std::string first_failure{};        ///< what the first of them says
  std::optional<NoNetwork> reason{};  ///< why there is none
};

struct ProcessReport {
  /// Members written, in their order, TIR that was added first; empty where the archive is up to
  /// date already.
  std::vector<WrittenMember> written{};
  /// Members of an earlier run that are not written any more.
  std::vector<std::string> removed{};
  /// One for each module; empty where the archive is up to date already.
  std::vector<NetworkReport> networks{};
  /// Members of other content than the file of `ProcessOptions::added_tir_files` of their name.
  std::vector<std::string> kept{};
  /// What a replaced file had and the new one has not: extended attributes that the system does not
  /// let mlf read or set, a sentence each.
  std::vector<std::string> lost{};
  /// The number of TIR sources. Without any, and without a network, there is nothing to write, not
  /// even a manifest.
  std::size_t tir_sources = 0;

  bool changed() const noexcept { return !written.empty() || !removed.empty(); }
};

/// Writes into the archive at `path` ("-": standard input)
///  - `src/tir-N.json` for every TIR, see `Deployment::tir_sources`;
///  - `src/<m>.topology.json` for every module whose network is known, and its projection
///    `src/<m>.graph.json` unless a check of severity `error` says that it cannot be trusted;
///  - `src/mlf.json`, the manifest (schemas/manifest.schema.json).
///
/// The result depends on the members that are read, on the options and on the version of the
/// formats only. Where the manifest says that none of these changed, and what it lists is intact,
/// the archive is left alone: not even its time changes. Otherwise the members it lists are
/// replaced; those that are no longer made go.
///
/// In place means atomically, under a lock: other readers see the old archive or the new one. In a
/// directory every file is replaced atomically, and the manifest before the files that it lists:
/// after an interruption `verify_archive` finds what is missing, and the next call makes it.
///
/// Errors leave the archive as it was: `invalid_input` for a malformed archive, metadata, manifest
/// or TIR, and for a member that mlf did not write in the way; `check_failed` for a missing
/// requirement; `usage`; `io`.
MLF_API Result<ProcessReport> process_archive(const std::string& path,
                                              const ProcessOptions& options = {});

}  // namespace mlf
