// Generated C as a source of TIR: the only one that a stock archive has.
#pragma once

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// The TIR that the C of one module is, one a target, whether or not there is a better one. Stems
/// are free of those that `taken` has. Throws `Error`.
std::vector<TirSource> generated_c(const archive::Archive& archive, const Module& module,
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
