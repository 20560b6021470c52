#include "mlf/tir/compare.h"

#include <fmt/core.h>

#include "tir/compare/comparer.h"

namespace mlf::tir {

Comparison compare(const Module& left, const Module& right, const Tolerance& tolerance) {
  return compare_detail::Comparer(left, right, tolerance).run();
}

std::string to_string(const Difference& difference) {
  return fmt::format("{}: {} / {}", difference.path, difference.left, difference.right);
}

}  // namespace mlf::tir
