// Finds the TIR of an archive: captured TIR and generated C, the only one in an archive as TVM
// exports it; and the better source if it has the same TIR twice.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deployment/tir_name.h"
#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/model_library.h"
#include "support/name_map.h"

namespace mlf::deployment {

/// The C of one module.
struct GeneratedC {
  /// Its TIR, one source for each target, even if the archive has a better source.
  std::vector<TirSource> sources;
  /// Places of its functions, by symbol.
  support::NameMap<std::string, tir::CodePlace> places;
};

/// Reads the files of a module far enough to find the ends of their functions. Adds the stems of
/// its sources to `stems`. Throws `Error`.
GeneratedC generated_c(const archive::Archive& archive, const Module& module,
                       const tir::MacroValues& macros, Stems& stems);

struct TirSources {
  std::vector<TirSource> all;  ///< see `Deployment::tir_sources`
  /// Positions in `all` by stem and by name of the member.
  support::NameMap<std::string_view, std::size_t> positions;
  Stems stems;  ///< of `all`
  /// By module: its generated C, if that is in `all`.
  std::vector<std::optional<GeneratedC>> generated;
};

/// Throws `Error`, see `Deployment::open`. The arguments must outlive the result.
TirSources find_tir(const archive::Archive& archive, const ModelLibrary& library,
                    std::span<const TirFile> beside, const tir::MacroValues& macros);

}  // namespace mlf::deployment
