// Versions of the library and of the formats it writes.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <string_view>

#include "mlf/export.h"

namespace mlf {

/// "0.1.0".
MLF_API std::string_view version() noexcept;

/// src/tir-N.json, `mlf-tir`.
inline constexpr int kTirJsonVersion = 1;

/// src/mlf.json, `mlf-manifest`. It covers everything that the outputs depend on beside what
/// the manifest lists: a new number makes every archive be processed again.
inline constexpr int kManifestVersion = 2;

/// `mlf inspect --json`, `mlf-inspect`.
inline constexpr int kInspectVersion = 1;

/// `mlf verify --json`, `mlf-verify`.
inline constexpr int kVerifyVersion = 1;

/// `mlf check --format json`, `mlf-check`.
inline constexpr int kCheckVersion = 1;

/// `mlf diff --format json`, `mlf-diff`.
inline constexpr int kDiffVersion = 1;

}  // namespace mlf
