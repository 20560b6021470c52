#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mlf/run.h"
#include "run/call_pairs.h"
#include "run/values.h"

namespace mlf {
namespace run {
namespace {

using graph::CallId;
using graph::Topology;

double difference_of_bits(std::uint64_t before, std::uint64_t after, tir::DType dtype) {
  if (dtype.is_float()) {
    const double difference = std::fabs(float_value(before, dtype) - float_value(after, dtype));
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  const std::uint64_t a = ordered_bits(before, dtype);
  const std::uint64_t b = ordered_bits(after, dtype);
  return static_cast<double>(a > b ? a - b : b - a);
}

/// The recorded tensors of a run by call, result and argument.
using Key = std::tuple<CallId, bool, std::size_t>;
std::map<Key, const Tensor*> by_place(const RunResult& run) {
  std::map<Key, const Tensor*> tensors;
  for (const RecordedTensor& one : run.calls) {
    tensors.emplace(Key{one.call, one.is_result, one.argument}, &one.tensor);
  }
  return tensors;
}

/// Bytes of a memory pool.
struct PoolBytes {
  graph::PoolId pool{};
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool overlaps(const PoolBytes& other) const {
    return pool == other.pool && begin < other.end && other.begin < end;
  }
};

std::optional<PoolBytes> bytes_of(const Topology& network, graph::ValueId id) {
  const graph::Value& value = network[id];
  const graph::Storage& storage = network[value.storage];
  if (!storage.pool || !storage.offset || !value.bytes) return std::nullopt;
  return PoolBytes{*storage.pool, *storage.offset, *storage.offset + *value.bytes};
}

/// Whether results or workspaces of a call overlap these bytes.
bool writes_to(const Topology& network, const graph::Call& call, const PoolBytes& bytes) {
  for (const graph::Argument& argument : call.arguments) {
    const auto written = argument.writes ? bytes_of(network, *argument.writes) : std::nullopt;
    if (written && written->overlaps(bytes)) return true;
  }
  return std::ranges::any_of(
      network.kernel_of(call).workspaces, [&](const graph::KernelBuffer& buffer) {
        return buffer.pool && buffer.offset && buffer.bytes &&
               bytes.overlaps({*buffer.pool, *buffer.offset, *buffer.offset + *buffer.bytes});
      });
}

NamedCall named(const Topology& network, CallId call) {
  return {.call = call, .kernel = network.kernel_of(network[call]).symbol};
}

/// The first call that overwrites an argument of `call`: it runs between the writer of the argument
/// and `call`.
std::optional<NamedCall> overwriter_of(const Topology& network, CallId call, std::size_t argument) {
  const auto& value = network[call].arguments[argument].reads;
  const auto bytes = value ? bytes_of(network, *value) : std::nullopt;
  if (!bytes) return std::nullopt;
  const graph::Position written = network[*value].first_definition.value_or(0);
  for (std::size_t i = 0; i < index(call); ++i) {
    const CallId id{static_cast<std::uint32_t>(i)};
    if (network[id].position > written && writes_to(network, network[id], *bytes)) {
      return named(network, id);
    }
  }
  return std::nullopt;
}

/// Compares two runs call by call.
class CallComparison {
 public:
  CallComparison(const Topology& before, const RunResult& run_before, const Topology& after,
                 const RunResult& run_after)
      : before_(before),
        pairs_(paired_calls(before, after)),
        old_tensors_(by_place(run_before)),
        new_tensors_(by_place(run_after)) {}

  std::size_t size() const { return pairs_.size(); }
  std::optional<CallId> pair_of(CallId call) const {
    const auto& pair = pairs_[index(call)];
    return pair ? std::optional(CallId{static_cast<std::uint32_t>(*pair)}) : std::nullopt;
  }

  /// nullopt if one of the runs lacks the tensor.
  std::optional<TensorDifference> difference(CallId call, bool is_result,
                                             std::size_t argument) const {
    const auto pair = pair_of(call);
    const auto old_tensor = old_tensors_.find({call, is_result, argument});
    if (!pair || old_tensor == old_tensors_.end()) return std::nullopt;
    const auto new_tensor = new_tensors_.find({*pair, is_result, argument});
    if (new_tensor == new_tensors_.end()) return std::nullopt;
    return compare_tensors(*old_tensor->second, *new_tensor->second);
  }

  /// Whether all that the call writes is compared.
  bool is_compared(CallId call) const {
    bool any = false;
    for (std::size_t k = 0; k < before_[call].arguments.size(); ++k) {
      if (!before_[call].arguments[k].writes) continue;
      if (!difference(call, true, k)) return false;
      any = true;
    }
    return any;
  }

  /// Whether both runs certainly wrote the same values for this argument.
  bool is_written_the_same(CallId call, std::size_t argument, double tolerance) const {
    const auto& id = before_[call].arguments[argument].reads;
    if (!id) return false;
    const graph::Value& value = before_[*id];
    if (value.kind == graph::ValueKind::input) return true;
    if (!value.producer || value.producer->kind != graph::EndpointKind::call) return false;
    const auto written = difference(CallId{value.producer->step}, true, value.producer->argument);
    return written && !written->exceeds(tolerance);
  }

 private:
  const Topology& before_;
  std::vector<std::optional<std::size_t>> pairs_;
  std::map<Key, const Tensor*> old_tensors_;
  std::map<Key, const Tensor*> new_tensors_;
};

/// The first result of a call that differs.
std::optional<TensorDifference> differing_result(const CallComparison& calls, CallId call,
                                                 std::size_t arguments, double tolerance) {
  for (std::size_t k = 0; k < arguments; ++k) {
    auto difference = calls.difference(call, true, k);
    if (difference && difference->exceeds(tolerance)) return difference;
  }
  return std::nullopt;
}

TensorDifference missing(const Tensor& tensor, std::string reason) {
  return {.name = tensor.name, .reason = std::move(reason), .elements = elements_of(tensor)};
}

}  // namespace
}  // namespace run

void TensorDifference::add(const TensorDifference& other) {
  if (differing == 0) first = other.first;
  if (reason.empty()) reason = other.reason;
  elements += other.elements;
  differing += other.differing;
  largest = std::max(largest, other.largest);
}

bool TensorDifference::exceeds(double tolerance) const {
  // Equal numbers may have different bytes: 0 and -0.
  return !reason.empty() || (differing > 0 && (largest > tolerance || tolerance == 0));
}

TensorDifference compare_tensors(const Tensor& before, const Tensor& after) {
  TensorDifference result{.name = before.name};
  result.elements = run::elements_of(before);
  // Files store bfloat16 as uint16.
  if (numpy_type(before.dtype) != numpy_type(after.dtype) ||
      before.bytes.size() != after.bytes.size()) {
    result.reason =
        fmt::format("{} of {} bytes, and {} of {}", tir::to_string(before.dtype),
                    before.bytes.size(), tir::to_string(after.dtype), after.bytes.size());
    return result;
  }
  if (before.bytes == after.bytes) return result;
  const tir::DType dtype = before.dtype.is_float() ? before.dtype : after.dtype;
  for (std::size_t i = 0; i < result.elements; ++i) {
    const std::uint64_t a = run::element_bits(before, i);
    const std::uint64_t b = run::element_bits(after, i);
    if (a == b) continue;
    if (result.differing++ == 0) result.first = i;
    result.largest = std::max(result.largest, run::difference_of_bits(a, b, dtype));
  }
  return result;
}

std::vector<TensorDifference> compare_outputs(std::span<const Tensor> before,
                                              std::span<const Tensor> after) {
  const auto named = [](std::span<const Tensor> tensors, const std::string& name) {
    const auto found = std::ranges::find(tensors, name, &Tensor::name);
    return found == tensors.end() ? nullptr : &*found;
  };
  const bool by_position =
      std::ranges::none_of(before, [&](const Tensor& one) { return named(after, one.name); });
  const auto pair_of = [&](std::span<const Tensor> tensors, std::size_t position,
                           const Tensor& one) -> const Tensor* {
    if (!by_position) return named(tensors, one.name);
    return position < tensors.size() ? &tensors[position] : nullptr;
  };
  std::vector<TensorDifference> differences;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Tensor* const other = pair_of(after, i, before[i]);
    differences.push_back(other ? compare_tensors(before[i], *other)
                                : run::missing(before[i], "the other one does not have it"));
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!pair_of(before, i, after[i])) {
      differences.push_back(run::missing(after[i], "only the other one has it"));
    }
  }
  return differences;
}

