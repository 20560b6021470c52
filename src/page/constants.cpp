#include "page/constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "mlf/tir/visit.h"
#include "tir/node_queries.h"

namespace mlf::page {
namespace {

namespace f = tir::f;
using tir::Kind;
using tir::Node;

template <class T>
double element(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

using Reader = double (*)(const std::byte*);

/// How an element of this dtype is read as a number; null where it is none that C++ has.
Reader reader_of(tir::DType dtype) {
  if (dtype.lanes != 1) return nullptr;
  if (dtype == tir::DType::Float(32)) return element<float>;
  if (dtype == tir::DType::Float(64)) return element<double>;
  if (dtype == tir::DType::Int(8)) return element<std::int8_t>;
  if (dtype == tir::DType::Int(16)) return element<std::int16_t>;
  if (dtype == tir::DType::Int(32)) return element<std::int32_t>;
  if (dtype == tir::DType::Int(64)) return element<std::int64_t>;
  if (dtype == tir::DType::UInt(8)) return element<std::uint8_t>;
  if (dtype == tir::DType::UInt(16)) return element<std::uint16_t>;
  if (dtype == tir::DType::UInt(32)) return element<std::uint32_t>;
  return nullptr;
}

std::size_t bin_of(double value, const ConstantSummary& constant) {
  const double width = constant.greatest - constant.least;
  if (width <= 0) return 0;
  const double part = (value - constant.least) / width * ConstantSummary::kBins;
  return std::min(ConstantSummary::kBins - 1, static_cast<std::size_t>(part));
}

std::optional<ConstantSummary> summary_of_array(std::string name, Node array) {
  const auto data = tir::data_of(array);
  if (!data) return {};
  return summary_of(std::move(name), array.dtype(f::NDArray::dtype), *data);
}

}  // namespace

ConstantSummary summary_of(std::string name, tir::DType dtype, std::span<const std::byte> data) {
  ConstantSummary constant{.name = std::move(name), .dtype = dtype};
  const std::size_t width =
      (static_cast<std::size_t>(dtype.bits) * static_cast<std::size_t>(dtype.lanes) + 7) / 8;
  if (width == 0) return constant;
  constant.elements = data.size() / width;
  const Reader read = reader_of(dtype);
  if (read == nullptr || constant.elements == 0) return constant;
  constant.least = constant.greatest = read(data.data());
  for (std::size_t i = 0; i < constant.elements; ++i) {
    const double value = read(data.data() + i * width);
    if (!std::isfinite(value)) return {constant.name, dtype, constant.elements};
    constant.least = std::min(constant.least, value);
    constant.greatest = std::max(constant.greatest, value);
    constant.zeros += value == 0 ? 1 : 0;
  }
  constant.histogram.resize(ConstantSummary::kBins);
  for (std::size_t i = 0; i < constant.elements; ++i) {
    ++constant.histogram[bin_of(read(data.data() + i * width), constant)];
  }
  return constant;
}

PooledConstants::PooledConstants(const tir::Document& document) {
  tir::for_each_pre_order(document.module.root(), [&](Node node) {
    if (!node.is(Kind::ConstantInfo)) return;
    const Node array = node[f::ConstantInfo::data];
    const Node offset = node[f::ConstantInfo::byte_offset];
    const auto data = tir::data_of(array);
    if (!data || !offset || !offset.is(Kind::IntImm)) return;
    const auto start = static_cast<std::uint64_t>(offset.integer(f::IntImm::value));
    const auto [place, is_new] = by_place_.try_emplace({start, data->size()}, Entry{array});
    if (is_new) return;
    const auto known = tir::data_of(place->second.array);
    if (!std::ranges::equal(*known, *data)) place->second.is_ambiguous = true;
  });
}

std::optional<ConstantSummary> PooledConstants::find(const graph::KernelBuffer& buffer) const {
  if (!buffer.bytes || !buffer.offset) return {};
  const auto found = by_place_.find({*buffer.offset, *buffer.bytes});
  if (found == by_place_.end() || found->second.is_ambiguous) return {};
  return summary_of_array(buffer.name, found->second.array);
}

std::vector<ConstantSummary> constants_of(const KernelReport& kernel,
                                          const graph::Topology* network,
                                          const PooledConstants& pooled) {
  std::vector<ConstantSummary> list;
  if (!kernel.cost || !kernel.document) return list;
  tir::for_each_pre_order(kernel.document->module.node(kernel.function), [&](Node node) {
    if (!node.is(Kind::AllocateConst)) return;
    const std::string_view name = node[f::AllocateConst::buffer_var].text(f::Var::name);
    auto constant = summary_of_array(std::string(name), node[f::AllocateConst::data]);
    if (constant) list.push_back(*std::move(constant));
  });
  if (network == nullptr) return list;
  const auto found = std::ranges::find(network->kernels, kernel.symbol, &graph::Kernel::symbol);
  if (found == network->kernels.end()) return list;
  for (const graph::KernelBuffer& buffer : found->constants) {
    if (!buffer.pool) continue;
    if (auto constant = pooled.find(buffer)) list.push_back(*std::move(constant));
  }
  return list;
}

}  // namespace mlf::page
