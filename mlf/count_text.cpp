#include "count_text.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace mlf::program {

std::string spelled(const analysis::Count& count) {
  if (count.is_exact()) return std::to_string(count.min);
  if (!count.max) return count.min == 0 ? "?" : fmt::format(">={}", count.min);
  if (count.min == 0) return fmt::format("<={}", *count.max);
  return fmt::format("{}..{}", count.min, *count.max);
}

nlohmann::ordered_json count_json(const analysis::Count& count) {
  using Json = nlohmann::ordered_json;
  if (count.is_exact()) return count.min;
  if (count.min == 0 && !count.max) return nullptr;
  return {{"min", count.min}, {"max", count.max ? Json(*count.max) : Json(nullptr)}};
}

}  // namespace mlf::program
