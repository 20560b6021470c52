// The graph executor's JSON: what a topology becomes, and what a graph becomes.
#include "graph/formats/graph_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "graph/compare.h"
#include "mlf/graph/write.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using nlohmann::json;

std::string graph_text(const Topology& topology) {
  std::string text;
  const auto written =
      write_graph_json(topology, JsonLayout::compact, [&](std::string_view part) { text += part; });
  if (!written) throw std::runtime_error(to_string(written.error()));
  return text;
}

json graph_of(const std::string& text) {
  return json::parse(graph_text(network(text)));
}

std::string error_of(const std::string& text) {
  const auto topology = read_graph_json({.file = "", .member = "g.json", .text = text});
  return topology ? "no error" : topology.error().message;
}

const std::string kDiamond =
    script({main_of({"x", "output"},
                    sid("sid_1") + sid("sid_2") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                        call("tvmgen_default_b", "sid_1, sid_2") +
                        call("tvmgen_default_c", "sid_1, sid_2, output_buffer.data")),
            unary("tvmgen_default_a"), unary("tvmgen_default_b"), binary("tvmgen_default_c")});

TEST(GraphJson, IsWhatTheGraphExecutorLoads) {
  EXPECT_EQ(graph_of(kDiamond), json::parse(R"({
    "nodes": [
      {"op": "null", "name": "x", "inputs": []},
      {"op": "tvm_op", "name": "tvmgen_default_a",
       "attrs": {"num_outputs": "1", "num_inputs": "1", "flatten_data": "0",
                 "func_name": "tvmgen_default_a"},
       "inputs": [[0, 0, 0]]},
      {"op": "tvm_op", "name": "tvmgen_default_b",
       "attrs": {"num_outputs": "1", "num_inputs": "1", "flatten_data": "0",
                 "func_name": "tvmgen_default_b"},
       "inputs": [[1, 0, 0]]},
      {"op": "tvm_op", "name": "tvmgen_default_c",
       "attrs": {"num_outputs": "1", "num_inputs": "2", "flatten_data": "0",
                 "func_name": "tvmgen_default_c"},
       "inputs": [[1, 0, 0], [2, 0, 0]]}],
    "arg_nodes": [0],
    "heads": [[3, 0, 0]],
    "attrs": {
      "dltype": ["list_str", ["float32", "float32", "float32", "float32"]],
      "device_index": ["list_int", [1, 1, 1, 1]],
      "storage_id": ["list_int", [0, 1, 2, 3]],
      "shape": ["list_shape", [[4], [4], [4], [4]]]},
    "node_row_ptr": [0, 1, 2, 3, 4]})"));
}

TEST(GraphJson, ReadsBackAsTheSameNetwork) {
  const Topology topology = network(kDiamond);
  const std::string text = graph_text(topology);
  const auto back = read_graph_json({.file = "", .member = "default.graph", .text = text});
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(differences_between(topology, *back), std::vector<std::string>{});
  EXPECT_EQ(back->calls.size(), 3u);
  EXPECT_EQ(graph_text(*back), text);
  EXPECT_EQ(back->provenance.kind, ProvenanceKind::graph_json);
  EXPECT_EQ(back->provenance.source, "default.graph");
}

/// The graph of kDiamond with `sid_1`'s storage and the weight "p0" as a second argument of the
/// last kernel; one kernel has memory of its own.
Topology executor_network(const std::string& kernels, std::vector<std::string> parameters) {
  std::string text = graph_text(network(
      script({main_of({"x", "p0", "output"},
                      sid("sid_1") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                          call("tvmgen_default_c", "sid_1, p0_buffer.data, output_buffer.data")),
              unary("tvmgen_default_a"), binary("tvmgen_default_c")})));
  const auto document = tir::read({.file = "", .member = "", .text = kernels});
  const TirInput input{document ? &*document : nullptr, "tir-1"};
  const GraphKernels known({&input, document ? std::size_t{1} : 0});
  auto topology = read_graph_json({.file = "", .member = "default.graph", .text = text},
                                  {.kernels = &known, .parameters = parameters});
  if (!topology) throw std::runtime_error(to_string(topology.error()));
  return *std::move(topology);
}

