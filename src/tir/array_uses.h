// The places of a module with NDArrays, or with references to missing NDArrays.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"

namespace mlf::tir {

/// A place of `ConstantQuery`, and its array.
struct ArrayUse {
  ConstantSite site;
  std::string function;
  std::string name;
  std::optional<DType> dtype{};                      ///< of an AllocateConst
  std::optional<std::vector<std::int64_t>> shape{};  ///< the same, where its extents are numbers
  std::optional<std::int64_t> pool_offset{};
  Node array;  ///< NDArray or MissingObject
};

/// Every use in statements, in pools, and in lists and maps of attributes. Not those in Relay.
std::vector<ArrayUse> array_uses(Node module);

/// The constant, if all of these are equal, with its shape if one of them has it; null if there is
/// none or they differ.
const FoundConstant* agreed(const std::vector<FoundConstant>& found);

/// An extent of a constant; nothing if it is not a number.
std::optional<std::int64_t> constant_extent(Node extent);

}  // namespace mlf::tir
