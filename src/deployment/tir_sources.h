// Finds the TIR of an archive, and the better source if it has the same TIR twice.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "deployment/generated_c.h"
#include "deployment/tir_name.h"
#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/model_library.h"
#include "support/name_map.h"

namespace mlf::deployment {

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
