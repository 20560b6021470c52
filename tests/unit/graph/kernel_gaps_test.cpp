// What people add to kernels: what is read of a kernel is kept, and no number is surer than it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/kernels/callees.h"
#include "mlf/analysis/cost.h"
#include "mlf/graph/topology.h"
#include "support/error.h"
#include "tir/c/c.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Sentences = std::vector<std::string>;

const std::string kLoop =
    "  float part[2];\n"
    "  for (int32_t i = 0; i < 4; ++i) {\n    part[0] = p0[i];\n"
    "    T_add[i] = (part[0] + 1.000000e+00f);\n  }\n";

/// The network of one kernel with these statements, which main calls twice.
Topology network_with(const std::string& statements) {
  const std::string text =
      "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
      "#include \"tvm/runtime/c_runtime_api.h\"\n#include <stdbool.h>\n"
      "TVM_DLL int32_t tvmgen_default_a(float* p0, float* T_add) {\n" +
      statements +
      "  return 0;\n}\n"
      "TVM_DLL int32_t tvmgen_default_b(float* p0, float* T_add) {\n" +
      kLoop +
      "  return 0;\n}\n"
      "TVM_DLL int32_t tvmgen_default___tvm_main__(float* x_buffer_var, float* output_buffer_var) "
      "{\n  void* sid_1 = TVMBackendAllocWorkspace(1, 0, (uint64_t)16, 0, 8);\n"
      "  if (sid_1 == NULL) {\n    return -1;\n  }\n"
      "  if (tvmgen_default_a(x_buffer_var, sid_1) != 0 ) return -1;\n"
      "  if (tvmgen_default_b(sid_1, output_buffer_var) != 0 ) return -1;\n"
      "  if (TVMBackendFreeWorkspace(1, 0, sid_1) != 0) {\n    return -1;\n  }\n"
      "  return 0;\n}\n";
  const tir::CSources sources{.files = {{"lib1.c", {}, text, "codegen"}}};
  const auto document = support::to_result([&] { return tir::read_c(sources); });
  if (!document) throw std::runtime_error(to_string(document.error()));
  const TirInput input{&*document, "tir-1"};
  const ModuleFacts facts{.module = "default"};
  auto topologies = support::to_result([&] {
    return reconstruct({&input, 1}, [&](std::string_view) { return &facts; });
  });
  if (!topologies) throw std::runtime_error(to_string(topologies.error()));
  return std::move(topologies->front());
}

constexpr std::array kHidden{
    "  HIDDEN(3);\n",
    "  hidden(p0, 3);\n",
    "  __asm__ volatile (\"nop\");\n",
    "  switch (word) { case 1: f(p0); break; default: break; }\n",
    "  do { f(p0); } while (0);\n",
    "  if (word) goto end;\n",
    "  hidden_t h = make(p0);\n",
    "  for (int i = N; i--; ) { T_add[i] = 0; }\n",
};

TEST(Callees, ComeFromWhereTheirNamesSay) {
  EXPECT_EQ(origin_of("expf"), CalleeOrigin::libm);
  EXPECT_EQ(origin_of("fmaxf"), CalleeOrigin::libm);
  EXPECT_EQ(origin_of("sigmoid"), CalleeOrigin::unknown);
  EXPECT_EQ(origin_of("memcpy"), CalleeOrigin::c_library);
  EXPECT_EQ(origin_of("memory_pool_init"), CalleeOrigin::unknown);
  EXPECT_EQ(origin_of("__aeabi_fadd"), CalleeOrigin::compiler);
  EXPECT_EQ(origin_of("__SMLAD"), CalleeOrigin::cmsis);
  EXPECT_EQ(origin_of("arm_convolve_wrapper_s8"), CalleeOrigin::cmsis);
  EXPECT_EQ(origin_of("TVMBackendAllocWorkspace"), CalleeOrigin::tvm);
  EXPECT_EQ(origin_of("TVMEthosULaunch"), CalleeOrigin::ethos_u);
  EXPECT_EQ(origin_of("my_kernel"), CalleeOrigin::unknown);
}

