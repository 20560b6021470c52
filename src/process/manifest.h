// src/mlf.json: what an archive's outputs were made from. schemas/manifest.schema.json describes
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/write.h"
#include "support/byte_sink.h"

namespace mlf::process {

struct Digest {
  std::string name;
  std::string sha256;  ///< lower-case hex

  friend bool operator==(const Digest&, const Digest&) = default;
};

/// Everything that decides what the outputs are.
struct Inputs {
  tir::ConstantPlace constants = tir::ConstantPlace::inside;
  std::vector<Digest> members;  ///< members that were read
  std::vector<Digest> files;    ///< files beside the archive that were read, by their last name

  friend bool operator==(const Inputs&, const Inputs&) = default;
};

struct ManifestTarget {
  std::string kind;
  std::string text;
  std::optional<std::int32_t> device_type;
};

/// One tir-N.json: what it came from and what it belongs to.
struct ManifestTir {
  std::string member;
  std::string source;  ///< member, or file beside the archive
  std::string stage;
  std::vector<std::string> modules;
  std::optional<ManifestTarget> target;
};

/// One network: where it came from, and the members that show it.
struct ManifestNetwork {
  std::string module;
  std::string topology;              ///< member
  std::optional<std::string> graph;  ///< member; nothing where a check says that it would be wrong
  std::string source;                ///< stem of the TIR, or the member with the executor's graph
};

struct Manifest {
  Inputs inputs;
  std::vector<Digest> written{};  ///< all outputs but the manifest itself
  std::vector<ManifestTir> tir{};
  std::vector<ManifestNetwork> networks{};
};

/// Names of what mlf makes in one archive.
class OutputNames {
 public:
  /// `directory`: see `deployment::source_directory`.
  explicit OutputNames(std::string_view directory) : directory_(directory) {}

  /// The list of all others: `<directory>mlf.json`.
  std::string manifest() const { return member("mlf.json"); }
  /// `<directory><stem>.json`.
  std::string tir_json(std::string_view stem) const;
  /// A file beside a tir-N.json, which calls it `path`.
  std::string member(std::string_view path) const { return std::string(directory_).append(path); }
  /// Throw `Error`, with the archive's path, for a module whose name cannot be that of a file.
  std::string topology(std::string_view module, std::string_view archive) const;
  std::string graph(std::string_view module, std::string_view archive) const;

  /// Whether mlf may have made a member of this name; the manifest itself is not among them.
  bool contain(std::string_view name) const;

 private:
  std::string_view directory_;
};

/// `<stem>.constants`: the directory of its constants, seen from the directory of its JSON.
std::string constants_directory(std::string_view stem);

void write_manifest(const Manifest& manifest, support::ByteSink& out);

/// What decides whether an archive is up to date: `inputs` and `written`; the rest stays empty.
/// Nothing for a text that mlf did not write, or not in this version of the format.
std::optional<Manifest> read_manifest(std::string_view text, const OutputNames& names);

}  // namespace mlf::process
