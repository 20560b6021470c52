// The inputs and results of a run: memory, values, and the way to call the network.
#pragma once

#include <string>
#include <vector>

#include "deployment/entry_point.h"
#include "mlf/deployment.h"
#include "mlf/graph/topology.h"
#include "mlf/run.h"

namespace mlf::run {

/// Memory that the program fills from `kInputs`.
struct InputTensor {
  Tensor tensor;
  graph::ValueId value{};
};

struct RunPlan {
  const graph::Topology* network = nullptr;
  EntryPoint entry{};    ///< without a function, the program calls the kernels in the graph's order
  std::string header{};  ///< of the C interface, without its directory
  /// Without a header: the entry takes inputs, then outputs, and not an array of TVMValue.
  bool takes_tensors = false;
  /// Inputs of the network, then the parameters of the graph executor.
  std::vector<InputTensor> inputs{};
  std::vector<Tensor> outputs{};  ///< with as many bytes as they will have
  std::vector<deployment::GivenPool> pools{};
  /// The tensors that the program records, in order, before its outputs, each with its final size
  /// in bytes.
  std::vector<RecordedTensor> records{};
  std::vector<std::string> unrecorded{};  ///< names of those whose sizes are not known
  /// Whether main calls kernels with packed arguments.
  bool is_packed = false;
};

/// Throws `Error`: see `run_network`. Inputs have their values.
RunPlan plan_of(const Deployment& deployment, const Network& network, const RunOptions& options);

}  // namespace mlf::run
