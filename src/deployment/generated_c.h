// Generated C as a source of TIR: the only one that a stock archive has.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/model_library.h"
#include "support/name_map.h"

namespace mlf::deployment {

/// The C of one module.
struct GeneratedC {
  /// The TIR that it is, one a target, whether or not there is a better one.
  std::vector<TirSource> sources;
  /// Where it defines functions, by symbol.
  support::NameMap<std::string, tir::CodePlace> places;
};

/// Reads the files of a module as far as to the ends of their functions. Stems are free of those
/// that `taken` has. Throws `Error`.
GeneratedC generated_c(const archive::Archive& archive, const Module& module,
                       std::span<const TirSource> taken);

/// Which modules of a library captured TIR shows.
class CapturedModules {
 public:
  CapturedModules(const ModelLibrary& library, std::span<const TirSource> captured);

  /// Whether the captured TIR shows this module of the library, see `Deployment::tir_sources`.
  bool show(const Module& module) const;

 private:
  bool mention(std::string_view prefix) const;

  std::span<const TirSource> captured_;
  bool is_only_one_;
  std::set<std::string_view> symbols_;  ///< all that a text has behind "tvmgen_", where needed
};

}  // namespace mlf::deployment
