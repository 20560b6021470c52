#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "save_json_text.h"
#include "support/error.h"

namespace mlf::tir {
namespace {

using save_json_test::document;

struct Malformed {
  std::string json;
  std::string_view message;
  std::uint32_t line;
  std::uint32_t column;
};
void PrintTo(const Malformed& sample, std::ostream* out) {
  *out << sample.json;
}

class SaveJsonRefuses : public testing::TestWithParam<Malformed> {};

TEST_P(SaveJsonRefuses, WithOneClearMessage) {
  const auto& [json, message, line, column] = GetParam();
  try {
    save_json_test::read(json);
    FAIL() << "accepted";
  } catch (const support::Error& error) {
    EXPECT_EQ(error.diagnostic().message, message);
    EXPECT_EQ(error.diagnostic().where.line, line);
    EXPECT_EQ(error.diagnostic().where.column, column);
    EXPECT_EQ(error.diagnostic().kind, ErrorKind::invalid_input);
  }
}

// Node 10, the first after the function, is in line 14.
Malformed in_body(std::string_view node, std::string_view message, std::uint32_t column,
                  std::string_view next = R"({"type_key": "Map"})", std::uint32_t line = 14) {
  return {document({MLF_EVALUATING_FUNCTION, node, next}), message, line, column};
}

Malformed whole(std::string json, std::string_view message, std::uint32_t line,
                std::uint32_t column) {
  return {std::move(json), message, line, column};
}

constexpr std::string_view kIntImm = R"({"type_key": "IntImm", "attrs": {"dtype": "int32", )";

INSTANTIATE_TEST_SUITE_P(
    Layouts, SaveJsonRefuses,
    testing::Values(
        whole("[]", "expected the object that tvm.ir.save_json writes", 1, 1),
        whole("{}", "missing key \"nodes\"", 1, 1),
        whole(R"({"root": 1, "nodes": {}})", "expected an array, found an object", 1, 22),
        whole(R"({"root": 1, "nodes": []})", "expected at least the null node in \"nodes\"", 1, 22),
        whole(R"({"root": 1, "nodes": [{"type_key": "Map"}]})",
              "expected the null node at index 0 of \"nodes\"", 1, 23),
        whole(R"({"nodes": [{"type_key": ""}]})", "missing key \"root\"", 1, 1),
        whole(R"({"root": 5, "nodes": [{"type_key": ""}]})",
              "node index 5 is out of range: there are 1 nodes", 1, 10),
        whole(R"({"root": -1, "nodes": [{"type_key": ""}]})",
              "node index -1 is out of range: there are 1 nodes", 1, 10),
        whole(R"({"root": 0, "nodes": [{"type_key": ""}]})",
              "node 0 (null): expected an IRModule or a PrimFunc at the root", 1, 23),
        whole(R"({"root": 0, "nodes": [{"type_key": ""}, 7]})", "expected an object for a node", 1,
              41),
        whole(R"({"root": 0, "nodes": [{"type_key": ""}, {}]})", "missing key \"type_key\"", 1, 41),
        whole(R"({"root": 0, "nodes": [{"type_key": ""}, {"type_key": "Map", "x": 1}]})",
              "unknown member \"x\" of a node", 1, 61),
        whole(R"({"root": 0, "nodes": [{"type_key": ""}, {"type_key": "A", "data": 1}]})",
              "expected an array, found an integer", 1, 67),
        whole(R"({"root": 0, "nodes": [{"type_key": ""}, {"type_key": "A", "attrs": {"a": 1}}]})",
              "expected a string, found an integer", 1, 74),
        whole(R"({"root": 0, "nodes": [{"type_key": ""}], "b64ndarrays": [1]})",
              "expected a string, found an integer", 1, 58),
        whole(R"({"root": 0, "nodes": [{"type_key": ""}], "attrs": {"tvm_version": 9}})",
              "expected a string, found an integer", 1, 67),
        whole(document({R"({"type_key": "Map"})"}),
              "node 1 (Map): expected an IRModule or a PrimFunc at the root", 5, 1)));

INSTANTIATE_TEST_SUITE_P(
    Nodes, SaveJsonRefuses,
    testing::Values(
        in_body(R"({"type_key": "tir.SeqStmt", "attrs": {"seq": "0", "span": "0"}})",
                "node 6 (tir.Evaluate): value: expected an expression, found node 10 (tir.SeqStmt)",
                62, R"({"type_key": "Map"})", 10),
        in_body(R"({"type_key": "tir.StringImm", "repr_str": "text"})",
                "node 10 (tir.StringImm): expected an attribute \"dtype\"", 1),
        in_body(std::string(kIntImm) + R"("span": "0"}})",
                "node 10 (IntImm): expected an attribute \"value\"", 1),
        in_body(std::string(kIntImm) + R"("span": "0", "value": "seven"}})",
                "node 10 (IntImm): value: expected a 64-bit integer, found \"seven\"", 74),
        in_body(std::string(kIntImm) + R"("span": "0", "value": "9223372036854775808"}})",
                "node 10 (IntImm): value: expected a 64-bit integer, found "
                "\"9223372036854775808\"",
                74),
        in_body(
            R"({"type_key": "IntImm", "attrs": {"dtype": "int33x", "span": "0", "value": "1"}})",
            "node 10 (IntImm): dtype: expected a dtype, found \"int33x\"", 43),
        in_body(R"({"type_key": "FloatImm", "attrs": {"dtype": "float32", "span": "0",)"
                R"( "value": "1,5"}})",
                "node 10 (FloatImm): value: expected a number, found \"1,5\"", 78),
        in_body(R"({"type_key": "tir.Not", "attrs": {"a": "10", "dtype": "bool", "span": "0"}})",
                "node 10 (tir.Not): the node is part of itself", 1),
        in_body(R"({"type_key": "tir.Not", "attrs": {"a": "99", "dtype": "bool", "span": "0"}})",
                "node 10 (tir.Not): a: node index 99 is out of range: there are 12 nodes", 40),
        in_body(R"({"type_key": "tir.Not", "attrs": {"a": "-1", "dtype": "bool", "span": "0"}})",
                "node 10 (tir.Not): a: expected a node index, found \"-1\"", 40),
        in_body(R"({"type_key": "tir.Not", "attrs": {"a": "0", "dtype": "bool", "span": "0"}})",
                "node 10 (tir.Not): a: expected an expression, found null", 40),
        in_body(R"({"type_key": "tir.Call", "attrs": {"args": "11", "dtype": "int32",)"
                R"( "op": "0", "span": "0"}})",
                "node 10 (tir.Call): args: expected an Array, found node 11 (Map)", 44),
        in_body(
            R"({"type_key": "tir.Call", "attrs": {"args": "11", "dtype": "int32",)"
            R"( "op": "3", "span": "0"}})",
            "node 10 (tir.Call): args[0]: expected an expression, found node 4 (runtime.String)",
            32, R"({"type_key": "Array", "data": [4]})", 15),
        in_body(R"({"type_key": "tir.StringImm", "attrs": {"dtype": "handle", "span": "0",)"
                R"( "value": "7"}})",
                "node 10 (tir.StringImm): value: expected a string, found node 7 (Map)", 82),
        in_body(R"({"type_key": "Array", "data": [1.5]})",
                "expected a node index, found a number with a fraction or exponent", 32),
        in_body(
            R"({"type_key": "tir.Var", "attrs": {"dtype": "int32", "name": "4", "span": "0",)"
            R"( "type_annotation": "4"}})",
            "node 10 (tir.Var): type_annotation: expected a type, found node 4 (runtime.String)",
            98),
        in_body(R"({"type_key": "runtime.NDArray", "repr_str": "AAAA"})",
                "node 10 (runtime.NDArray): the data of an NDArray ends within its header", 45),
        in_body(R"({"type_key": "runtime.NDArray", "repr_str": "A*AA"})",
                "node 10 (runtime.NDArray): malformed base64 at character 2", 45),
        in_body(R"({"type_key": "runtime.BoxBool", "repr_str": "yes"})",
                "node 10 (runtime.BoxBool): expected \"true\" or \"false\" as its value, found "
                "\"yes\"",
                1),
        in_body(R"({"type_key": "runtime.BoxInt", "repr_str": "x"})",
                "node 10 (runtime.BoxInt): expected a number as its value, found \"x\"", 1),
        in_body(R"({"type_key": "runtime.ShapeTuple", "repr_str": "AQAA"})",
                "node 10 (runtime.ShapeTuple): its value is not base64 of a count and as many "
                "integers",
                1),
        in_body(R"({"type_key": "runtime.String", "repr_b64": "AQAA"})",
                "node 10 (runtime.String): repr_b64 is not base64 of a length and as many bytes",
                44),
        in_body(R"({"type_key": "Map", "keys": ["a", "b"], "data": [0]})",
                "node 10 (Map): a map of 2 keys has 1 values", 1),
        in_body(R"({"type_key": "Map", "data": [4]})",
                "node 10 (Map): a map without keys must have keys and values in turn in its data",
                1)));

}  // namespace
}  // namespace mlf::tir
