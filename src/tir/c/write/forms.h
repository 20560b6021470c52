// Which forms of generated C the version at hand prints.
#pragma once

#include <cstdint>

#include "tir/tvm_features.h"

namespace mlf::tir::c {

class Forms {
 public:
  /// Where the range leaves a choice, its last version that prints a `?:` as the reader reads it:
  /// what else can be told apart, was.
  explicit Forms(const VersionRange& version);

  /// Whether C has a feature, one of the rows `c_…` of tvm_versions.def.
  bool has(TvmFeature feature) const;

 private:
  std::uint8_t minor_;
  bool is_between_11_and_12_;
  bool is_between_15_and_16_;
};

}  // namespace mlf::tir::c
