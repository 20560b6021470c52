// Values at the ends of what a field holds.
#include "../save_json/save_json_text.h"
#include "writing.h"

namespace mlf::tir {
namespace {

using save_json_test::document;
using write_test::expect_same;
using write_test::read_text;
using write_test::save_json_of;
using write_test::tir_json_of;

constexpr std::string_view kSmallest =
    R"({"type_key": "IntImm", "attrs": {"dtype": "int64", "span": "0",)"
    R"( "value": "-9223372036854775808"}})";

TEST(Writers, KeepTheSmallestNumber) {
  const Document original = read_text(document({MLF_EVALUATING_FUNCTION, kSmallest}));
  expect_same(original.module, read_text(save_json_of(original)).module);
  expect_same(original.module, read_text(tir_json_of(original)).module);
  EXPECT_NE(save_json_of(original).find("\"value\": \"-9223372036854775808\""), std::string::npos);
}

}  // namespace
}  // namespace mlf::tir
