// Compares a run with arrays that something else computed: a framework, a board, an earlier run.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mlf/run.h"
#include "run/values.h"
#include "support/lookup.h"

namespace mlf {
namespace run {
namespace {

// Pairs by shape take time and memory of the product of both numbers.
constexpr std::size_t kMostPairs = 4'000'000;

/// The same values as float64, each changed by `change`.
template <class Change>
Tensor changed(const Tensor& tensor, const Change& change) {
  Tensor result{.name = tensor.name, .dtype = tir::DType::Float(64), .shape = tensor.shape};
  for (std::size_t i = 0; i < elements_of(tensor); ++i) {
    const double value = change(number_of(tensor, i));
    result.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return result;
}

bool is_integer(const Tensor& tensor) {
  return tensor.dtype.is_int() || tensor.dtype.is_uint();
}

double sum_of_differences(const Tensor& tensor, const Tensor& array, double offset) {
  double sum = 0;
  for (std::size_t i = 0; i < elements_of(tensor); ++i) {
    sum += std::fabs(number_of(tensor, i) - number_of(array, i) - offset);
  }
  return sum;
}

/// A tensor of the run and an array with values of one meaning.
struct Compared {
  Tensor tensor;
  Tensor array;
  std::string conversion;
};

/// Integers of different types. TVM moves the subtraction of a zero point into the kernel that
/// writes a tensor, which then has the wider type; but not of each.
Compared without_zero_point(const Tensor& tensor, const Tensor& array,
                            const std::set<std::int64_t>& zero_points) {
  const double sign = tensor.dtype.bits < array.dtype.bits ? 1 : -1;
  double offset = 0;
  double least = sum_of_differences(tensor, array, offset);
  for (const std::int64_t zero_point : zero_points) {
    const double other = sign * static_cast<double>(zero_point);
    const double sum = sum_of_differences(tensor, array, other);
    if (sum < least) std::tie(least, offset) = std::pair(sum, other);
  }
  Compared compared{changed(tensor, [&](double value) { return value - offset; }),
                    changed(array, [](double value) { return value; }),
                    {}};
  if (offset != 0) compared.conversion = fmt::format("zero point {}", sign * offset);
  return compared;
}

/// TVM moves the conversion to floating point, too, into the kernel that writes a tensor. Nothing:
/// the values have no known relation.
std::optional<Compared> comparable(const Tensor& tensor, const Tensor& array,
                                   const std::optional<Quantization>& known,
                                   const std::set<std::int64_t>& zero_points) {
  if (numpy_type(tensor.dtype) == numpy_type(array.dtype)) return Compared{tensor, array, {}};
  if (is_integer(tensor) && is_integer(array)) {
    return without_zero_point(tensor, array, zero_points);
  }
  if (!known || !(tensor.dtype.is_float() || is_integer(tensor)) ||
      !(array.dtype.is_float() || is_integer(array))) {
    return std::nullopt;
  }
  const auto in_steps = [&](const Tensor& one) {
    // Wider integers are those of which the zero point is subtracted. Relay's text has six digits
    // of a scale.
    constexpr double kPart = 256;
    const double scale = one.dtype.is_float() ? known->scale : 1;
    const auto zero_point = static_cast<double>(known->zero_point);
    const double offset = is_integer(one) && one.dtype.bits <= 8 ? 0 : zero_point;
    return changed(
        one, [&](double value) { return std::round((value / scale + offset) * kPart) / kPart; });
  };
  return Compared{in_steps(tensor), in_steps(array), fmt::format("in steps of {}", known->scale)};
}

/// Dimensions of more than one element: frameworks and TVM disagree about the others.
std::vector<std::int64_t> true_shape(const Tensor& tensor) {
  std::vector<std::int64_t> shape;
  for (const std::int64_t extent : tensor.shape) {
    if (extent != 1) shape.push_back(extent);
  }
  return shape;
}

bool have_same_size(const Tensor& tensor, const Tensor& array) {
  return elements_of(tensor) == elements_of(array);
}

/// The C of a kernel may state a size alone.
bool have_same_shape(const Tensor& tensor, const Tensor& array) {
  const std::vector<std::int64_t> shape = true_shape(tensor);
  return have_same_size(tensor, array) && (shape.size() < 2 || shape == true_shape(array));
}

class ArrayComparison {
 public:
  ArrayComparison(const graph::Topology& network, const RunResult& run,
                  std::span<const Tensor> arrays, std::span<const CallLayer> layers)
      : network_(network), run_(run), arrays_(arrays), layers_(layers) {
    for (const RecordedTensor& one : run.calls) {
      if (one.is_result) results_.push_back(&one);
    }
    pairs_.resize(results_.size());
    is_used_.resize(arrays.size());
    for (const CallLayer& layer : layers) {
      if (layer.quantization) zero_points_.insert(layer.quantization->zero_point);
    }
  }

  RunComparison compare(double tolerance) {
    pair_by_names();
    pair_by_shapes();
    RunComparison comparison{.tolerance = tolerance};
    add_calls(comparison);
    for (std::size_t i = 0; i < run_.outputs.size(); ++i) add_output(i, comparison);
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (!is_used_[i]) comparison.unpaired.push_back(arrays_[i].name);
    }
    return comparison;
  }

 private:
  struct Pair {
    std::size_t array = 0;
    ArrayPairing by{};
  };

  const CallLayer& layer_of(graph::CallId call) const {
    static const CallLayer kUnknown;
    return index(call) < layers_.size() ? layers_[index(call)] : kUnknown;
  }

  void take(std::size_t result, std::size_t array, ArrayPairing by) {
    pairs_[result] = Pair{array, by};
    is_used_[array] = true;
  }

  void pair_by_names() {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      std::optional<std::size_t> of_layer;
      std::optional<std::size_t> of_name = result_of_output(arrays_[i].name);
      for (std::size_t k = 0; k < results_.size() && !of_name; ++k) {
        const RecordedTensor& result = *results_[k];
        if (result.tensor.name == arrays_[i].name) of_name = k;
        // The last call of a layer writes its result.
        const std::string& layer = layer_of(result.call).name;
        const bool is_layer = !layer.empty() && layer == arrays_[i].name;
        if (is_layer && !pairs_[k] && have_same_shape(result.tensor, arrays_[i])) of_layer = k;
      }
      if (of_name && !pairs_[*of_name] && have_same_size(results_[*of_name]->tensor, arrays_[i])) {
        take(*of_name, i, ArrayPairing::name);
      } else if (of_layer && !of_name) {
        take(*of_layer, i, ArrayPairing::layer);
      }
    }
  }

