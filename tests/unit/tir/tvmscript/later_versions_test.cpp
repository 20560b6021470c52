// The language of TVM v0.24 and later looks like TVMScript and means other things: it is refused by
// name.
#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::string_view kWhy = "mlf reads TIR of TVM 0.8 to 0.18";

void expect_refused(const std::string& text, std::string_view sign) {
  const std::string error = error_of(text);
  EXPECT_NE(error.find(kWhy), std::string::npos) << error;
  EXPECT_NE(error.find(sign), std::string::npos) << error;
}

TEST(LaterScripts, MayImportTirx) {
  expect_refused(
      "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\n"
      "class Module:\n    @T.prim_func\n    def main(n: T.int32):\n        T.evaluate(n)\n",
      "tirx");
  expect_refused("class Module:\n    from tvm.script import tirx as T\n", "tirx");
}

TEST(LaterScripts, MayUseTheDecoratorSTir) {
  expect_refused(
      "# from tvm.script import tir as T\n\n@T.prim_func(s_tir=True)\n"
      "def main(n: T.int32):\n    T.evaluate(n)\n",
      "s_tir");
}

TEST(LaterScripts, HaveBlocksOfAnotherName) {
  expect_refused(in_function("with T.sblock(\"root\"):\n    T.evaluate(0)"), "sblock");
  expect_refused(in_function("B = T.sblock_alloc_buffer((4,), \"int8\")\nT.evaluate(0)"), "sblock");
}

TEST(LaterScripts, MarkTheirLets) {
  expect_refused(in_function("x: T.let[T.int32] = n + 1\nT.evaluate(x)"), "let");
}

TEST(LaterJson, HasARootIndex) {
  const std::string json =
      "{\"root_index\": 1, \"nodes\": [{\"type\": \"None\"}, {\"type\": \"ffi.Map\", "
      "\"data\": []}], \"metadata\": {}}";
  expect_refused(json, "tvm-ffi");
  std::string quoted;
  for (const char c : json) quoted += c == '"' ? "\\\"" : std::string(1, c);
  expect_refused("metadata = tvm.ir.load_json(\"\"\"" + quoted + "\"\"\")\n", "tvm-ffi");
}

}  // namespace
}  // namespace mlf::tir::tvmscript