const std::string kKernelsWithMemory =
    script({kernel("tvmgen_default_a",
                   "p0: T.Buffer((4,), \"float32\"), T_add: T.Buffer((4,), \"float32\")",
                   "weight = T.allocate_const([1.0, 2.0, 3.0, 4.0], \"float32\", [4])\n"
                   "padded = T.allocate([400], \"float32\", \"global\")\n"
                   "row = T.allocate([5], \"float32\", \"global\")\n"
                   "for i in range(4):\n"
                   "    weight_1 = T.Buffer((4,), data=weight)\n"
                   "    padded_1 = T.Buffer((400,), data=padded)\n"
                   "    row_1 = T.Buffer((5,), data=row)\n"
                   "    padded_1[i] = p0[i]\n"
                   "    row_1[i] = padded_1[i] * weight_1[i]\n"
                   "    T_add[i] = row_1[i]"),
            binary("tvmgen_default_c")});

TEST(GraphJson, KernelsOfTheGraphExecutorHaveConstantsAndWorkspaces) {
  const Topology topology = executor_network(kKernelsWithMemory, {"p0"});
  const Kernel& kernel = topology.kernels.at(0);
  ASSERT_EQ(kernel.constants.size(), 1u);
  EXPECT_EQ(kernel.constants[0].memory, MemoryKind::program);
  EXPECT_EQ(kernel.constants[0].bytes, 16u);
  ASSERT_EQ(kernel.workspaces.size(), 2u);
  EXPECT_EQ(kernel.workspaces[0].name, "padded");
  EXPECT_EQ(kernel.workspaces[0].memory, MemoryKind::heap);
  EXPECT_EQ(kernel.workspaces[0].bytes, 1600u);
  EXPECT_EQ(kernel.workspaces[1].memory, MemoryKind::stack);
}

// What is in parameters/*.params the executor copies into storage of its own; inputs are given to
// it.
TEST(GraphJson, MemoryOfTheGraphExecutorIsItsStorageAndWhatKernelsAllocate) {
  const Topology topology = executor_network(kKernelsWithMemory, {"p0"});
  ASSERT_EQ(topology.memory.size(), 3u);
  const MemoryUse& executor = topology.memory[0];
  EXPECT_EQ(executor.kind, MemoryKind::executor);
  EXPECT_EQ(executor.used, 48u);  // sid_1, p0 and the output
  EXPECT_EQ(executor.live, (std::vector<LiveBytes>{{0, 32}, {1, 48}}));
  EXPECT_EQ(topology.memory[1].kind, MemoryKind::heap);
  EXPECT_EQ(topology.memory[1].used, 1600u);
  EXPECT_EQ(topology.memory[2].kind, MemoryKind::stack);
  EXPECT_EQ(topology.memory[2].used, 20u);
  for (const MemoryUse& use : topology.memory) EXPECT_EQ(use.exactness, Exactness::exact);
}

// "No weights anywhere" was what the picture of a graph executor's archive showed.
TEST(GraphJson, ThePictureShowsWhatKernelsHold) {
  std::string dot;
  const auto written = write_dot(executor_network(kKernelsWithMemory, {"p0"}),
                                 [&](std::string_view part) { dot += part; });
  ASSERT_TRUE(written);
  EXPECT_NE(dot.find("label=\"a\\ncall 0\\n1 constant, 16 B\\n2 workspaces, 1.6 KiB\""), dot.npos)
      << dot;
}

TEST(GraphJson, WithoutTirTheAllocationsOfKernelsAreNotKnown) {
  const Topology topology = executor_network("", {"p0"});
  ASSERT_EQ(topology.memory.size(), 3u);
  EXPECT_EQ(topology.memory[0].exactness, Exactness::exact);
  EXPECT_EQ(topology.memory[1].kind, MemoryKind::heap);
  EXPECT_EQ(topology.memory[1].exactness, Exactness::at_least);
  EXPECT_EQ(
      topology.memory[1].uncertain,
      (std::vector<std::string>{"'tvmgen_default_a' has no TIR", "'tvmgen_default_c' has no TIR"}));
  EXPECT_EQ(topology.memory[2].exactness, Exactness::at_least);
}

TEST(GraphJson, MergedStorageIsOneStorageId) {
  const json graph = graph_of(merged_storage());
  EXPECT_EQ(graph["attrs"]["storage_id"][1], json::parse("[0, 1, 2, 1, 3]"));
  EXPECT_EQ(graph["nodes"][4]["name"], "tvmgen_default_a_3");
  EXPECT_EQ(graph["nodes"][4]["attrs"]["func_name"], "tvmgen_default_a");
}

