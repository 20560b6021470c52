#include "tir/c/write/forms.h"

#include <algorithm>
#include <array>
#include <climits>

#include "tir/c/versions.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {
namespace {

struct Row {
  int since;
  int until;
};

constexpr auto kRows = std::to_array<Row>({
#define MLF_C_FORM(name, since, until, meaning) {since, until == now ? INT_MAX : until},
#include "tir/c/write/forms.def"
});

constexpr int kBetween15And16 = 155;

/// Where the range has versions before and since v0.16, the reader took a `?:` as the older ones
/// print it.
int version_of(const VersionRange& range) {
  if (is_between_15_and_16(range)) return kBetween15And16;
  const int last = ternary_of(range) == Ternary::select
                       ? range.last
                       : std::min<int>(range.last, first_with(TvmFeature::c_condval) - 1);
  return last * 10;
}

}  // namespace

Forms::Forms(const VersionRange& version) : version_(version_of(version)) {}

bool Forms::has(Form form) const {
  const Row& row = kRows[static_cast<std::size_t>(form)];
  return version_ >= row.since && version_ <= row.until;
}

}  // namespace mlf::tir::c
