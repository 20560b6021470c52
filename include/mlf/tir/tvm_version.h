// Versions of TVM: which ones mlf knows, and ranges of them.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "mlf/export.h"

namespace mlf::tir {

/// Minor versions (the x of 0.x) of the releases that mlf knows, oldest first.
inline constexpr std::uint8_t kTvmReleases[] = {
#define MLF_TVM_RELEASE(minor) minor,
#include "mlf/tir/tvm_versions.def"
};
inline constexpr std::uint8_t kOldestTvm = *std::begin(kTvmReleases);
inline constexpr std::uint8_t kNewestTvm = *std::rbegin(kTvmReleases);

/// `until` of what the newest TVM still has; beyond every release, also those to come.
inline constexpr std::uint8_t kStillThere = UINT8_MAX;

/// TVM minor versions (the x of 0.x) that a text may come from, both ends included.
struct VersionRange {
  std::uint8_t first = kOldestTvm;
  std::uint8_t last = kNewestTvm;
  std::string exact;  ///< the full version where the source names it, such as "0.16.dev0"
  friend bool operator==(const VersionRange&, const VersionRange&) = default;
};

/// The version of TVM that users name: "0.16", "0.16.1", "0.16.dev0", "0.16.1rc0", the last three
/// with or without a build ("0.16.dev0+g1234abc"). Nothing for other texts, and for versions that
/// mlf does not know.
MLF_API std::optional<VersionRange> tvm_version_named(std::string_view text);

}  // namespace mlf::tir