  /// The result that is the output of a name.
  std::optional<std::size_t> result_of_output(const std::string& name) const {
    const auto output = std::ranges::find(run_.outputs, name, &Tensor::name);
    if (output == run_.outputs.end()) return std::nullopt;
    return writer_of(static_cast<std::size_t>(output - run_.outputs.begin()));
  }

  std::optional<std::size_t> writer_of(std::size_t output) const {
    const auto& value = network_.outputs[output].value;
    const auto& producer = value ? network_[*value].producer : std::nullopt;
    if (!producer || producer->kind != graph::EndpointKind::call) return std::nullopt;
    for (std::size_t k = 0; k < results_.size(); ++k) {
      if (index(results_[k]->call) == producer->step &&
          results_[k]->argument == producer->argument) {
        return k;
      }
    }
    return std::nullopt;
  }

  bool may_be_same(const RecordedTensor& result, const Tensor& array) const {
    if (!have_same_shape(result.tensor, array)) return false;
    // Weights and biases of quantized networks are among the tensors of a framework.
    return numpy_type(result.tensor.dtype) == numpy_type(array.dtype) ||
           (is_integer(result.tensor) && is_integer(array) &&
            result.tensor.dtype.bits > array.dtype.bits);
  }

  /// Pairs as many as possible so that both are in order.
  void pair_by_shapes() {
    std::vector<std::size_t> results;
    std::vector<std::size_t> arrays;
    for (std::size_t k = 0; k < results_.size(); ++k) {
      if (!pairs_[k]) results.push_back(k);
    }
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const bool is_input =
          std::ranges::find(run_.inputs, arrays_[i].name, &Tensor::name) != run_.inputs.end();
      if (!is_used_[i] && !is_input) arrays.push_back(i);
    }
    const std::size_t width = arrays.size() + 1;
    if ((results.size() + 1) * width > kMostPairs) return;
    // The most pairs of the results from k on with the arrays from i on.
    std::vector<std::uint32_t> most((results.size() + 1) * width);
    std::vector<bool> same(most.size());
    for (std::size_t k = results.size(); k-- > 0;) {
      for (std::size_t i = arrays.size(); i-- > 0;) {
        const std::size_t at = k * width + i;
        same[at] = may_be_same(*results_[results[k]], arrays_[arrays[i]]);
        most[at] =
            std::max({most[at + width], most[at + 1], same[at] ? most[at + width + 1] + 1 : 0});
      }
    }
    for (std::size_t k = 0, i = 0; k < results.size() && i < arrays.size();) {
      const std::size_t at = k * width + i;
      if (same[at] && most[at] == most[at + width + 1] + 1) {
        take(results[k++], arrays[i++], ArrayPairing::shape);
      } else {
        most[at] == most[at + width] ? ++k : ++i;
      }
    }
  }

