// Dialects are told apart by content; each text is the shortest of its kind that TVM could write.
#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string_view>

#include "mlf/tir/document.h"

namespace mlf::tir {
namespace {

struct Sample {
  std::string_view name;
  std::string_view text;
  std::optional<Dialect> dialect;

  friend std::ostream& operator<<(std::ostream& out, const Sample& sample) {
    return out << sample.name;
  }
};

class DetectTest : public testing::TestWithParam<Sample> {};

TEST_P(DetectTest, NamesTheDialect) {
  EXPECT_EQ(detect(GetParam().text), GetParam().dialect);
}

constexpr Sample kSamples[] = {
    {"SaveJson", "{\n  \"root\": 1, \n  \"nodes\": [", Dialect::save_json},
    {"SaveJsonWithSortedKeys", R"({"attrs": {"tvm_version": "0.16.0"}, "nodes": [], "root": 0})",
     Dialect::save_json},
    {"TirJson", R"({"format":"mlf-tir","version":1})", Dialect::tir_json},
    {"TirJsonWithSortedKeys", R"({ "attrs" : null, "format" : "mlf-tir", "functions": []})",
     Dialect::tir_json},
    {"OtherJson", R"({"format": "else"})", std::nullopt},
    {"JsonList", "[1, 2]", std::nullopt},
    {"ScriptWithMetadata", "metadata = tvm.ir.load_json(\"\"\"{}\"\"\")\n", Dialect::tvmscript},
    {"ScriptModule",
     "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\n",
     Dialect::tvmscript},
    {"ScriptWithWindowsLineEnds", "# from tvm.script import tir as T\r\n\r\n@T.prim_func\r\n",
     Dialect::tvmscript},
    {"ScriptWhoseBlankLineWasLost",
     "# from tvm.script import ir as I\n@I.ir_module\nclass Module:\n", Dialect::tvmscript},
    {"OldScriptModule", "# from tvm.script import tir as T\n@tvm.script.ir_module\n",
     Dialect::old_tvmscript},
    {"OldScriptFunction", "# from tvm.script import tir as T\n@T.prim_func\n",
     Dialect::old_tvmscript},
    {"ScriptWithoutHeader", "@T.prim_func\ndef f(A: T.Buffer((1,), \"int8\")):\n",
     Dialect::tvmscript},
    {"OldScriptWithoutHeader", "@T.prim_func\ndef f(A: T.Buffer[(1,), \"int8\"]) -> None:\n",
     Dialect::old_tvmscript},
    {"LegacyModule", "@main = primfn(a: handle) -> ()\n", Dialect::legacy_text},
    {"LegacyFunction", "primfn(a: handle) -> ()\n", Dialect::legacy_text},
    {"LegacyWithVersion", "#[version = \"0.0.5\"]\n@main = primfn(", Dialect::legacy_text},
    {"LegacyAmongRelay", "def @main() {\n  0\n}\n\n@f = primfn() -> ()\n", Dialect::legacy_text},
    {"RelayAlone", "def @main(%x: int32) {\n  %x\n}\n", std::nullopt},
    {"Repr", "IRModule({GlobalVar(f): PrimFunc([", std::nullopt},
    {"ScriptUnderComments", "# from tvm.script import tir as T\n# mine\n@T.prim_func\ndef f():\n",
     Dialect::tvmscript},
    {"ScriptInAFile", "\"\"\"Doc.\"\"\"\nN = 4\n\n    @T.prim_func\n    def f():\n",
     Dialect::tvmscript},
    {"ScriptUnderLogLines", "[12:00:01] a.cc:1: Warning\n# from tvm.script import ir as I\n\n",
     Dialect::tvmscript},
    {"LegacyUnderNotes", "# A note\n// Another\n@main = primfn(a: handle) -> ()\n",
     Dialect::legacy_text},
    {"GeneratedCUnderItsLicence", "#pragma once\n/* Licence */\n// tvm target: c\n", Dialect::c},
    {"GeneratedCWithoutTarget", "// Licence\n#define TVM_EXPORTS\n", Dialect::c},
    {"GeneratedC", "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n", Dialect::c},
    {"GeneratedCBelowALicence", "/* SPDX */\n// tvm target: c -keys=cpu \n", Dialect::c},
    {"OtherC", "/* SPDX */\nint f(void);\n", std::nullopt},
    {"ScriptBelowImports",
     "import tvm\nfrom tvm.script import tir as T\n\n\n@T.prim_func\n"
     "def f(A: T.Buffer((1,), \"int8\")):\n",
     Dialect::tvmscript},
    {"ScriptBelowALicence", "# SPDX\n\n# from tvm.script import tir as T\n\n@T.prim_func\n",
     Dialect::tvmscript},
    {"ImportsAlone", "import tvm\nfrom tvm.script import tir as T\n", std::nullopt},
    {"ReprFunction", "PrimFunc([a]) attrs={} {", std::nullopt},
    {"BlankLinesAndByteOrderMark", "\xEF\xBB\xBF\n\n  \n@main = primfn(", Dialect::legacy_text},
    {"Nothing", " \n", std::nullopt},
    {"Prose", "hello", std::nullopt},
};

INSTANTIATE_TEST_SUITE_P(Samples, DetectTest, testing::ValuesIn(kSamples),
                         [](const auto& sample) { return std::string(sample.param.name); });

}  // namespace
}  // namespace mlf::tir
