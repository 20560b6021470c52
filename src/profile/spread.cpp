#include "profile/spread.h"

#include <algorithm>

namespace mlf {
namespace profile {

ProfileSpread spread_of(std::vector<std::uint64_t> runs) {
  std::ranges::sort(runs);
  return {.min = runs.front(), .median = runs[(runs.size() - 1) / 2], .max = runs.back()};
}

}  // namespace profile

std::string_view to_string(ProfileSource source) {
  switch (source) {
    case ProfileSource::emulated:
      return "emulated";
    case ProfileSource::timed:
      return "timed";
    case ProfileSource::measured:
      return "measured";
  }
  return "";
}

std::uint64_t ProfileNumbers::amount() const {
  if (instructions) return *instructions;
  const std::optional<ProfileSpread>& spread = cycles ? cycles : nanoseconds;
  return spread ? spread->median.value_or(spread->min) : 0;
}

std::string_view Profile::unit() const {
  switch (source) {
    case ProfileSource::emulated:
      return "instructions";
    case ProfileSource::timed:
      return "nanoseconds";
    case ProfileSource::measured:
      return "cycles";
  }
  return "";
}

}  // namespace mlf
