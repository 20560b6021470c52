#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compile/run_program.h"
#include "mlf/run.h"
#include "run/build.h"
#include "run/hooks.h"
#include "run/plan.h"
#include "run/process.h"
#include "run/program.h"
#include "support/error.h"

namespace mlf {
namespace run {
namespace {

using compile::ProgramResult;
using support::get_or_throw;

[[noreturn]] void fail(ErrorKind kind, std::string why, std::string member = {}) {
  throw support::Error(kind, std::move(why), {.member = std::move(member)});
}

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

void build(Builder& builder, const RunPlan& plan, const Deployment& deployment,
           const Network& network) {
  const bool has_hooks = !plan.records.empty() && !plan.entry.symbol.empty();
  const edit::EditedMembers edited =
      has_hooks ? with_hooks(deployment, network) : edit::EditedMembers(deployment.archive());
  builder.compile(program_text(plan), edited);
  const ProgramResult linked = builder.link({});
  if (!is_success(linked)) builder.fail_link(linked);
}

RunResult execute(const compile::WorkDirectory& directory, RunPlan plan,
                  const RunOptions& options) {
  const std::uint64_t size = result_bytes(plan);
  // Those of another run.
  for (const std::string_view file : {kInputs, kResults}) {
    std::filesystem::remove(directory.path() / file);
  }
  std::string inputs;
  for (const InputTensor& input : plan.inputs) inputs += input.tensor.bytes;
  directory.write(kInputs, inputs);
  const ProgramResult ended = compile::run_program(
      {.arguments = {(directory.path() / "program").string()},
       .directory = directory.path(),
       .limits = {.time = options.timeout, .memory = options.memory, .file = size}},
      directory);
  if (!is_success(ended)) {
    fail(ErrorKind::invalid_input, "the network " + why_it_ended(ended));
  }
  const std::string results = read_results(directory.path() / kResults, size);
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
  const Toolchain toolchain{.flags = {"-O1", "-std=gnu11", "-w", "-Dhalf=_Float16"}};
  std::optional<Builder> builder;
  std::vector<RunResult> results;
  RunOptions with_seed = options;
  for (const std::optional<std::uint64_t>& seed : seeds) {
    with_seed.seed = seed;
    RunPlan plan = plan_of(deployment, network, with_seed);
    if (!builder) {
      builder.emplace(deployment, network, options.compiler, toolchain);
      build(*builder, plan, deployment, network);
    }
    results.push_back(execute(builder->directory(), std::move(plan), options));
  }
  return results;
}

Result<std::vector<RunResult>> run_or_fail(const Deployment& deployment, const Network& network,
                                           const RunOptions& options,
                                           std::span<const std::optional<std::uint64_t>> seeds) {
  return support::to_result([&] {
           try {
             return run::run(deployment, network, options, seeds);
           } catch (const std::filesystem::filesystem_error& error) {
             throw support::Error(ErrorKind::io, error.what());
           }
         })
      .map_error([&](Diagnostic diagnostic) {
        return in_file(std::move(diagnostic), deployment.archive().path());
      });
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
