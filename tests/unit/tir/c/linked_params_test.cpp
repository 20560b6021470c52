// Parameters that TVM v0.8 links as constants.
#include <fmt/core.h>

#include "mlf/tir/write.h"
#include "reading.h"
#include "tir/node_queries.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir::c {
namespace {

const std::string kLinkedFile =
    "// tvm target: c -keys=cpu -link-params=1\n#define TVM_EXPORTS\n"
    "#include \"tvm/runtime/c_runtime_api.h\"\n#include \"tvm/runtime/c_backend_api.h\"\n"
    "#include <math.h>\n"
    "static const int8_t __tvm_param__p1[3] = {\n    +0x01, -0x02, +0x7f};\n"
    "static const int32_t __tvm_param__p0[1] = {\n    +0x00000005\n};\n"
    "TVM_DLL int32_t tvmgen_default_run_model(void* arg0, void* arg1) {\n"
    "  void* input = arg0;\n  void* output = arg1;\n"
    "  (void)tvmgen_default_f(input, __tvm_param__p1, output);\n  return 0;\n}\n"
    "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
    "TVM_DLL int32_t _lookup_linked_param(void* args, int* arg_type_ids, int num_args, void* "
    "out_ret_value, int* out_ret_tcode, void* resource_handle) {\n"
    "    switch (((int64_t*) args)[0]) {\n    default:\n        out_ret_tcode[0] = 4;\n"
    "        return 0;\n    case 3:\n        ((uint64_t*)out_ret_value)[0] = (uint64_t) "
    "(uintptr_t) __tvm_param__p1;\n        out_ret_tcode[0] = 3;\n        return 0;\n"
    "    case 1:\n        ((uint64_t*)out_ret_value)[0] = (uint64_t) (uintptr_t) "
    "__tvm_param__p0;\n        out_ret_tcode[0] = 3;\n        return 0;\n    }\n}\n";

std::string spelled_params(const Document& document) {
  const NodeMap entries =
      linked_params_of(function(document, "_lookup_linked_param")).map(f::StringMap::entries);
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Node array = entries.value(i)[f::LinkedParam::param];
    text += fmt::format("{} {} {}", entries.name(i), entries.value(i).integer(f::LinkedParam::id),
                        to_string(array.dtype(f::NDArray::dtype)));
    const auto bytes = array.bytes(f::NDArray::data);
    for (const std::byte byte : *bytes) {
      text += " " + std::to_string(std::to_integer<int>(byte));
    }
    text += ";";
  }
  return text;
}

constexpr std::string_view kLinkedParamBytes = "p1 3 int8 1 254 127;p0 1 int32 5 0 0 0;";

TEST(LinkedParams, AreAnAttributeAsInTheModuleOfTvm) {
  const Document document = read_files({kLinkedFile});
  EXPECT_EQ(spelled_params(document), kLinkedParamBytes);
  // The switch is no function of its own, and the arrays are no constants that belong nowhere.
  EXPECT_EQ(functions_of(document.module).size(), 2u);
  EXPECT_EQ(details(document, LossCode::unknown_construct), "");
  EXPECT_TRUE(document.imported_c.empty());
}

TEST(LinkedParams, ComeBackThroughJsonAndC) {
  const Document document = document_of(json_of(read_files({kLinkedFile})));
  EXPECT_EQ(spelled_params(document), kLinkedParamBytes);
  std::string text;
  const auto written = write_c(document, [&](std::string_view part) { text += part; });
  ASSERT_TRUE(written) << to_string(written.error());
  EXPECT_EQ(spelled_params(read_files({text})), kLinkedParamBytes);
  const std::string_view lookup = std::string_view(kLinkedFile).substr(kLinkedFile.find("#ifdef"));
  EXPECT_NE(text.find(lookup), text.npos) << text;
}

TEST(LinkedParams, WithoutTheSwitchHaveNoStorageId) {
  const std::string file = kLinkedFile.substr(0, kLinkedFile.find("#ifdef"));
  EXPECT_EQ(spelled_params(read_files({file})), "p1 -1 int8 1 254 127;p0 -1 int32 5 0 0 0;");
}

}  // namespace
}  // namespace mlf::tir::c
