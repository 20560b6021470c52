#include "support/percent.h"

#include <fmt/core.h>

namespace mlf {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0.0";
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace mlf
