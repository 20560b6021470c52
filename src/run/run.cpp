#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "json/write_document.h"
#include "mlf/run.h"
#include "run/machine.h"
#include "run/plan.h"
#include "support/error.h"
#include "support/sha256.h"

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
  const Machine machine = machine_for(options);
  std::optional<NetworkProgram> program;
  std::vector<RunResult> results;
  RunOptions with_seed = options;
  for (const std::optional<std::uint64_t>& seed : seeds) {
    with_seed.seed = seed;
    RunPlan plan = plan_of(deployment, network, with_seed);
    if (!program) {
      program.emplace(deployment, network, machine,
                      Toolchain{.host_flags = {"-O1", "-std=gnu11", "-w", "-Dhalf=_Float16"}});
    }
    const std::string found = program->run(plan, 0, options, result_bytes(plan));
    results.push_back(result_of(std::move(plan), found));
  }
  return results;
}

}  // namespace
}  // namespace run

Result<RunResult> run_network(const Deployment& deployment, const Network& network,
                              const RunOptions& options) {
  return run_network(deployment, network, options, {}).map([](std::vector<RunResult> results) {
    return std::move(results.front());
  });
}

Result<std::vector<RunResult>> run_network(const Deployment& deployment, const Network& network,
                                           const RunOptions& options,
                                           std::span<const std::uint64_t> seeds) {
  std::vector<std::optional<std::uint64_t>> all(seeds.begin(), seeds.end());
  if (all.empty()) all.push_back(options.seed);
  return support::to_result_in(deployment.archive().path(),
                               [&] { return run::run(deployment, network, options, all); });
}

// --- JSON ----------------------------------------------------------------------------------------

namespace run {
namespace {

using json::Writer;

/// A number as text. JSON has no infinity.
void write_number(Writer& out, std::string_view name, std::string_view number) {
  out.key(name);
  if (number.empty()) return out.null();
  if (number.ends_with("inf")) return out.string(number);
  out.raw(number);
}

void write_output(Writer& out, const Tensor& output) {
  const TensorRange range = range_of(output);
  out.member("name", output.name);
  out.member("dtype", tir::to_string(output.dtype));
  out.member("shape", output.shape);
  out.member("bytes", output.bytes.size());
  write_number(out, "min", range.smallest);
  write_number(out, "max", range.largest);
  out.member("sha256", support::sha256_hex(output.bytes));
}

void write_difference(Writer& out, const TensorDifference& one) {
  const bool is_compared = one.reason.empty();
  out.member("name", one.name);
  out.text_or_null("not_compared", one.reason);
  out.member("elements", one.elements);
  out.member("differing", is_compared ? std::optional(one.differing) : std::nullopt);
  out.member("largest", is_compared ? std::optional(one.largest) : std::nullopt);
  out.member("first", one.differing > 0 ? std::optional(one.first) : std::nullopt);
}

void write_call(Writer& out, const NamedCall& one) {
  out.member("call", graph::index(one.call));
  out.member("kernel", one.kernel);
  out.text_or_null("layer", one.layer);
}

std::vector<std::size_t> positions(const auto& calls) {
  std::vector<std::size_t> result;
  for (const graph::CallId call : calls) result.push_back(graph::index(call));
  return result;
}

void write_first(Writer& out, const CallDifference& first) {
  out.object("before", first.before, write_call);
  out.object("after", first.after, write_call);
  out.object("result", first.result, write_difference);
  out.member("overwritten_argument", first.overwritten);
  out.object("overwriter", first.overwriter, write_call);
}

void write_calls(Writer& out, const CallDifferences& calls) {
  out.member("compared", calls.compared);
  out.member("differing", positions(calls.differing));
  out.member("not_compared", positions(calls.uncompared));
}

void write_array(Writer& out, const PairedArray& one) {
  out.member("array", one.array);
  out.member("tensor", one.tensor);
  out.member("by", to_string(one.by));
  out.text_or_null("conversion", one.conversion);
  out.object("difference", one.difference, write_difference);
}

void write_comparison(Writer& out, const RunComparison& comparison) {
  out.member("differs", comparison.differs());
  out.member("tolerance", comparison.tolerance);
  out.objects("outputs", comparison.outputs, write_difference);
  out.member("seeds", comparison.seeds);
  out.member("calls_compared", comparison.calls.has_value());
  out.object("calls", comparison.calls, write_calls);
  out.object("first_difference", comparison.calls ? comparison.calls->first : std::nullopt,
             write_first);
  out.objects("arrays", comparison.arrays, write_array);
  out.member("unpaired", comparison.unpaired);
}

}  // namespace
}  // namespace run

bool RunComparison::differs() const {
  return outputs_differ() || (calls && calls->same_kernel_differs);
}

bool RunComparison::outputs_differ() const {
  return std::ranges::any_of(outputs,
                             [&](const TensorDifference& one) { return one.exceeds(tolerance); });
}

std::string to_json(const std::string& module, const RunResult& result,
                    const std::optional<RunComparison>& comparison, const DocumentForm& form) {
  return json::document_text(form, "mlf-run", kRunVersion, [&](json::Writer& out) {
    out.member("module", module);
    out.objects("outputs", result.outputs, run::write_output);
    out.member("unrecorded", result.unrecorded);
    out.object("comparison", comparison, run::write_comparison);
  });
}

}  // namespace mlf