/// Names of the nodes with their functions: "name=function", one a node.
std::vector<std::string> named_nodes(const json& graph) {
  std::vector<std::string> names;
  for (const json& node : graph["nodes"]) {
    const std::string function =
        node.contains("attrs") ? node["attrs"]["func_name"].get<std::string>() : "";
    names.push_back(node["name"].get<std::string>() + "=" + function);
  }
  return names;
}

// A kernel that is looked up by the name of a node must not be another one.
TEST(GraphJson, NamesOfCallsAreNeverSymbolsOfOtherKernels) {
  const std::vector<std::string> functions{
      main_of({"x", "output"}, sid("sid_1") + sid("sid_2") + sid("sid_3") +
                                   call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                   call("tvmgen_default_a", "sid_1, sid_2") +
                                   call("tvmgen_default_a_1", "sid_2, sid_3") +
                                   call("tvmgen_default_a", "sid_3, output_buffer.data")),
      unary("tvmgen_default_a"), unary("tvmgen_default_a_1"), unary("tvmgen_default_a_2")};
  EXPECT_EQ(named_nodes(graph_of(script({functions[0], functions[1], functions[2]}))),
            (std::vector<std::string>{
                "x=", "tvmgen_default_a=tvmgen_default_a", "tvmgen_default_a_2=tvmgen_default_a",
                "tvmgen_default_a_1=tvmgen_default_a_1", "tvmgen_default_a_3=tvmgen_default_a"}));
  // Main does not call the third kernel.
  EXPECT_EQ(named_nodes(graph_of(script({functions[0], functions[1], functions[2], functions[3]}))),
            (std::vector<std::string>{
                "x=", "tvmgen_default_a=tvmgen_default_a", "tvmgen_default_a_3=tvmgen_default_a",
                "tvmgen_default_a_1=tvmgen_default_a_1", "tvmgen_default_a_4=tvmgen_default_a"}));
}

TEST(GraphJson, AnInputOfTheNameOfAKernelKeepsIt) {
  EXPECT_EQ(
      named_nodes(graph_of(script(
          {main_of({"tvmgen_default_a", "output"},
                   sid("sid_1") + call("tvmgen_default_a", "tvmgen_default_a_buffer.data, sid_1") +
                       call("tvmgen_default_a_1", "sid_1, output_buffer.data")),
           unary("tvmgen_default_a"), unary("tvmgen_default_a_1")}))),
      (std::vector<std::string>{"tvmgen_default_a=", "tvmgen_default_a_2=tvmgen_default_a",
                                "tvmgen_default_a_1=tvmgen_default_a_1"}));
}

// TVM numbers the nodes of its own graph without a look at the kernels.
TEST(GraphJson, NodesOfAGraphThatAreNamedAsOtherKernelsGetNames) {
  std::string text = graph_text(network(kDiamond));
  const std::string_view named = "\"name\":\"tvmgen_default_a\"";
  const std::size_t at = text.find(named);
  ASSERT_NE(at, text.npos);
  text.replace(at, named.size(), "\"name\":\"tvmgen_default_b\"");
  const auto graph = read_graph_json({.file = "", .member = "default.graph", .text = text});
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(named_nodes(json::parse(graph_text(*graph))),
            (std::vector<std::string>{"x=", "tvmgen_default_b_1=tvmgen_default_a",
                                      "tvmgen_default_b=tvmgen_default_b",
                                      "tvmgen_default_c=tvmgen_default_c"}));
}

TEST(GraphJson, SpellsBoolAsTvmDoes) {
  const json graph = graph_of(script(
      {main_of({"x", "output"}, sid("sid_1", 4) + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                    call("tvmgen_default_b", "sid_1, output_buffer.data")),
       kernel("tvmgen_default_a", "p0: T.Buffer((4,), \"float32\"), out: T.Buffer((4,), \"bool\")",
              "for i in range(4):\n    out[i] = p0[i] < T.float32(1)"),
       kernel("tvmgen_default_b", "p0: T.Buffer((4,), \"bool\"), out: T.Buffer((4,), \"float32\")",
              "for i in range(4):\n    out[i] = T.Cast(\"float32\", p0[i])")}));
  EXPECT_EQ(graph["attrs"]["dltype"][1], json::parse(R"(["float32", "uint1", "float32"])"));
}

