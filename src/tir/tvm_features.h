// What sets the versions of TVM apart (mlf/tir/tvm_versions.def), for readers to infer the version
// from and for writers to obey.
#pragma once

#include <cstdint>

#include "mlf/tir/document.h"

namespace mlf::tir {

/// The word for kStillThere in tables of versions (nodes.def, tvm_versions.def, …).
inline constexpr std::uint8_t now = kStillThere;

enum class TvmFeature : std::uint8_t {
#define MLF_TVM_FEATURE(name, since, until, meaning) name,
#include "mlf/tir/tvm_versions.def"
};

/// The first release with the feature, its minor number.
std::uint8_t first_with(TvmFeature feature);
/// Whether TVM v0.`minor` has the feature.
bool has(std::uint8_t minor, TvmFeature feature);
/// Whether some version of the range has it.
bool may_have(const VersionRange& range, TvmFeature feature);
/// Whether every version of the range has it.
bool all_have(const VersionRange& range, TvmFeature feature);

/// The versions that a text may come from, narrowed by what is found in it. Evidence that
/// contradicts what was found before is passed over: texts are edited by hand, and a version
/// estimate is not a reason to refuse one.
class VersionInference {
 public:
  explicit VersionInference(VersionRange start = {}) : range_(std::move(start)) {}

  /// The text has what only the versions with the feature print.
  void observe(TvmFeature feature);
  /// The text has what a version with the feature prints otherwise. Of a feature that came and went
  /// this excludes the versions up to its end once the older ones are out of the question.
  void observe_absence(TvmFeature feature);
  /// The text has what came with v0.`minor`: for tables with a column of their own, such as
  /// the operators.
  void at_least(std::uint8_t minor);
  void at_most(std::uint8_t minor);
  /// The text names its version.
  void exactly(const VersionRange& range) { range_ = range; }

  const VersionRange& range() const { return range_; }
  bool may_have(TvmFeature feature) const { return tir::may_have(range_, feature); }
  bool all_have(TvmFeature feature) const { return tir::all_have(range_, feature); }

 private:
  VersionRange range_;
};

}  // namespace mlf::tir
