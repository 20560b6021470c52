// <module>.topology.json: every part of a topology, key by key.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mlf/graph/write.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Json = nlohmann::ordered_json;

Json written(const Topology& topology) {
  std::string text;
  const auto done = write_topology_json(topology, JsonLayout::compact,
                                        [&](std::string_view part) { text += part; });
  if (!done) throw std::runtime_error(to_string(done.error()));
  return Json::parse(text);
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

const std::string kText = script(
    {main_of({"x", "output"}, sid("sid_1") + call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                  call("tvmgen_default_cc_main_0", "sid_1, output_buffer.data")),
     unary("tvmgen_default_a")});

TEST(TopologyJson, HasItsKeysInAFixedOrder) {
  EXPECT_EQ(
      keys_of(written(network(kText))),
      (std::vector<std::string>{"format", "version", "generator", "module", "provenance", "inputs",
                                "outputs", "constants", "kernels", "calls", "values", "storages",
                                "pools", "memory", "hooks", "copies", "checks"}));
}

TEST(TopologyJson, SaysWhereItComesFrom) {
  EXPECT_EQ(written(network(kText))["provenance"], Json::parse(R"({
      "kind": "main-function", "source": "tir-1", "dialect": "tvmscript", "stage": "lowered",
      "tvm_version": {"first": "0.12", "last": "0.17", "exact": null},
      "function": "__tvm_main__", "symbol": "tvmgen_default___tvm_main__",
      "call_form": "unpacked", "argument_form": "pointers"})"));
}

TEST(TopologyJson, CallsSayHowDirectionsWereFound) {
  EXPECT_EQ(written(network(kText))["calls"][1], Json::parse(R"({
      "name": "tvmgen_default_cc_main_0", "kernel": 1, "position": 1, "arguments": [
        {"parameter": null, "direction": "input", "decided_by": "written-before",
         "certainty": "likely", "reads": 1, "writes": null, "storage": 2, "pool": null,
         "dtype": "float32", "shape": [4]},
        {"parameter": null, "direction": "output", "decided_by": "graph-output",
         "certainty": "likely", "reads": null, "writes": 2, "storage": 1, "pool": null,
         "dtype": "float32", "shape": [4]}]})"));
}

TEST(TopologyJson, ValuesSayWhoMakesAndReadsThem) {
  EXPECT_EQ(written(network(kText))["values"][1], Json::parse(R"({
      "name": "sid_1", "kind": "computed", "storage": 2, "device": 1, "version": 0,
      "dtype": "float32", "shape": [4], "bytes": 16, "producer": {"call": 0, "argument": 1},
      "consumers": [{"call": 1, "argument": 0}], "first_definition": 0, "last_use": 1})"));
}

TEST(TopologyJson, ListsTheConstantsOfMain) {
  const Json topology = written(network(script(
      {main_of({"x", "output"},
               "constant_0 = T.allocate_const([1.0, 2.0, 3.0, 4.0], \"float32\", [4])\n" +
                   call("tvmgen_default_b", "x_buffer.data, constant_0, output_buffer.data")),
       binary("tvmgen_default_b")})));
  EXPECT_EQ(topology["constants"], Json::parse(R"([{
      "name": "constant_0", "dtype": "float32", "shape": [4], "bytes": 16, "value": 1,
      "storage": 2}])"));
}

TEST(TopologyJson, SaysHowMuchMemoryIsInUse) {
  EXPECT_EQ(written(network(kText))["memory"], Json::parse(R"([{
      "kind": "heap", "pool": null, "device": 1, "bytes": null, "used": 16,
      "peak": {"position": 0, "call": 0, "bytes": 16},
      "live": [{"position": 0, "bytes": 16}], "exactness": "at-least",
      "uncertain": ["'tvmgen_default_cc_main_0' has no TIR"]}, {
      "kind": "stack", "pool": null, "device": 1, "bytes": null, "used": 0,
      "peak": {"position": 0, "call": 0, "bytes": 0},
      "live": [{"position": 0, "bytes": 0}], "exactness": "at-least",
      "uncertain": ["'tvmgen_default_cc_main_0' has no TIR"]}])"));
}

TEST(TopologyJson, ListsKernelsStoragesAndChecks) {
  const Json topology = written(network(kText));
  EXPECT_EQ(topology["kernels"][1], Json::parse(R"({
      "symbol": "tvmgen_default_cc_main_0", "origin": "external", "function": null,
      "source": null, "target": "cc", "device": null, "hash": null, "is_reshape": false,
      "constants": null, "workspaces": null})"));
  EXPECT_EQ(topology["storages"][2], Json::parse(R"({
      "name": "sid_1", "kind": "workspace", "memory": "heap", "device": 1, "bytes": 16,
      "pool": null, "offset": null})"));
  EXPECT_EQ(topology["checks"], Json::parse(R"([{
      "code": "external-callee", "severity": "note",
      "detail": "'tvmgen_default_cc_main_0' has no TIR", "call": null, "value": null}])"));
}

}  // namespace
}  // namespace mlf::graph