  /// Those that may be subtracted. For a guess, any will do.
  std::set<std::int64_t> zero_points_of(const std::optional<Quantization>& known,
                                        ArrayPairing by) const {
    if (known) return {known->zero_point};
    return by == ArrayPairing::shape ? zero_points_ : std::set<std::int64_t>();
  }

  void add_calls(RunComparison& comparison) {
    if (results_.empty()) return;
    RunResult ours;
    RunResult theirs;
    bool differs = false;
    for (std::size_t k = 0; k < results_.size(); ++k) {
      if (!pairs_[k]) continue;
      const RecordedTensor& result = *results_[k];
      const Tensor& array = arrays_[pairs_[k]->array];
      const auto& known = layer_of(result.call).quantization;
      auto both = comparable(result.tensor, array, known, zero_points_of(known, pairs_[k]->by));
      // A zero point may be subtracted that is not known.
      const bool is_doubtful = pairs_[k]->by == ArrayPairing::layer && !known &&
                               is_integer(result.tensor) && is_integer(array) &&
                               numpy_type(result.tensor.dtype) != numpy_type(array.dtype);
      if (!both || is_doubtful) {
        is_used_[pairs_[k]->array] = false;
        continue;
      }
      TensorDifference difference = compare_tensors(both->tensor, both->array);
      // That two tensors have one shape is no evidence that they mean the same.
      differs |= pairs_[k]->by != ArrayPairing::shape && difference.exceeds(comparison.tolerance);
      comparison.arrays.push_back({.array = array.name,
                                   .tensor = result.tensor.name,
                                   .by = pairs_[k]->by,
                                   .conversion = std::move(both->conversion),
                                   .difference = std::move(difference)});
      ours.calls.push_back({result.call, result.argument, true, std::move(both->tensor)});
      theirs.calls.push_back({result.call, result.argument, true, std::move(both->array)});
    }
    comparison.calls =
        compare_calls(network_, {&ours, 1}, network_, {&theirs, 1}, comparison.tolerance);
    comparison.calls->same_kernel_differs = differs;
  }

  /// The array of an output: by its name, or that of the layer of the call that writes it.
  std::optional<Pair> pair_of_output(std::size_t output) const {
    const auto named = std::ranges::find(arrays_, run_.outputs[output].name, &Tensor::name);
    if (named != arrays_.end()) {
      return Pair{static_cast<std::size_t>(named - arrays_.begin()), ArrayPairing::name};
    }
    const auto writer = writer_of(output);
    const bool is_evidence =
        writer && pairs_[*writer] && pairs_[*writer]->by != ArrayPairing::shape;
    return is_evidence ? pairs_[*writer] : std::nullopt;
  }

  void add_output(std::size_t i, RunComparison& comparison) {
    const Tensor& output = run_.outputs[i];
    const std::optional<Pair> pair = pair_of_output(i);
    if (!pair) {
      comparison.outputs.push_back({.name = output.name,
                                    .reason = "no array has its name or that of its layer",
                                    .elements = elements_of(output)});
      return;
    }
    is_used_[pair->array] = true;
    const Tensor& array = arrays_[pair->array];
    std::optional<Quantization> known;
    if (const auto& value = network_.outputs[i].value; value && network_[*value].producer) {
      known = layer_of(graph::CallId{network_[*value].producer->step}).quantization;
    }
    const auto both = have_same_size(output, array)
                          ? comparable(output, array, known, zero_points_of(known, pair->by))
                          : std::nullopt;
    comparison.outputs.push_back(both ? compare_tensors(both->tensor, both->array)
                                      : compare_tensors(output, array));
    comparison.outputs.back().name = output.name;
    comparison.arrays.push_back({.array = array.name,
                                 .tensor = output.name,
                                 .by = pair->by,
                                 .conversion = both ? both->conversion : std::string(),
                                 .difference = comparison.outputs.back()});
  }

  const graph::Topology& network_;
  const RunResult& run_;
  std::span<const Tensor> arrays_;
  std::span<const CallLayer> layers_;
  std::vector<const RecordedTensor*> results_;
  std::vector<std::optional<Pair>> pairs_;  ///< by position in `results_`
  std::vector<bool> is_used_;               ///< by array
  std::set<std::int64_t> zero_points_;      ///< of all layers
};

}  // namespace
}  // namespace run

std::string_view to_string(ArrayPairing pairing) {
  return support::name_in({"name", "layer", "shape"}, pairing);
}

RunComparison compare_with_arrays(const graph::Topology& network, const RunResult& run,
                                  std::span<const Tensor> arrays, std::span<const CallLayer> layers,
                                  double tolerance) {
  return run::ArrayComparison(network, run, arrays, layers).compare(tolerance);
}

}  // namespace mlf
