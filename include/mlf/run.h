// Runs a network on this computer, or on a microcontroller that QEMU emulates: compiles the
// archive's C with the user's compiler, and executes it in a process with limits. Records the
// results of each call of main, and compares two runs. For `mlf run`.
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
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/compile.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/topology.h"
#include "mlf/integration.h"
#include "mlf/tir/module.h"

namespace mlf {

/// Values in NumPy's layout: little-endian, in C order.
struct Tensor {
  std::string name{};
  tir::DType dtype{};
  std::vector<std::int64_t> shape{};
  std::string bytes{};
};

/// NumPy's name of an element type: "int8", "float32". For a type that NumPy lacks, the name of the
/// unsigned integer of its size: "uint16" for bfloat16. Empty for types of less than a byte.
MLF_API std::string numpy_type(tir::DType dtype);

/// Reads the named arrays of an .npz file or the nameless array of an .npy file; the content
/// decides which. Errors: `io`; `invalid_input` for anything but arrays of numbers in C order.
MLF_API Result<std::vector<Tensor>> load_tensors(const std::string& path);

/// Returns an .npz file; the same tensors give the same bytes. Errors: `invalid_input` for element
/// types of less than a byte, and for more than 4 GiB.
MLF_API Result<std::string> npz_bytes(std::span<const Tensor> tensors);

/// Random values from a seed, the same on every computer. Integers and booleans have any value of
/// their type, floating-point numbers are from -1 up to 1, in equal steps that the type represents
/// exactly (2^-23 for float32). Other types have any bytes. Each input has a `stream` of its own.
MLF_API std::string random_bytes(tir::DType dtype, std::uint64_t elements, std::uint64_t seed,
                                 std::uint64_t stream);

/// What is recorded of each call of main.
enum class RecordedCalls : std::uint8_t {
  nothing,
  results,  ///< what it writes
  all,      ///< also what it reads, before it runs
};

/// The name of this computer among the processors.
inline constexpr std::string_view kThisComputer = "host";

/// The processors that networks run on: those of boards that QEMU emulates, and `kThisComputer`.
MLF_API std::vector<std::string> processors();

struct RunOptions {
  /// By name. If the archive's C does not state the shape of an input, any shape with the same
  /// number of bytes is valid, and any number of bytes if nothing states the size.
  std::vector<Tensor> inputs{};
  /// Seed of random values for inputs without values; without a seed such an input is an error.
  std::optional<std::uint64_t> seed{};
  RecordedCalls calls = RecordedCalls::nothing;
  std::string cpu{kThisComputer};  ///< a name of `processors`
  /// An empty command: `cc`, or Debian's compiler for the processor. The flags go to the linker as
  /// well, behind the archive's objects: libraries that the code needs.
  Compiler compiler{};
  std::chrono::milliseconds timeout{60000};       ///< for the network or the emulator
  std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes of addresses of that process
};

/// A tensor that a call read or wrote.
struct RecordedTensor {
  graph::CallId call{};
  std::size_t argument = 0;  ///< position among the call's arguments
  bool is_result = true;     ///< false: an argument before the call
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

/// Compiles the C of the network's module and runs it. Functions that the module lacks must be in
/// libc, libm or a library that the compiler's flags name; TVM's runtime is not needed. The process
/// has limits of time, memory and size of files, and a directory of its own. When it ends, the
/// processes that it started are ended and the directory is removed. These limits do not make code
/// harmless: on this computer it runs with the rights of the user. In an emulator it has no access
/// to this computer.
///
/// Errors: `usage` for an unknown processor, if compiler or emulator cannot be run, if the network
/// does not have one of the inputs, or if an input has no values or values of another type or size;
/// `check_failed` if calls cannot be recorded, or if the network does not fit into the memory of
/// the board; `invalid_input` if the C does not compile, if functions are missing, if objects are
/// for another processor, or if the process fails; `io`.
MLF_API Result<RunResult> run_network(const Deployment& deployment, const Network& network,
                                      const RunOptions& options = {});

/// The same, compiled once and run with the random values of each seed; without seeds, once with
/// those of the options.
MLF_API Result<std::vector<RunResult>> run_network(const Deployment& deployment,
                                                   const Network& network,
                                                   const RunOptions& options,
                                                   std::span<const std::uint64_t> seeds);

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

