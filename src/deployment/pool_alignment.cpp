#include "deployment/pool_alignment.h"

#include <bit>
#include <string>

#include "support/error.h"
#include "support/numbers.h"
#include "tir/c/c.h"

namespace mlf {
namespace {

/// The line of `text` that ends at `end`.
std::string_view line_before(std::string_view text, std::size_t end) {
  text = text.substr(0, end);
  const std::size_t begin = text.rfind('\n');
  return begin == text.npos ? text : text.substr(begin + 1);
}

/// The number of `aligned(N)` in an attribute.
std::optional<std::uint64_t> aligned_in(std::string_view attribute) {
  constexpr std::string_view kAligned = "aligned(";
  const std::size_t at = attribute.rfind(kAligned);
  if (at == attribute.npos) return std::nullopt;
  attribute.remove_prefix(at + kAligned.size());
  const auto number = support::take_number<std::uint64_t>(attribute);
  const bool is_alignment = number && attribute.starts_with(')') && std::has_single_bit(*number);
  return is_alignment ? number : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> pool_alignment(std::string_view c, std::string_view pool) {
  const std::string array = "static uint8_t " + std::string(pool) + "[";
  const std::size_t at = c.find(array);
  // A second array with that name would be in another translation unit.
  if (at == c.npos || c.find(array, at + 1) != c.npos) return std::nullopt;
  if (at == 0 || c[at - 1] != '\n') return std::nullopt;
  return aligned_in(line_before(c, at - 1));
}

std::vector<plan::PoolAlignment> pool_alignments(const Deployment& deployment, std::size_t module,
                                                 const graph::Topology& network) {
  std::vector<plan::PoolAlignment> alignments;
  const auto sources = support::get_or_throw(deployment.generated_c(module));
  if (sources.empty() || !sources.front().c) return alignments;
  for (const graph::Pool& pool : network.pools) {
    std::optional<std::uint64_t> found;
    for (const tir::Input& file : sources.front().c->files) {
      const auto alignment = pool_alignment(file.text, pool.name);
      if (alignment) found = std::max(found.value_or(1), *alignment);
    }
    if (found) alignments.push_back({pool.name, *found});
  }
  return alignments;
}

}  // namespace mlf