TEST(KernelGaps, ThereAreNoneWhereItIsUnderstood) {
  const Topology topology = network_with(kLoop);
  EXPECT_EQ(topology.kernels[0].gaps, Sentences{});
  EXPECT_FALSE(topology.kernels[0].may_end_early);
  EXPECT_EQ(memory_totals(topology).workspace(), (ByteCount{16 + 8, Exactness::exact}));
}

TEST(KernelGaps, AStatementThatTouchesNothingIsNone) {
  const Topology topology = network_with("  uint32_t t0 = DWT->CYCCNT;\n" + kLoop);
  EXPECT_EQ(topology.kernels[0].gaps, Sentences{});
  EXPECT_EQ(memory_totals(topology).workspace(), (ByteCount{16 + 8, Exactness::exact}));
}

TEST(KernelGaps, SayWhatIsNotUnderstood) {
  EXPECT_EQ(network_with("  HIDDEN(3);\n" + kLoop).kernels[0].gaps,
            Sentences{"the effect of 'HIDDEN' is unknown"});
  EXPECT_EQ(network_with("  do { f(p0); } while (0);\n" + kLoop).kernels[0].gaps,
            Sentences{"'do { f(p0); } while (0);' is not understood"});
}

TEST(KernelGaps, LeaveNoNumberOfTheKernelExact) {
  for (const char* hidden : kHidden) {
    for (const std::string& body : {hidden + kLoop, kLoop + hidden}) {
      const Topology topology = network_with(body);
      ASSERT_EQ(topology.calls.size(), 2u) << body;
      EXPECT_EQ(topology.kernels[0].gaps.size(), 1u) << body;
      EXPECT_TRUE(topology.kernels[1].gaps.empty()) << body;
      const analysis::CallMemory memory = analysis::call_memory(topology)[0];
      EXPECT_EQ(memory.scratch, analysis::Count(0, std::nullopt)) << body;
      EXPECT_EQ(memory.parameters, analysis::Count(0, std::nullopt)) << body;
      const MemoryTotals totals = memory_totals(topology);
      EXPECT_EQ(totals.heap.exactness, Exactness::unknown) << body;
      EXPECT_EQ(totals.stack.exactness, Exactness::unknown) << body;
      EXPECT_EQ(totals.constants.exactness, Exactness::at_least) << body;
    }
  }
}

TEST(KernelGaps, LeaveNoDirectionCertain) {
  const Topology topology = network_with("  HIDDEN(3);\n" + kLoop);
  for (const Argument& argument : topology.calls[0].arguments) {
    EXPECT_NE(argument.certainty, Certainty::certain) << argument.parameter;
  }
  EXPECT_EQ(topology.calls[1].arguments[0].certainty, Certainty::certain);
}

TEST(KernelGaps, LeaveNoParameterUntouched) {
  const Topology topology = network_with("  HIDDEN(3);\n");
  for (const Argument& argument : topology.calls[0].arguments) {
    EXPECT_NE(argument.decided_by, DecidedBy::untouched) << argument.parameter;
  }
}

TEST(KernelGaps, SizesThatStoresTellAreNotKnown) {
  const Topology topology = network_with("  HIDDEN(3);\n" + kLoop);
  EXPECT_FALSE(topology.calls[0].arguments[1].type.shape.has_value());
}

TEST(KernelGaps, MayCallWhatMainDoesNot) {
  const std::string text = "  HIDDEN(3);\n" + kLoop +
                           "  return 0;\n}\nTVM_DLL int32_t tvmgen_default_c(float* p0) {\n"
                           "  p0[0] = 0.000000e+00f;\n";
  const auto codes = checks_of(network_with(text));
  EXPECT_EQ(std::ranges::count(codes, "unused-kernel"), 0);
  const std::string understood = text.substr(text.find('\n') + 1);
  EXPECT_EQ(std::ranges::count(checks_of(network_with(understood)), "unused-kernel"), 1);
}

}  // namespace
}  // namespace mlf::graph
