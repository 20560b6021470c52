// mlf_scaling: how long the network takes that grows: one main of 1,000 to 1,000,000 calls.
//
// Time for each call stays the same where time is linear.
#include <fmt/core.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "graph/reconstruct.h"
#include "measure.h"
#include "mlf/graph/write.h"

namespace mlf::bench {
namespace {

constexpr std::string_view kTensor = R"(T.Buffer((64,), "float32"))";

std::string call(const std::string& kernel, const std::string& arguments) {
  return "        T.tvm_check_return(0, -1, T.call_extern(\"int32\", \"tvmgen_default_fused_" +
         kernel + "\", " + arguments + "))\n";
}

/// A chain of residual blocks as the planner leaves it: every second call adds what the two calls
/// before it made, tensors alternate between four places of a pool.
std::string residual_chain(std::size_t calls) {
  std::string text = R"(# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def __tvm_main__(x: T.handle, output: T.handle, global_workspace_0_var: T.handle("uint8", "global")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})
        x_buffer = T.match_buffer(x, (64,), align=16)
        output_buffer = T.match_buffer(output, (64,), align=16)
        pool_buffer_var = T.match_buffer(global_workspace_0_var, (1024,), "uint8", strides=(1,), align=16)
)";
  std::string before = "x_buffer.data";
  std::string last = "x_buffer.data";
  for (std::size_t i = 0; i < calls; ++i) {
    const bool is_end = i + 1 == calls;
    const std::string made = is_end ? "output_buffer.data" : fmt::format("sid_{}_let", i);
    if (!is_end) {
      text += fmt::format(
          "        {}: T.handle(\"int8\", \"global.workspace\") = "
          "T.address_of(pool_buffer_var[{}])\n",
          made, i % 4 * 256);
    }
    text += i % 2 == 0 ? call("negative", last + ", " + made)
                       : call("add", before + ", " + last + ", " + made);
    before = std::exchange(last, made);
  }
  return text + fmt::format(R"(
    @T.prim_func
    def tvmgen_default_fused_negative(p0: {0}, T_negative: {0}):
        for i in range(64):
            T_negative[i] = T.float32(0) - p0[i]

    @T.prim_func
    def tvmgen_default_fused_add(p0: {0}, p1: {0}, T_add: {0}):
        for i in range(64):
            T_add[i] = p0[i] + p1[i]
)",
                            kTensor);
}

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

graph::Topology network_of(const tir::Document& document, std::size_t calls) {
  const graph::TirInput input{&document, "tir-1"};
  auto topologies = graph::reconstruct({&input, 1});
  if (topologies.size() != 1 || topologies[0].calls.size() != calls || !topologies[0].is_sound()) {
    throw std::runtime_error("not the network that was made");
  }
  return std::move(topologies[0]);
}

void print_row(std::string_view what, std::size_t calls, const Measurement& measured) {
  if (!measured.succeeded) {
    fmt::print("{:<24} {:>9} failed\n", what, calls);
    return;
  }
  fmt::print("{:<24} {:>9} {:>11.2f} {:>11.3f} {:>9.1f}\n", what, calls, measured.seconds * 1e3,
             measured.seconds * 1e6 / static_cast<double>(calls),
             static_cast<double>(measured.peak_kib) / 1024);
  std::fflush(stdout);
}

void bench_calls(std::size_t calls) {
  const std::string text = residual_chain(calls);
  const tir::Document document =
      value_or_throw(tir::read({.file = "bench", .member = {}, .text = text}));
  print_row("reconstruct", calls,
            measure([&] { return timed([&] { network_of(document, calls); }); }));
  const graph::Topology topology = network_of(document, calls);
  const Sink nowhere = [](std::string_view) {};
  print_row("write topology.json", calls, measure([&] {
              return timed([&] {
                value_or_throw(graph::write_topology_json(topology, JsonLayout::compact, nowhere));
              });
            }));
  print_row("write graph.json", calls, measure([&] {
              return timed([&] {
                value_or_throw(graph::write_graph_json(topology, JsonLayout::compact, nowhere));
              });
            }));
}

}  // namespace
}  // namespace mlf::bench

int main() {
  try {
    fmt::print("{}\n{:<24} {:>9} {:>11} {:>11} {:>9}\n", mlf::bench::machine(), "", "calls", "ms",
               "us per call", "peak MiB");
    for (const std::size_t calls : {1'000u, 10'000u, 100'000u, 1'000'000u})
      mlf::bench::bench_calls(calls);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mlf_scaling: {}\n", error.what());
    return 1;
  }
}
