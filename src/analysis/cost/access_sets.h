// Computes the bytes that an access touches in all iterations of the loops around it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/cost/byte_set.h"
#include "analysis/cost/regions.h"
#include "graph/kernels/kernel_code.h"
#include "mlf/tir/module.h"
#include "tir/linear_sum.h"

namespace mlf::analysis {

/// An index as a sum: terms are variables and other expressions.
using IndexTerms = tir::LinearSum<tir::NodeId>;

/// Adds `index` times `factor`, with the values of bound variables. Returns false if a number or
/// the expression is too large; the terms are then not valid.
bool add_index(tir::Node index, std::int64_t factor, const graph::Bindings& bindings,
               IndexTerms& terms);

/// One access in one region: `bytes` bytes at the byte offset `terms`.
struct PlacedAccess {
  RegionId region = RegionId::function;
  IndexTerms terms{};
  std::int64_t bytes = 0;
  std::int64_t lane_step = 0;  ///< bytes between the elements of a vector
  std::uint64_t lanes = 1;
  std::vector<tir::Node> first_only{};  ///< loops whose first iteration alone counts
};

/// The bytes of an access in all iterations of the loops inside of one region, within one iteration
/// of the loops around that region.
struct AccessedBytes {
  IndexTerms base{};      ///< offset of all bytes: depends on the loops around the region
  ByteSet bytes{};        ///< all that it may touch, and perhaps others
  bool is_exact = false;  ///< each of `bytes` is touched
};

/// Computes these bytes. Runs iterations one by one if bounds, conditions or divisions require it,
/// within limits; beyond these the result is a span around all bytes that the access may touch.
class AccessSets {
 public:
  AccessSets(const graph::KernelCode& code, const EvaluatedFunction& evaluated)
      : code_(code), evaluated_(evaluated) {}

  /// Returns the bytes in the iterations inside of `level`, which is the access's region or around
  /// it. Returns nullopt if the offset depends on data.
  std::optional<AccessedBytes> bytes_inside(const PlacedAccess& access, RegionId level);
  /// Whether both bases are the same number in each iteration.
  bool have_same_base(const AccessedBytes& a, const AccessedBytes& b) const;
  /// Returns the distance between the bytes of one iteration of this loop and the next; nullopt if
  /// it is not the same each time.
  std::optional<std::int64_t> step_in(const AccessedBytes& bytes, tir::Node loop) const;

 private:
  const graph::KernelCode& code_;
  const EvaluatedFunction& evaluated_;
  std::uint64_t steps_left_ = std::uint64_t{1} << 26;
};

}  // namespace mlf::analysis
