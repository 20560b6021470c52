// What `mlf inspect` found out about an archive, and the two ways it is shown.
#pragma once

#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/memory_claims.h"
#include "options.h"

namespace mlf::program {

/// A function of a TIR module.
struct FunctionFacts {
  std::string name;
  std::string symbol;  ///< global_symbol, or the name where it has none
  std::string module;  ///< of the model library; empty where none fits
  std::size_t parameters = 0;
};

/// One TIR source. Either it was read, or `failure` says why not.
struct TirFacts {
  TirSource source;
  tir::Source origin{};
  std::optional<Target> target{};
  std::vector<std::string> modules{};
  std::vector<FunctionFacts> functions{};
  std::vector<tir::Loss> losses{};
  std::string json_member{};  ///< the src/tir-N.json of this source, if the archive has one
  std::optional<Diagnostic> failure{};
};

struct Inspection {
  Deployment deployment;
  std::vector<TirFacts> tir;
  Networks networks;                             ///< none where `networks_failure` says why
  std::optional<Diagnostic> networks_failure{};  ///< a TIR or a graph that does not read

  /// The network of a module, by its index in ModelLibrary::modules; null where it has none.
  const graph::Topology* network_of(std::size_t module) const;
};

/// Errors: those of the archive and its metadata; TIR that does not read is a `failure`.
Result<Inspection> inspect(const std::string& path, const Limits& limits);

/// One JSON document (schemas/inspect.schema.json).
std::string to_json(const Inspection& inspection);

/// Tables for a terminal.
std::string to_tables(const Inspection& inspection);

std::string_view name_of(archive::Storage storage);
std::string_view name_of(archive::MemberType type);
std::string_view name_of(Style style);
std::string_view name_of(Executor executor);

/// "0.16.0", or the range of versions that a text may come from: "0.8 to 0.11".
std::string spelled(const tir::VersionRange& range);

}  // namespace mlf::program
