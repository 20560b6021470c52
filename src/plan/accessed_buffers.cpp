// How many bytes of each buffer of a pool are loaded and stored while a network runs once.
#include <map>

#include "graph/kernels/functions.h"
#include "mlf/analysis/cost.h"
#include "plan/plan_network.h"

namespace mlf::plan {
namespace {

using analysis::BufferCost;
using analysis::Count;
using analysis::KernelCost;

class AccessCounter {
 public:
  AccessCounter(const graph::Topology& topology, std::span<const graph::TirInput> sources)
      : topology_(topology), storages_(topology.storages.size()) {
    find_costs(sources);
    for (const graph::Call& call : topology.calls) add_call(call);
    for (const graph::Copy& copy : topology.copies) add_copy(copy);
  }

  Count accessed(const PlannedBuffer& buffer) const {
    // Accesses to memory that is neither main's nor a kernel's are not counted.
    if (buffer.storage) return storages_[index(*buffer.storage)];
    return buffer.kernel ? workspace(*buffer.kernel, buffer.variable) : Count(0, std::nullopt);
  }

 private:
  /// Costs are those of one execution of a kernel, the same for every call of it.
  void find_costs(std::span<const graph::TirInput> sources) {
    const graph::FunctionTable functions(sources);
    costs_.resize(topology_.kernels.size());
    calls_.resize(topology_.kernels.size());
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      const graph::Kernel& kernel = topology_.kernels[i];
      for (const graph::FunctionRef& function : functions.all()) {
        const bool is_it = kernel.has_tir() && function.name == kernel.function &&
                           sources[function.source].stem == kernel.source;
        if (is_it) costs_[i] = analysis::kernel_cost(function.function);
      }
    }
  }

  static Count total(const BufferCost& buffer) { return buffer.bytes_loaded + buffer.bytes_stored; }

  /// What one execution of a call does with the memory that it is given.
  void add_call(const graph::Call& call) {
    ++calls_[index(call.kernel)];
    const std::optional<KernelCost>& cost = costs_[index(call.kernel)];
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const std::optional<graph::StorageId>& storage = call.arguments[i].storage;
      if (!storage) continue;
      Count& sum = storages_[index(*storage)];
      if (!cost) {
        sum += Count(0, std::nullopt);
        continue;
      }
      // A parameter that nothing touches has no entry, or one of zeros.
      for (const BufferCost& buffer : cost->buffers) {
        if (buffer.parameter == i) sum += total(buffer);
      }
    }
  }

  /// A copy of main reads every byte once and writes it once.
  void add_copy(const graph::Copy& copy) {
    const Count bytes = copy.bytes ? Count(*copy.bytes) : Count(0, std::nullopt);
    storages_[index(topology_[copy.writes].storage)] += bytes;
    if (copy.reads) storages_[index(topology_[*copy.reads].storage)] += bytes;
  }

  /// Workspaces are lets inside of the pool's parameter: they are known by their names.
  Count workspace(graph::KernelId kernel, const std::string& variable) const {
    const std::optional<KernelCost>& cost = costs_[index(kernel)];
    if (!cost) return Count(0, std::nullopt);
    Count sum;
    bool is_found = false;
    for (const BufferCost& buffer : cost->buffers) {
      if (buffer.parameter || buffer.name != variable) continue;
      // Two of one name: neither is known apart.
      sum = is_found ? Count(0, std::nullopt) : total(buffer);
      is_found = true;
    }
    return is_found ? sum * Count(calls_[index(kernel)]) : Count(0, std::nullopt);
  }

  const graph::Topology& topology_;
  std::vector<Count> storages_;                   // by storage
  std::vector<std::optional<KernelCost>> costs_;  // by kernel; nothing: no TIR
  std::vector<std::uint64_t> calls_;              // by kernel: how often it runs
};

}  // namespace

std::vector<AccessedBuffer> accessed_buffers(const graph::Topology& topology,
                                             std::span<const graph::TirInput> sources,
                                             const NetworkProblem& problem) {
  const AccessCounter counter(topology, sources);
  std::vector<AccessedBuffer> result;
  for (const PoolProblem& pool : problem.pools) {
    for (std::size_t i = 0; i < pool.problem.buffers.size(); ++i) {
      AccessedBuffer one{pool.problem.buffers[i], counter.accessed(pool.buffers[i])};
      // A split is a proposal for another build: offsets of the present one do not matter.
      one.buffer.fixed_offset.reset();
      result.push_back(std::move(one));
    }
  }
  return result;
}

}  // namespace mlf::plan
