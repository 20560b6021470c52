#include "mlf/tir/document.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/characters.h"
#include "support/numbers.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace {

// What the oldest release has, older ones are taken to have, too: `since` is 0.
struct FeatureRow {
  std::uint8_t since;
  std::uint8_t until;
};

const FeatureRow& row(TvmFeature feature) {
  static constexpr FeatureRow kFeatures[] = {
#define MLF_TVM_FEATURE(name, since, until, meaning) {since == kOldestTvm ? 0 : since, until},
#include "mlf/tir/tvm_versions.def"
  };
  return kFeatures[static_cast<std::size_t>(feature)];
}

/// Whether `text` is what may follow "0.16": ".1", ".dev0", ".1.dev0", ".0rc0", each of them with
/// "+g1234abc".
bool is_release(std::string_view text) {
  const auto take = [&](std::string_view word) {
    const bool is_there = text.starts_with(word);
    if (is_there) text.remove_prefix(word.size());
    return is_there;
  };
  const auto take_all = [&](auto accepts) {
    const auto end = std::ranges::find_if_not(text, accepts);
    const auto count = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(count);
    return count > 0;
  };
  const auto is_of_build = [](char c) {
    return support::is_digit(c) || support::is_letter(c) || c == '.';
  };
  bool is_development = take(".dev");
  if (!is_development) {
    if (!take(".") || !take_all(support::is_digit)) return false;
    is_development = take(".dev") || take("rc");
  }
  if (is_development && !take_all(support::is_digit)) return false;
  if (take("+") && !take_all(is_of_build)) return false;
  return text.empty();
}

}  // namespace

std::optional<VersionRange> tvm_version_named(std::string_view text) {
  constexpr std::string_view kMajor = "0.";
  if (!text.starts_with(kMajor)) return std::nullopt;
  std::string_view rest = text.substr(kMajor.size());
  const auto minor = support::take_number<std::uint8_t>(rest);
  // Texts of versions outside the table are not known: they are refused.
  if (!minor || *minor < kOldestTvm || *minor > kNewestTvm) return std::nullopt;
  if (rest.empty()) return VersionRange{*minor, *minor, fmt::format("{}.0", text)};
  if (!is_release(rest)) return std::nullopt;
  return VersionRange{*minor, *minor, std::string(text)};
}

std::uint8_t first_with(TvmFeature feature) {
  return std::max(row(feature).since, kOldestTvm);
}

bool has(std::uint8_t minor, TvmFeature feature) {
  return row(feature).since <= minor && minor <= row(feature).until;
}

bool may_have(const VersionRange& range, TvmFeature feature) {
  return row(feature).since <= range.last && range.first <= row(feature).until;
}

bool all_have(const VersionRange& range, TvmFeature feature) {
  return row(feature).since <= range.first && range.last <= row(feature).until;
}

void VersionInference::observe(TvmFeature feature) {
  at_least(row(feature).since);
  at_most(row(feature).until);
}

void VersionInference::observe_absence(TvmFeature feature) {
  const auto [since, until] = row(feature);
  if (until == kStillThere) {
    at_most(static_cast<std::uint8_t>(since - 1));
  } else if (range_.first >= since) {
    at_least(static_cast<std::uint8_t>(until + 1));
  }
}

void VersionInference::at_least(std::uint8_t minor) {
  if (minor <= range_.last) range_.first = std::max(range_.first, minor);
}

void VersionInference::at_most(std::uint8_t minor) {
  if (minor >= range_.first) range_.last = std::min(range_.last, minor);
}

}  // namespace mlf::tir
