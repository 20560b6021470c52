// The C program around an archive's C that runs one network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/graph/topology.h"
#include "mlf/run.h"

namespace mlf::run {

// Files in the folder of the program.
inline constexpr std::string_view kInputs = "inputs";    ///< bytes that it reads, in order
inline constexpr std::string_view kResults = "results";  ///< bytes that it writes, in order

/// The function that runs a network with the AOT executor.
struct Entry {
  std::string symbol;
  /// Of the C interface: its header, and the struct types that it takes a pointer to, in order.
  /// Empty: it takes an array of TVMValue.
  std::string header{};
  std::vector<std::string> structs{};
};

/// A memory pool that the application has to give.
struct GivenPool {
  std::string name{};  ///< of its field
  std::uint64_t bytes = 0;
  std::string data{};  ///< macro with its content; empty: it is a workspace
};

/// Memory that the program fills from `kInputs`.
struct InputTensor {
  Tensor tensor;
  graph::ValueId value{};
};

struct RunPlan {
  const graph::Topology* network = nullptr;
  Entry entry{};  ///< without a symbol, the program calls the kernels in the graph's order
  /// Inputs of the network, then of the graph executor its parameters.
  std::vector<InputTensor> inputs{};
  std::vector<Tensor> outputs{};  ///< with as many bytes as they will have
  std::vector<GivenPool> pools{};
  /// What the program records, in order, before its outputs; with as many bytes as they will have.
  std::vector<RecordedTensor> records{};
  std::vector<std::string> unrecorded{};  ///< names of those whose sizes are not known
  /// Kernels that main calls by packed arguments.
  bool is_packed = false;
};

/// The name of the function that main calls in the place of a kernel.
std::string hook_of(graph::CallId call);

/// The whole program in C, but for the archive's own.
std::string program_text(const RunPlan& plan);

}  // namespace mlf::run