TEST(GraphJson, AReshapeInPlaceIsANop) {
  const json graph = graph_of(script(
      {main_of({"x", "output"}, sid("sid_1") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                    call("tvmgen_default_b", "sid_1, output_buffer.data")),
       unary("tvmgen_default_a"),
       kernel("tvmgen_default_b",
              "p0: T.Buffer((2, 2), \"float32\"), out: T.Buffer((4,), \"float32\")",
              "for i, k in T.grid(2, 2):\n    out[i * 2 + k] = p0[i, k] + T.float32(1)")}));
  EXPECT_EQ(graph["nodes"][2], json::parse(R"({
      "op": "tvm_op", "name": "reshape_nop",
      "attrs": {"num_outputs": "1", "num_inputs": "1", "flatten_data": "0", "func_name": "__nop"},
      "inputs": [[1, 0, 0]]})"));
  EXPECT_EQ(graph["nodes"][3]["inputs"], json::parse("[[2, 0, 0]]"));
  EXPECT_EQ(graph["attrs"]["storage_id"][1], json::parse("[0, 1, 1, 2]"));
  EXPECT_EQ(graph["attrs"]["shape"][1][2], json::parse("[2, 2]"));
}

TEST(GraphJson, CopiesAreFoldedAway) {
  const json graph = graph_of(script(
      {main_of({"x", "output", "output2"},
               "for i in range(16):\n"
               "    tmp_write = T.Buffer((T.uint64(16),), \"uint8\", data=output_buffer.data)\n"
               "    tmp_read = T.Buffer((T.uint64(16),), \"uint8\", data=x_buffer.data)\n"
               "    tmp_write[i] = tmp_read[i]\n" +
                   call("tvmgen_default_a", "x_buffer.data, output2_buffer.data")),
       unary("tvmgen_default_a")}));
  EXPECT_EQ(graph["nodes"].size(), 2u);
  EXPECT_EQ(graph["heads"], json::parse("[[0, 0, 0], [1, 0, 0]]"));
}

const std::string kWrittenByTvm = R"({
  "nodes": [{"op": "null", "name": "x", "inputs": []},
            {"op": "null", "name": "p0", "inputs": []},
            {"op": "tvm_op", "name": "reshape_nop", "attrs": {"num_outputs": "1",
             "num_inputs": "1", "flatten_data": "0", "func_name": "__nop"}, "inputs": [[0, 0, 0]]},
            {"op": "tvm_op", "name": "k", "attrs": {"num_outputs": "2", "num_inputs": "2",
             "flatten_data": "0", "func_name": "k", "hash": "abc"},
             "inputs": [[2, 0, 0], [1, 0, 0]]}],
  "arg_nodes": [0, 1], "heads": [[3, 1, 0], [3, 0, 0]],
  "attrs": {"dltype": ["list_str", ["int8", "int8", "int8", "int8", "int8"]],
            "shape": ["list_shape", [[2, 2], [4], [4], [4], [2]]],
            "storage_id": ["list_int", [0, 1, 0, 2, 3]]},
  "node_row_ptr": [0, 1, 2, 3, 5]})";

