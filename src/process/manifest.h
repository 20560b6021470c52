// src/mlf.json: the inputs and outputs of a run. schemas/manifest.md specifies it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/formats.h"
#include "mlf/target.h"
#include "mlf/tir/write.h"
#include "support/byte_sink.h"

namespace mlf::process {

/// Everything that the outputs depend on.
struct Inputs {
  tir::ConstantPlace constants = tir::ConstantPlace::inside;
  std::vector<FileDigest> members;  ///< members that were read
  std::vector<FileDigest> files;    ///< files beside the archive that were read, by their last name

  friend bool operator==(const Inputs&, const Inputs&) = default;
};

/// One tir-N.json, its source, its modules and its target.
struct ManifestTir {
  std::string member;
  std::string source;  ///< member, or file beside the archive
  std::string stage;
  std::vector<std::string> modules;
  const Target* target = nullptr;  ///< of the model library; null if none fits
};

/// One network, its source, and the members with its topology and graph.
struct ManifestNetwork {
  std::string module;
  std::string topology;              ///< member
  std::optional<std::string> graph;  ///< member; empty if a check fails
  std::string source;                ///< stem of the TIR, or the member with the executor's graph
};

struct Manifest {
  Inputs inputs;
  std::vector<FileDigest> written{};  ///< all outputs but the manifest itself
  std::vector<ManifestTir> tir{};
  std::vector<ManifestNetwork> networks{};
};

/// The names of mlf's outputs in one archive.
class OutputNames {
 public:
  /// `directory`: see `deployment::source_directory`.
  explicit OutputNames(std::string_view directory) : directory_(directory) {}

  /// Returns the name of the manifest: `<directory>mlf.json`.
  std::string manifest() const { return member("mlf.json"); }
  /// `<directory><stem>.json`.
  std::string tir_json(std::string_view stem) const;
  /// Returns the name of a file that a tir-N.json refers to as `path`.
  std::string member(std::string_view path) const { return std::string(directory_).append(path); }
  /// These throw `Error`, with the archive's path, for a module whose name is not valid in a file
  /// name.
  std::string topology(std::string_view module, std::string_view archive) const;
  std::string graph(std::string_view module, std::string_view archive) const;

  /// Returns whether mlf may have made a member of this name, other than the manifest.
  bool contain(std::string_view name) const;

 private:
  std::string_view directory_;
};

/// Returns `<stem>.constants`, the directory of its constants relative to its JSON.
std::string constants_directory(std::string_view stem);

void write_manifest(const Manifest& manifest, support::ByteSink& out);

/// Reads `inputs` and `written` of a manifest, which decide whether an archive is up to date; the
/// rest stays empty. Returns nullopt if mlf did not write the text, or wrote it in another version
/// of the format.
std::optional<Manifest> read_manifest(std::string_view text, const OutputNames& names);

/// Whether the text is only the beginning of a manifest. Users may have other files of this name.
bool is_cut_manifest(std::string_view text);

}  // namespace mlf::process
