// What the constants of a kernel look like.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"
#include "page/page.h"

namespace mlf::page {

/// Range, zeros and histogram of little-endian elements. Without a histogram where the dtype has no
/// number of its own here (bfloat16, vectors) or an element is no finite number.
ConstantSummary summary_of(std::string name, tir::DType dtype, std::span<const std::byte> data);

/// The constants that the memory planner put into pools, by offset and size: every function that is
/// given a pool says what is in it, and kernels name theirs otherwise.
class PooledConstants {
 public:
  explicit PooledConstants(const tir::Document& document);

  /// Nothing where no constant is there, or two pools have different ones.
  std::optional<ConstantSummary> find(const graph::KernelBuffer& buffer) const;

 private:
  struct Entry {
    tir::Node array;
    bool is_ambiguous = false;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Entry> by_place_;
};

/// Those of the function itself, then those that it has in pools.
std::vector<ConstantSummary> constants_of(const KernelReport& kernel,
                                          const graph::Topology* network,
                                          const PooledConstants& pooled);

}  // namespace mlf::page
