// Finds the TIR of an archive, and the better source if it has the same TIR twice.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "deployment/generated_c.h"
#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

struct TirSources {
  std::vector<TirSource> all;  ///< see `Deployment::tir_sources`
  /// By module: its generated C, if that is in `all`.
  std::vector<std::optional<GeneratedC>> generated;
};

/// Throws `Error`, see `Deployment::open`. Both arguments must outlive the result.
TirSources find_tir(const archive::Archive& archive, const ModelLibrary& library,
                    std::span<const TirFile> beside);

}  // namespace mlf::deployment
