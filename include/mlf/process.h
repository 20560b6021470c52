// Writes the TIR and the network of an archive into it as JSON. Every other member keeps its bytes.
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
#include <span>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"

namespace mlf {

/// Something that the archive must have. Without it, `process_archive` fails with `check_failed`.
enum class Requirement : std::uint8_t {
  tir,    ///< at least one TIR source
  graph,  ///< the graph of every module
};

/// What to do with a member that has the name of an output but was not written by mlf.
enum class ForeignMembers : std::uint8_t { refuse, replace };

/// Whether to write the result, or only to compute it.
enum class Effect : std::uint8_t { write, dry_run };

struct ProcessOptions {
  std::string output{};                  ///< empty: in place; "-": standard output
  std::vector<std::string> tir_files{};  ///< TIR beside the archive, see `DeploymentOptions`
  /// TIR files that first become members `src/<name of the file>`; the name must be that of a TIR
  /// source. If the archive already has the member, it stays, and the file is ignored.
  std::vector<std::string> added_tir_files{};
  /// With `npy`, constants are members src/tir-N.constants/<id>.npy.
  tir::ConstantPlace constants = tir::ConstantPlace::inside;
  std::vector<Requirement> require{};
  /// The module of an archive without metadata.json: its files must name this module and no other.
  /// Empty: mlf does not write into such an archive.
  std::string module{};
  ForeignMembers foreign = ForeignMembers::refuse;
  Effect effect = Effect::write;
  archive::Limits archive_limits{};
  tir::ReadLimits tir_limits{};
  tir::MacroValues macros{};  ///< see `DeploymentOptions`
  bool needs_origin = false;  ///< digests of the archive and its members, which are read for them
};

/// A member that processing writes.
struct WrittenMember {
  std::string name;
  std::uint64_t size = 0;
};

/// A member with the JSON of a TIR.
struct WrittenTir {
  std::string member;
  std::string source;         ///< member or file with the text
  std::size_t functions = 0;  ///< kernels and main
  std::size_t losses = 0;     ///< facts that the text does not state, as the JSON lists them
};

/// The network of one module.
struct NetworkReport {
  std::string module;
  std::size_t calls = 0;
  std::size_t failed_checks = 0;      ///< of severity `error`: with any, no graph is written
  std::string first_failure{};        ///< `detail` of the first of them
  std::optional<NoNetwork> reason{};  ///< why there is none
};

struct ProcessReport {
  /// Members written, in their order, added TIR first. Empty if the archive is already up to date.
  std::vector<WrittenMember> written{};
  /// The members among these that have TIR.
  std::vector<WrittenTir> tir{};
  /// Members of an earlier run that this run removed.
  std::vector<std::string> removed{};
  /// One for each module. Empty if the archive is already up to date.
  std::vector<NetworkReport> networks{};
  /// Members that stayed although a file of `ProcessOptions::added_tir_files` with their name
  /// differs.
  std::vector<std::string> kept{};
  /// Extended attributes that the replaced file had and the new one lacks, because the system did
  /// not let mlf read or set them; one sentence each.
  std::vector<std::string> lost{};
  /// Why generated C or another source of constants could not be read, if TIR lacks data of
  /// constants. The data that only this source contains is `null` in the JSON of the TIR, with the
  /// loss `constant-data`; `verify_archive` fails. Empty if the archive is already up to date.
  std::vector<Diagnostic> unread_constants{};
  /// The number of TIR sources. Without any, and without a network, there is nothing to write, not
  /// even a manifest.
  std::size_t tir_sources = 0;
  ArchiveOrigin origin{};  ///< of the archive before; empty unless the options ask for it

  bool changed() const noexcept { return !written.empty() || !removed.empty(); }
};

/// Writes into the archive at `path` ("-": standard input)
///  - `src/tir-N.json` for every TIR, see `Deployment::tir_sources`;
///  - `src/<m>.topology.json` for every module whose network is known, and its projection
///    `src/<m>.graph.json` unless a check of severity `error` says that it cannot be trusted;
///  - `src/mlf.json`, the manifest (schemas/manifest.schema.json).
///
/// The result depends only on the members that are read, on the options and on the version of the
/// formats. If by the manifest none of these changed, and the members that it lists are intact, the
/// archive stays untouched: not even its time changes. Otherwise mlf replaces the listed members,
/// and removes those that it no longer makes.
///
/// In place means atomically, under a lock: other readers see the old archive or the new one. In a
/// directory mlf replaces each file atomically, the manifest before the files that it lists: after
/// an interruption `verify_archive` finds what is missing, and the next call makes it.
///
/// Errors leave the archive as it was: `invalid_input` for a malformed archive, metadata, manifest
/// or TIR, and for a member that mlf did not write in the way; `check_failed` for a missing
/// requirement; `usage`; `io`.
MLF_API Result<ProcessReport> process_archive(const std::string& path,
                                              const ProcessOptions& options = {});

/// The result for one archive.
struct ProcessedArchive {
  std::string path;
  ProcessReport report;
};

/// Returns the text of `mlf process --json` (schemas/process.schema.json), with the origins of all.
MLF_API std::string to_json(std::span<const ProcessedArchive> archives, const DocumentForm& form);

}  // namespace mlf
