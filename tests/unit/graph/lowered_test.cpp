// Main after LowerTVMBuiltin and Make…API, as TVM 0.9 and 0.16 printed it, and main of v0.8.
#include <gtest/gtest.h>

#include "graph/formats/graph_json.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

struct Form {
  std::string name;  // "packed"
  CallForm call;
  ArgumentForm argument;
};

class LoweredMain : public testing::TestWithParam<std::tuple<std::string, Form>> {};

TEST_P(LoweredMain, ShowsTheGraphOfTheGraphExecutor) {
  const auto& [version, form] = GetParam();
  const Topology topology = network(bundled_text(version + "-" + form.name + ".txt"));
  EXPECT_EQ(checks_of(topology), std::vector<std::string>{});
  EXPECT_EQ(topology.provenance.call_form, form.call);
  EXPECT_EQ(topology.provenance.argument_form, form.argument);
  const std::string text = bundled_text(version + "-graph.json");
  const auto graph = read_graph_json({.file = "", .member = "graph", .text = text});
  ASSERT_TRUE(graph);
  EXPECT_EQ(differences_of_builds(topology, *graph), std::vector<std::string>{});
  EXPECT_EQ(topology.calls.size(), 4u);
  EXPECT_EQ(topology.outputs[1].name, "output2");
  EXPECT_EQ(topology.values.front().bytes, 16u);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, LoweredMain,
    testing::Combine(testing::Values("tvm-0.9", "tvm-0.16"),
                     testing::Values(Form{"packed", CallForm::c_packed, ArgumentForm::stack},
                                     Form{"unpacked", CallForm::unpacked, ArgumentForm::pointers},
                                     Form{"usmp", CallForm::unpacked, ArgumentForm::pointers})),
    [](const auto& test) {
      std::string name = std::get<0>(test.param) + "_" + std::get<1>(test.param).name;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
      return name;
    });

TEST(LoweredMain, AllocationsKeepTheirSizes) {
  const Topology topology = network(bundled_text("tvm-0.16-packed.txt"));
  std::vector<std::uint64_t> bytes;
  for (const Storage& storage : topology.storages) {
    if (storage.kind == StorageKind::workspace) bytes.push_back(storage.bytes.value_or(0));
  }
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{16, 16}));
}

// What the C code says, as TIR: calls in conditions, workspace from the runtime, pointers alone.
TEST(MainAsCode, HasCallsInConditionsAndWorkspaceFromTheRuntime) {
  const std::string check = " != 0:\n    T.evaluate(T.ret(-1))\n";
  const std::string statements =
      "sid_1: T.handle(\"int8\") = T.TVMBackendAllocWorkspace(1, 0, T.uint64(16), 0, 8)\n"
      "if T.isnullptr(sid_1):\n    T.evaluate(T.ret(-1))\n"
      "if T.call_extern(\"int32\", \"tvmgen_default_a\", x_buffer_var, sid_1)" +
      check + "if T.call_extern(\"int32\", \"tvmgen_default_a\", sid_1, output_buffer_var)" +
      check + "if T.TVMBackendFreeWorkspace(1, 0, sid_1) != 0:\n    T.evaluate(T.ret(-1))\n";
  const std::string pointers =
      "p0: T.handle(\"float32\", \"global\"), out: T.handle(\"float32\", \"global\")";
  std::string main = main_of({}, statements);
  main.replace(main.find("()"), 2,
               "(x_buffer_var: T.handle(\"float32\", \"global\"), "
               "output_buffer_var: T.handle(\"float32\", \"global\"))");
  const Topology topology =
      network(script({main, kernel("tvmgen_default_a", pointers,
                                   "a = T.Buffer((4,), data=p0)\nb = T.Buffer((4,), data=out)\n"
                                   "for i in range(4):\n    b[i] = a[i]")}));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_a(x -> sid_1)\n"
            "tvmgen_default_a(sid_1 -> output)\n");
  EXPECT_EQ(topology.inputs[0].parameter, "x_buffer_var");
  EXPECT_EQ(topology[topology.values[1].storage].bytes, 16u);
  EXPECT_EQ(checks_of(topology), std::vector<std::string>{});
}

// Without shapes in main, every input called "input", linked parameters found by name, and tensors
// wrapped one by one.
constexpr std::string_view kVersion8 =
    R"(@run_model = primfn(input: handle, input_1: handle, output: handle) -> ()
  attr = {"global_symbol": "tvmgen_default_run_model", "runner_function": True} {
  attr ["default"] "device_id" = 0;
  attr ["default"] "device_type" = 1;
  allocate(sid_2: Pointer(global int8), int8, [16]), storage_scope = global {
    let tvm_value_0: handle = @tir.tvm_stack_alloca("array", 1, dtype=handle)
     {
      @tir.tvm_struct_set(tvm_value_0, 0, 1, sid_2, dtype=handle)
      let tvm_value_1: handle = @tir.tvm_stack_alloca("array", 1, dtype=handle)
       {
        @tir.tvm_struct_set(tvm_value_1, 0, 1, @tir.lookup_param("p0", dtype=handle), dtype=handle)
        @tir.tvm_call_cpacked("tvmgen_default_fused_add", input, tvm_value_1, tvm_value_0, dtype=int32)
        @tir.tvm_call_cpacked("tvmgen_default_fused_add", tvm_value_0, input_1, output, dtype=int32)
      }
    }
  }
}

@tvmgen_default_fused_add = primfn(placeholder_1: handle, placeholder_3: handle, T_add_1: handle) -> ()
  attr = {"global_symbol": "tvmgen_default_fused_add", "tir.noalias": True}
  buffers = {placeholder: Buffer(placeholder_4: Pointer(float32), float32, [4], []),
             placeholder_2: Buffer(placeholder_5: Pointer(float32), float32, [4], []),
             T_add: Buffer(T_add_2: Pointer(float32), float32, [4], [])}
  buffer_map = {placeholder_1: placeholder, placeholder_3: placeholder_2, T_add_1: T_add} {
  for (ax0: int32, 0, 4) {
    T_add_2[ax0] = ((float32*)placeholder_4[ax0] + (float32*)placeholder_5[ax0])
  }
}
)";

TEST(MainOfVersion8, IsFollowedThroughWrappedTensors) {
  const Topology topology = network(std::string(kVersion8));
  EXPECT_EQ(calls_of(topology),
            "tvmgen_default_fused_add(input, p0 -> sid_2)\n"
            "tvmgen_default_fused_add(sid_2, input_1 -> output)\n");
  EXPECT_EQ(topology.module, "default");
  EXPECT_EQ(topology.provenance.argument_form, ArgumentForm::arrays);
  EXPECT_EQ(topology.values[2].kind, ValueKind::constant);
  EXPECT_EQ(topology[topology.values[2].storage].kind, StorageKind::lookup);
  EXPECT_EQ(topology.inputs[0].type.shape, std::vector<std::int64_t>{4});
  EXPECT_EQ(checks_of(topology), std::vector<std::string>{});
}

}  // namespace
}  // namespace mlf::graph