CallDifferences compare_calls(const graph::Topology& network_before,
                              std::span<const RunResult> before,
                              const graph::Topology& network_after,
                              std::span<const RunResult> after, double tolerance) {
  CallDifferences all;
  for (std::size_t r = 0; r < std::min(before.size(), after.size()); ++r) {
    const run::CallComparison calls(network_before, before[r], network_after, after[r]);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const graph::CallId call{static_cast<std::uint32_t>(i)};
      if (r == 0 && calls.is_compared(call)) ++all.compared;
      if (r == 0 && !calls.is_compared(call)) all.uncompared.push_back(call);
      const std::size_t arguments = network_before[call].arguments.size();
      auto result = run::differing_result(calls, call, arguments, tolerance);
      if (!result) continue;
      all.differing.insert(call);
      const graph::CallId pair = *calls.pair_of(call);
      CallDifference found{.before = run::named(network_before, call),
                           .after = run::named(network_after, pair),
                           .result = std::move(*result)};
      if (found.before.kernel == found.after.kernel) all.same_kernel_differs = true;
      if (all.first && all.first->before.call <= call) continue;
      for (std::size_t k = 0; k < arguments && !found.overwritten; ++k) {
        const auto input = calls.difference(call, false, k);
        if (!input || !input->exceeds(tolerance)) continue;
        if (calls.is_written_the_same(call, k, tolerance)) found.overwritten = k;
      }
      if (found.overwritten && *found.overwritten < network_after[pair].arguments.size()) {
        found.overwriter = run::overwriter_of(network_after, pair, *found.overwritten);
      }
      all.first = std::move(found);
    }
  }
  return all;
}

}  // namespace mlf
