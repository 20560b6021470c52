#include "tir/c/write/forms.h"

#include <algorithm>

#include "tir/c/versions.h"

namespace mlf::tir::c {
namespace {

/// Where the range has versions before and since v0.16, the reader took a `?:` as the older ones
/// print it.
std::uint8_t minor_of(const VersionRange& range) {
  if (ternary_of(range) == Ternary::select) return range.last;
  return std::min<std::uint8_t>(range.last, first_with(TvmFeature::c_condval) - 1);
}

}  // namespace

Forms::Forms(const VersionRange& version)
    : minor_(minor_of(version)), is_between_15_and_16_(is_between_15_and_16(version)) {}

bool Forms::has(TvmFeature feature) const {
  const bool came_with_release =
      feature == TvmFeature::c_asks_for_null || feature == TvmFeature::c_data_last;
  return tir::has(minor_, feature) && !(is_between_15_and_16_ && came_with_release);
}

}  // namespace mlf::tir::c
