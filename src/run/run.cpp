#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mlf/run.h"
#include "run/build.h"
#include "run/machine.h"
#include "run/plan.h"
#include "run/program.h"
#include "support/error.h"

namespace mlf {
namespace run {
namespace {

using support::get_or_throw;

void take(Tensor& tensor, std::string_view& bytes) {
  const std::size_t size = tensor.bytes.size();
  tensor.bytes = bytes.substr(0, size);
  bytes.remove_prefix(size);
}

std::uint64_t result_bytes(const RunPlan& plan) {
  std::uint64_t sum = 0;
  for (const RecordedTensor& one : plan.records) sum += one.tensor.bytes.size();
  for (const Tensor& one : plan.outputs) sum += one.bytes.size();
  return sum;
}

/// Main with hooks if tensors of calls are recorded.
edit::EditedMembers members_for(const RunPlan& plan, const Deployment& deployment,
                                const Network& network) {
  const bool has_hooks = !plan.records.empty() && !plan.entry.symbol.empty();
  return has_hooks ? with_hooks(deployment, network) : edit::EditedMembers(deployment.archive());
}

RunResult result_of(RunPlan plan, const std::string& results) {
  std::string_view left = results;
  RunResult result;
  // In the order of their hooks: the tensors that a call reads come before those that it writes.
  for (RecordedTensor& one : plan.records) take(one.tensor, left);
  for (Tensor& one : plan.outputs) take(one, left);
  for (std::size_t i = 0; i < plan.network->inputs.size(); ++i) {
    result.inputs.push_back(std::move(plan.inputs[i].tensor));
  }
  result.outputs = std::move(plan.outputs);
  result.calls = std::move(plan.records);
  result.unrecorded = std::move(plan.unrecorded);
  return result;
}

std::vector<RunResult> run(const Deployment& deployment, const Network& network,
                           const RunOptions& options,
                           std::span<const std::optional<std::uint64_t>> seeds) {
  const Machine machine(options.cpu, options.compiler);
  Toolchain toolchain{.flags = {"-O1", "-std=gnu11", "-w", "-Dhalf=_Float16"}};
  if (machine.board() != nullptr) toolchain.flags = machine.board()->flags;
  std::optional<Builder> builder;
  std::vector<RunResult> results;
  RunOptions with_seed = options;
  for (const std::optional<std::uint64_t>& seed : seeds) {
    with_seed.seed = seed;
    RunPlan plan = plan_of(deployment, network, with_seed);
    const bool is_first = !builder;
    if (is_first) builder.emplace(deployment, network, machine.compiler(), toolchain);
    machine.write_inputs(builder->directory(), plan);
    // A board's program contains its inputs.
    if (is_first || machine.board() != nullptr) {
      builder->compile_program(
          program_text(plan, {.runtime = machine.runtime(builder->directory())}));
      if (is_first) builder->compile_module(members_for(plan, deployment, network));
      machine.link(*builder);
    }
    const std::uint64_t bytes = result_bytes(plan);
    const std::string found = machine.results(
        builder->directory(), {.time = options.timeout, .memory = options.memory}, bytes);
    results.push_back(result_of(std::move(plan), found));
  }
  return results;
}

Result<std::vector<RunResult>> run_or_fail(const Deployment& deployment, const Network& network,
                                           const RunOptions& options,
                                           std::span<const std::optional<std::uint64_t>> seeds) {
  return support::to_result_in(deployment.archive().path(),
                               [&] { return run::run(deployment, network, options, seeds); });
}

}  // namespace
}  // namespace run

Result<RunResult> run_network(const Deployment& deployment, const Network& network,
                              const RunOptions& options) {
  return run::run_or_fail(deployment, network, options, {&options.seed, 1})
      .map([](std::vector<RunResult> results) { return std::move(results.front()); });
}

Result<std::vector<RunResult>> run_network(const Deployment& deployment, const Network& network,
                                           const RunOptions& options,
                                           std::span<const std::uint64_t> seeds) {
  const std::vector<std::optional<std::uint64_t>> all(seeds.begin(), seeds.end());
  return run::run_or_fail(deployment, network, options, all);
}

}  // namespace mlf
