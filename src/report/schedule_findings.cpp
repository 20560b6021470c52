#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "mlf/tir/visit.h"
#include "report/findings.h"
#include "report/layers.h"
#include "support/name_map.h"

namespace mlf::report {
namespace {

using analysis::Count;
using tir::Kind;
namespace f = tir::f;

/// The schedule of a kernel, as far as its loops and tensors show it.
struct Schedule {
  std::string symbol;
  bool is_understood = true;  ///< other code may have vectors
  bool has_vectors = false;
  std::optional<bool> has_blocks{};  ///< nullopt: not an operator of images, or unknown shapes
};

/// After VectorizeLoop, loads in the body are vectors; earlier stages have a vectorized loop.
bool has_vectors(tir::Node function) {
  bool found = false;
  tir::for_each_pre_order(function[f::PrimFunc::body], [&](tir::Node node) {
    const bool is_load = node.is(Kind::BufferLoad) || node.is(Kind::Load);
    found |= is_load && node.dtype().lanes != 1;
    found |= node.is(Kind::For) &&
             node.integer(f::For::kind) == static_cast<std::int64_t>(tir::ForKind::vectorized);
  });
  return found;
}

/// Dimensions of the data without blocks: batch, channels and those of the image.
std::optional<std::size_t> plain_rank(std::string_view operation) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 3> kRanks{
      {{"1d", 3}, {"2d", 4}, {"3d", 5}}};
  const bool is_layered = operation.starts_with("conv") || operation.ends_with("pool1d") ||
                          operation.ends_with("pool2d");
  for (const auto& [image, rank] : kRanks) {
    if (is_layered && operation.find(image) != operation.npos) return rank;
  }
  return std::nullopt;
}

/// NCHWc has one dimension more than NCHW: the channels of a block.
std::optional<bool> has_blocks(const graph::Call& call, std::string_view operation) {
  const auto plain = plain_rank(operation);
  std::size_t largest = 0;
  for (const graph::Argument& argument : call.arguments) {
    const bool is_tensor = argument.storage && !argument.pool;
    if (is_tensor && !argument.type.shape) return std::nullopt;
    if (argument.type.shape) largest = std::max(largest, argument.type.shape->size());
  }
  // Since v0.9, texts may have flattened the tensors of kernels: then nothing is known.
  if (!plain || largest < *plain) return std::nullopt;
  return largest > *plain;
}

/// By operator: the kernels with TIR, each once.
std::map<std::string_view, std::vector<Schedule>> schedules_of(
    const graph::Topology& network, const std::vector<NamedFunction>& functions) {
  support::NameMap<std::string_view, const graph::Call*> first_calls;
  for (const graph::Call& call : network.calls) {
    first_calls.try_emplace(network.kernel_of(call).symbol, &call);
  }
  std::map<std::string_view, std::vector<Schedule>> schedules;
  for (const NamedFunction& function : functions) {
    const std::string_view operation = anchor_in(function.symbol);
    const auto known = first_calls.find(function.symbol);
    if (operation.empty() || known == first_calls.end()) continue;
    const graph::Call& call = *known->second;
    schedules[operation].push_back({std::string(function.symbol),
                                    network.kernel_of(call).is_understood(),
                                    has_vectors(function.function), has_blocks(call, operation)});
  }
  return schedules;
}

}  // namespace

void find_plain_schedules(const ModuleReport& module, const std::vector<NamedFunction>& functions,
                          std::vector<CostFinding>& findings) {
  if (!module.network) return;
  const auto schedules = schedules_of(*module.network, functions);
  for (const auto& [operation, kernels] : schedules) {
    const auto vectors = std::ranges::find(kernels, true, &Schedule::has_vectors);
    for (const Schedule& kernel : kernels) {
      if (vectors == kernels.end() || kernel.has_vectors || !kernel.is_understood) continue;
      findings.push_back({CostFindingCode::unvectorized_kernel, kernel.symbol, Count::unknown(),
                          fmt::format("'{}' has the same operator ({}) and uses vectors",
                                      vectors->symbol, operation)});
    }
  }
  for (const auto& [operation, kernels] : schedules) {
    const auto blocks = std::ranges::find_if(
        kernels, [](const Schedule& one) { return one.has_blocks.value_or(false); });
    for (const Schedule& kernel : kernels) {
      if (blocks == kernels.end() || kernel.has_blocks.value_or(true)) continue;
      findings.push_back({CostFindingCode::untiled_kernel, kernel.symbol, Count::unknown(),
                          fmt::format("'{}' has the same operator ({}) and blocks of channels",
                                      blocks->symbol, operation)});
    }
  }
}

}  // namespace mlf::report
