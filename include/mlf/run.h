// Runs a network on this computer: compiles the archive's C with the user's compiler, and executes
// it in a process with limits. Records the results of each call of main, and compares two runs. For
// `mlf run`.
//
//     const auto inputs = mlf::load_tensors("inputs.npz");
//     if (!inputs) return fail(inputs.error());
//     const auto networks = deployment.networks();
//     if (!networks) return fail(networks.error());
//     const mlf::RunOptions options{.inputs = *inputs};
//     const auto result = mlf::run_network(deployment, networks->found.front(), options);
//     if (result) print(result->outputs.front().name);
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mlf/compile.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/module.h"

namespace mlf {

/// Values in NumPy's layout: little-endian, in C order.
struct Tensor {
  std::string name{};
  tir::DType dtype{};
  std::vector<std::int64_t> shape{};
  std::string bytes{};
};

/// NumPy's name of an element type: "int8", "float32". Types that NumPy lacks have the name of
/// unsigned integers of their size: "uint16" for bfloat16. Empty for those of less than a byte.
MLF_API std::string numpy_type(tir::DType dtype);

/// Reads the arrays of an .npz file by their names, or that of an .npy file without a name; the
/// content decides. Errors: `io`; `invalid_input` for anything but arrays of numbers in C order.
MLF_API Result<std::vector<Tensor>> load_tensors(const std::string& path);

/// Returns an .npz file; the same tensors give the same bytes. Errors: `invalid_input` for element
/// types of less than a byte, and for more than 4 GiB.
MLF_API Result<std::string> npz_bytes(std::span<const Tensor> tensors);

/// Writes it atomically. Errors: `io`, and those of `npz_bytes`.
MLF_API Result<void> save_tensors(const std::string& path, std::span<const Tensor> tensors);

/// Values from a seed, which are the same on every computer: integers of all values, booleans, and
/// floating-point numbers from -1 up to 1, in equal steps that the type has exactly (2^-23 for
/// float32). `stream` tells inputs of one network apart. Other types have bytes of all values.
MLF_API std::string random_bytes(tir::DType dtype, std::uint64_t elements, std::uint64_t seed,
                                 std::uint64_t stream);

/// What is recorded of each call of main.
enum class RecordedCalls : std::uint8_t {
  nothing,
  results,  ///< what it writes
  all,      ///< also what it reads, before it runs
};

struct RunOptions {
  /// By name. An input may have another shape of as many bytes where the archive's C does not say
  /// the shape.
  std::vector<Tensor> inputs{};
  /// Seed of random values for inputs without values; without a seed such an input is an error.
  std::optional<std::uint64_t> seed{};
  RecordedCalls calls = RecordedCalls::nothing;
  /// The flags go to the linker as well, behind the archive's objects: libraries that the code
  /// needs.
  Compiler compiler{.command = "cc", .flags = {}};
  std::chrono::milliseconds timeout{60000};       ///< for the network
  std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes of addresses of the process
};

/// A tensor that a call read or wrote.
struct RecordedTensor {
  graph::CallId call{};
  std::size_t argument = 0;  ///< position among the call's arguments
  bool is_result = true;     ///< else as it was before the call
  /// "call 3 tvmgen_default_fused_add/out0": the position of the call, its kernel, and the position
  /// among what it writes.
  Tensor tensor{};
};

struct RunResult {
  std::vector<Tensor> inputs{};         ///< as they were given to the network
  std::vector<Tensor> outputs{};        ///< in the order of the network's
  std::vector<RecordedTensor> calls{};  ///< in the order of execution
  /// Names of tensors that are not among `calls`, as their sizes are not known.
  std::vector<std::string> unrecorded{};
};

/// Compiles the C of the network's module and runs it. Every other function that the C calls has to
/// be in libm, libc or what the compiler's flags name; TVM's runtime is not needed. The process has
/// limits of time, memory and size of files and a directory of its own. Whatever it does, it ends
/// with all processes that it starts, and the directory is removed. These limits do not make code
/// harmless: it runs with the rights of the user.
///
/// Errors: `usage` where the compiler cannot be run, and for an input that the network does not
/// have, that has no values, or whose values are of another type or size; `check_failed` where
/// calls cannot be recorded; `invalid_input` where the C does not compile, functions are missing,
/// objects are for another processor, and where the process does not end as it should; `io`.
MLF_API Result<RunResult> run_network(const Deployment& deployment, const Network& network,
                                      const RunOptions& options = {});

/// The smallest and the largest element as text; NaN is left out. Empty where there is none.
struct TensorRange {
  std::string smallest{};
  std::string largest{};
};
MLF_API TensorRange range_of(const Tensor& tensor);

/// The differences between the values of one tensor.
struct TensorDifference {
  std::string name{};
  std::string reason{};         ///< why they cannot be compared; empty where they can
  std::uint64_t elements = 0;   ///< of the tensor
  std::uint64_t differing = 0;  ///< elements whose bytes differ
  double largest = 0;           ///< largest difference of two elements; infinite for NaN
  std::uint64_t first = 0;      ///< index of the first element that differs

  /// Whether they differ more than that; tensors that cannot be compared always do.
  MLF_API bool exceeds(double tolerance) const;
};

/// Both as tensors of one name. They can be compared where element type and number of elements are
/// the same.
MLF_API TensorDifference compare_tensors(const Tensor& before, const Tensor& after);

/// Compares each output in `before` with that of the same name in `after`, or with the one at its
/// position where names are all different. Outputs of only one of them come as differences with a
/// reason; those of `after` come last.
MLF_API std::vector<TensorDifference> compare_outputs(std::span<const Tensor> before,
                                                      std::span<const Tensor> after);

/// The first call, in the order of the first network, of which a result differs.
struct CallDifference {
  graph::CallId before{};
  graph::CallId after{};
  TensorDifference result{};
  /// An argument that it read with other values already, though the call that wrote it has written
  /// the same in both: its memory was overwritten since. Nothing where all inputs are the same.
  std::optional<std::size_t> overwritten{};
  /// Of the second network, the first call since then whose results or workspaces are in memory
  /// that overlaps that of this argument.
  std::optional<graph::CallId> overwriter{};
};

/// Calls are paired by their kernels and how often these were called before; calls that are left by
/// position, where both networks have as many. Both results must have `RecordedCalls::all`.
/// Nothing: no call differs by more than `tolerance`.
MLF_API std::optional<CallDifference> first_difference(const graph::Topology& network_before,
                                                       const RunResult& before,
                                                       const graph::Topology& network_after,
                                                       const RunResult& after, double tolerance);

/// A call in the words of a report.
struct NamedCall {
  graph::CallId call{};
  std::string kernel{};
  std::string layer{};  ///< empty where it is not known
};

/// A `CallDifference` with the names of its calls.
struct NamedCallDifference {
  NamedCall before{};
  NamedCall after{};
  TensorDifference result{};
  std::optional<std::size_t> overwritten{};
  std::optional<NamedCall> overwriter{};  ///< of the second network
};

/// How two runs differ.
struct RunComparison {
  double tolerance = 0;
  std::vector<TensorDifference> outputs{};
  bool calls_compared = false;  ///< else `first` is unknown
  std::optional<NamedCallDifference> first{};

  MLF_API bool differs() const;
};

/// The document of `mlf run --json` (schemas/run.md): the outputs of `module`, with ranges and
/// digests of their values, and the comparison where there is one.
MLF_API std::string to_json(const std::string& module, const RunResult& result,
                            const std::optional<RunComparison>& comparison,
                            JsonLayout layout = JsonLayout::compact);

}  // namespace mlf