  /// Adds a difference of the same tensor in another run.
  MLF_API void add(const TensorDifference& other);
  /// Whether they differ more than that; tensors that cannot be compared always do.
  MLF_API bool exceeds(double tolerance) const;
};

/// Compares two tensors of one name. They can be compared if element type and number of elements
/// are the same.
MLF_API TensorDifference compare_tensors(const Tensor& before, const Tensor& after);

/// Compares each output in `before` with the one of the same name in `after`, or at the same
/// position if all names differ. An output that only one of them has is a difference with a reason;
/// those of `after` come last.
MLF_API std::vector<TensorDifference> compare_outputs(std::span<const Tensor> before,
                                                      std::span<const Tensor> after);

/// A call in the words of a report.
struct NamedCall {
  graph::CallId call{};
  std::string kernel{};
  std::string layer{};  ///< empty: not known
};

/// The first call, in the order of the first network, of which a result differs. The caller sets
/// the layers, which only a report knows.
struct CallDifference {
  NamedCall before{};
  NamedCall after{};
  TensorDifference result{};
  /// The position of an argument that differed before the call, although the call that wrote it
  /// wrote the same in both: its memory was overwritten since. Nothing: there is no such argument.
  std::optional<std::size_t> overwritten{};
  /// In the second network, the first call since then whose results or workspaces overlap the
  /// memory of this argument.
  std::optional<NamedCall> overwriter{};
};

/// How the calls of two networks differ, by the order of the first one.
struct CallDifferences {
  std::size_t compared = 0;  ///< calls all of whose results both runs have
  std::vector<graph::CallId> uncompared{};
  std::set<graph::CallId> differing{};  ///< a result differs by more than the tolerance
  bool same_kernel_differs = false;     ///< one of these has the same kernel in both networks
  std::optional<CallDifference> first{};
};

/// Pairs the n-th calls of each kernel, then the remaining calls by position if both networks have
/// the same number of them. The n-th results of both have the same inputs; all must have
/// `RecordedCalls::all`.
MLF_API CallDifferences compare_calls(const graph::Topology& network_before,
                                      std::span<const RunResult> before,
                                      const graph::Topology& network_after,
                                      std::span<const RunResult> after, double tolerance);

/// What an array was paired with a tensor of a run by.
enum class ArrayPairing : std::uint8_t {
  name,   ///< both have the same name
  layer,  ///< it has the name of the layer that the call computes
  shape,  ///< an assumption: the same shape, and the same order as the calls
};
MLF_API std::string_view to_string(ArrayPairing pairing);

struct PairedArray {
  std::string array{};   ///< its name
  std::string tensor{};  ///< of an output, or of a `RecordedTensor`
  ArrayPairing by{};
  /// What was done to both before they were compared, such as "zero point -128"; empty: nothing.
  std::string conversion{};
  TensorDifference difference{};
};

/// How two runs differ.
struct RunComparison {
  double tolerance = 0;
  std::vector<std::uint64_t> seeds{};  ///< of random inputs, one for each run
  std::vector<TensorDifference> outputs{};
  std::optional<CallDifferences> calls{};  ///< nothing: calls are not compared
  std::vector<PairedArray> arrays{};       ///< of `compare_with_arrays`
  std::vector<std::string> unpaired{};     ///< names of arrays that nothing was compared with

  MLF_API bool outputs_differ() const;
  /// Also if outputs are the same, but calls of a kernel that both have differ.
  MLF_API bool differs() const;
};

/// Compares outputs and recorded results of calls with arrays of a framework. `layers` has the
/// layer of each call, by CallId. An array is paired with the tensor of its name; with the last
/// call of the layer of its name; or, as an assumption, by shape and order. Differences of calls
/// that are paired by shape alone do not count for `RunComparison::differs`.
///
/// Integers of other types are compared without the zero point that a kernel of TVM may subtract: 0
/// or that of the layer, whichever differs less; for pairs by shape, that of any layer. If one of
/// both is floating point and the layer is quantized, both are compared in steps of its scale.
MLF_API RunComparison compare_with_arrays(const graph::Topology& network, const RunResult& run,
                                          std::span<const Tensor> arrays,
                                          std::span<const CallLayer> layers, double tolerance);

/// The document of `mlf run --json` (schemas/run.md): the outputs of `module`, with ranges and
/// digests of their values, and the comparison where there is one.
MLF_API std::string to_json(const std::string& module, const RunResult& result,
                            const std::optional<RunComparison>& comparison,
                            const DocumentForm& form = JsonLayout::compact);

}  // namespace mlf