TEST(GraphJson, IsReadIntoTheSameModel) {
  const std::vector<std::string> parameters{"p0"};
  const auto graph = read_graph_json({.file = "", .member = "g.json", .text = kWrittenByTvm},
                                     {.parameters = parameters});
  ASSERT_TRUE(graph) << to_string(graph.error());
  ASSERT_EQ(graph->inputs.size(), 1u);
  EXPECT_EQ(graph->inputs[0].name, "x");
  EXPECT_EQ(graph->values[1].kind, ValueKind::constant);
  ASSERT_EQ(graph->calls.size(), 1u);
  EXPECT_EQ(graph->kernels[0].hash, "abc");
  const std::vector<Argument>& arguments = graph->calls[0].arguments;
  ASSERT_EQ(arguments.size(), 4u);
  EXPECT_EQ(arguments[0].reads, ValueId{0});
  EXPECT_EQ(arguments[0].type.shape, std::vector<std::int64_t>{4});
  EXPECT_EQ(graph->values[0].type.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(arguments[0].decided_by, DecidedBy::graph_json);
  EXPECT_EQ(graph->outputs[0].value, arguments[3].writes);
  EXPECT_EQ(graph->outputs[1].value, arguments[2].writes);
}

/// What TVM writes for a CPU (1) and OpenCL (4), with the parameter `w` in the middle.
const std::string kTwoDevices = [] {
  const auto node = [](std::string_view name, std::string_view function, std::string_view inputs) {
    const std::string count = std::to_string(std::ranges::count(inputs, ']') - 1);
    return ",{\"op\":\"tvm_op\",\"name\":\"" + std::string(name) +
           "\",\"attrs\":{\"num_outputs\":\"1\",\"num_inputs\":\"" + count +
           "\",\"flatten_data\":\"0\",\"func_name\":\"" + std::string(function) +
           "\"},\"inputs\":" + std::string(inputs) + "}";
  };
  return R"({"nodes":[{"op":"null","name":"x","inputs":[]})" + node("a", "a", "[[0,0,0]]") +
         node("__copy", "__copy", "[[1,0,0]]") + node("b", "b", "[[2,0,0]]") +
         node("__copy1", "__copy", "[[3,0,0]]") + R"(,{"op":"null","name":"w","inputs":[]})" +
         node("c", "c", "[[4,0,0],[5,0,0]]") +
         R"(],"arg_nodes":[0,5],"heads":[[6,0,0]],"attrs":{"dltype":["list_str",)"
         R"(["int8","int8","int8","int8","int8","int8","int8"]],)"
         R"("device_index":["list_int",[1,1,4,4,1,1,1]],"storage_id":["list_int",[0,1,2,3,1,4,5]],)"
         R"("shape":["list_shape",[[8],[8],[8],[8],[8],[8],[8]]]},"node_row_ptr":[0,1,2,3,4,5,6,7]})";
}();

TEST(GraphJson, AGraphOfTwoDevicesKeepsThemAndItsCopies) {
  const std::vector<std::string> parameters{"w"};
  const auto graph =
      read_graph_json({.file = "", .member = "", .text = kTwoDevices}, {.parameters = parameters});
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(json::parse(graph_text(*graph)), json::parse(kTwoDevices));
  EXPECT_EQ(graph->devices, (std::vector<std::optional<Device>>{1, 4}));
  std::vector<std::optional<Device>> kernels;
  for (const Kernel& kernel : graph->kernels) kernels.push_back(kernel.device);
  EXPECT_EQ(kernels, (std::vector<std::optional<Device>>{1, 4, 1}));
  // The parameter is a storage of the executor, the input is not.
  EXPECT_EQ(memory_totals(*graph, 1).executor.bytes, 24u);
  EXPECT_EQ(memory_totals(*graph, 4).executor.bytes, 16u);
  EXPECT_EQ(memory_totals(*graph, 1).inputs_and_outputs.bytes, 16u);
  EXPECT_EQ(memory_totals(*graph, 4).constants.bytes, 0u);
  EXPECT_EQ(memory_totals(*graph).executor.bytes, 40u);
  // Code of the OpenCL kernel that is not known cannot allocate on the CPU.
  for (const MemoryUse& use : graph->memory) {
    EXPECT_EQ(use.exactness == Exactness::exact, use.kind == MemoryKind::executor);
  }
}

TEST(GraphJson, WithoutDevicesThereAreNone) {
  const std::size_t at = kTwoDevices.find("\"device_index\"");
  std::string text = kTwoDevices;
  text.erase(at, text.find("\"storage_id\"") - at);
  const auto graph = read_graph_json({.file = "", .member = "", .text = text});
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(graph->storages[0].device, std::nullopt);
  EXPECT_FALSE(json::parse(graph_text(*graph))["attrs"].contains("device_index"));
}

TEST(GraphJson, TheCpuHasTheRamWhateverTheNumberOfTheOtherDevice) {
  std::string text = kTwoDevices;
  text.replace(text.find("[1,1,4,4,1,"), 11, "[1,1,0,0,1,");
  const auto graph = read_graph_json({.file = "", .member = "", .text = text});
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(graph->devices, (std::vector<std::optional<Device>>{1, 0}));
}

TEST(GraphJson, AStorageIsOnOneDevice) {
  std::string text = kTwoDevices;
  text.replace(text.find("[1,1,4,4,1,"), 11, "[1,1,4,4,4,");
  EXPECT_EQ(error_of(text), "a storage is on one device only");
}

// TVM writes bytes as they are; in JSON each of them is a private character.
TEST(GraphJson, NamesThatAreNotUtf8KeepTheirBytes) {
  std::string text = kWrittenByTvm;
  text.replace(text.find("\"name\": \"k\""), 11, "\"name\": \"k\xff\"");
  const auto written = [](const std::string& graph) {
    std::string result;
    const auto read = read_graph_json({.file = "", .member = "g.json", .text = graph});
    if (!read) throw std::runtime_error(to_string(read.error()));
    EXPECT_EQ(read->calls[0].name, "k\xff");
    EXPECT_TRUE(write_graph_json(*read, JsonLayout::compact,
                                 [&](std::string_view part) { result += part; }));
    return result;
  };
  const std::string first = written(text);
  EXPECT_EQ(written(first), first);
}

TEST(GraphJson, EveryMalformedGraphHasItsMessage) {
  const auto broken = [](std::string_view what, std::string_view instead) {
    std::string text = kWrittenByTvm;
    const std::size_t at = text.find(what);
    if (at == text.npos) throw std::logic_error("the fault does not fit");
    return error_of(text.replace(at, what.size(), instead));
  };
  EXPECT_EQ(error_of("[]"), "expected an object, found an array");
  EXPECT_EQ(broken("\"nodes\"", "\"knots\""), "missing key \"nodes\"");
  EXPECT_EQ(broken("\"null\"", "\"nil\""), "a node is a 'null' or a 'tvm_op', not a 'nil'");
  EXPECT_EQ(broken("[2, 0, 0], [1", "[3, 0, 0], [1"), "expected a whole number below 3");
  EXPECT_EQ(broken("[3, 1, 0]", "[3, 2, 0]"), "expected a whole number below 2");
  EXPECT_EQ(broken("\"num_outputs\": \"2\"", "\"num_outputs\": \"2x\""),
            "expected the number of outputs");
  EXPECT_EQ(broken("\"num_outputs\": \"2\"", "\"num_outputs\": \"999999\""),
            "expected one element for each of 1000002 tensors");
  EXPECT_EQ(broken("\"int8\"", "\"int7q\""), "unknown data type");
  EXPECT_EQ(broken("\"int8\"", "\"handle\""), "expected the data type of a tensor");
  EXPECT_EQ(broken("\"name\": \"p0\"", "\"name\": \"x\""), "a node has this name already");
  EXPECT_EQ(broken("\"func_name\": \"k\"", "\"func_name\": \"\""),
            "expected the name of a function");
  EXPECT_EQ(broken("[2, 2]", "[-2, 2]"), "expected a whole number below 4294967295");
  EXPECT_EQ(broken("\"inputs\": [[0, 0, 0]]", "\"inputs\": []"), "expected one input");
  EXPECT_EQ(broken("3, 5]}", "3, 4]}"), "expected 5, the outputs of the nodes before");
  EXPECT_EQ(broken("2, 3, 5]}", "2, 5]}"),
            "expected a number for each of 4 nodes, and that of all outputs");
  EXPECT_EQ(broken("s\": [0, 1], \"h", "s\": [0], \"h"), "expected all 2 'null' nodes");
  EXPECT_EQ(broken("s\": [0, 1], \"h", "s\": [0, 2], \"h"), "expected a 'null' node");
}

TEST(CompareNetworks, FindsWhatDiffers) {
  const Topology diamond = network(kDiamond);
  std::string text = kDiamond;
  const std::string edge = call("tvmgen_default_c", "sid_1, sid_2, output_buffer.data");
  text.replace(text.find("sid_1, sid_2, output"), 20, "sid_2, sid_1, output");
  EXPECT_EQ(differences_between(diamond, network(text)),
            (std::vector<std::string>{
                "only the first graph calls 'tvmgen_default_c' with these producers",
                "only the second graph calls 'tvmgen_default_c' with these producers",
                "output 0 comes from different calls"}));
}

TEST(CompareNetworks, NumbersOfKernelsOfSeparateBuildsDoNotCount) {
  const auto twins = [](const std::string& first, const std::string& second) {
    return network(script({main_of({"x", "output", "output2"},
                                   call(first, "x_buffer.data, output_buffer.data") +
                                       call(second, "x_buffer.data, output2_buffer.data")),
                           unary(first), unary(second)}));
  };
  EXPECT_EQ(differences_of_builds(twins("tvmgen_default_a", "tvmgen_default_a_1"),
                                  twins("tvmgen_default_a_3", "tvmgen_default_a")),
            std::vector<std::string>{});
}

}  // namespace
}  // namespace mlf::graph
