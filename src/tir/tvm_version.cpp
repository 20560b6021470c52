#include <fmt/format.h>

#include <charconv>

#include "mlf/tir/write.h"

namespace mlf::tir {

std::optional<VersionRange> tvm_version_named(std::string_view text) {
  constexpr std::string_view kMajor = "0.";
  if (!text.starts_with(kMajor)) return std::nullopt;
  const VersionRange known;
  std::uint8_t minor = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + kMajor.size(), end, minor);
  if (error != std::errc{} || minor < known.first || minor > known.last) return std::nullopt;
  if (rest == end) return VersionRange{minor, minor, fmt::format("{}.0", text)};
  if (*rest != '.' || rest + 1 == end) return std::nullopt;
  return VersionRange{minor, minor, std::string(text)};
}

}  // namespace mlf::tir
