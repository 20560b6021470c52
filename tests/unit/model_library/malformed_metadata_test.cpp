// One message for each way metadata.json can be wrong: place, JSON pointer, words.
#include <gtest/gtest.h>

#include <ostream>

#include "mlf/model_library.h"

namespace mlf {
namespace {

constexpr std::string_view kModel = R"({
"version": 7,
"modules": {"net": {
  "model_name": "net",
  "export_datetime": "2024-01-01 00:00:00Z",
  "style": "full-model",
  "executors": ["graph"],
  "target": ["c -keys=cpu"],
  "external_dependencies": [{"short_name": "crt", "url": "u", "url_type": "t", "version_spec": "1"}],
  "memory": {
    "sids": [{"storage_id": 0, "size_bytes": 16, "input_binding": "x"}],
    "functions": {
      "operator_functions": [{"function_name": "f", "workspace": [{"device": 1, "workspace_size_bytes": 2}]}],
      "main": [{"device": 1, "workspace_size_bytes": 3, "constants_size_bytes": 4, "io_size_bytes": 5,
                "inputs": {"a/b": {"size": 6, "dtype": "int8"}}}]}}}}})";

constexpr std::string_view kOperator = R"({
"version": 7,
"model_name": null,
"style": "operator",
"executors": [],
"target": {"1": "c"},
"memory": {"add": [{"size_bytes": 8, "shape": [2], "dtype": "int8", "input_binding": null}]}})";

/// `document` with one piece of text replaced, and the message that must come of it.
struct Case {
  std::string_view name;
  std::string_view document;
  std::string_view from;
  std::string_view to;
  std::string_view message;
};

std::ostream& operator<<(std::ostream& out, const Case& test) {
  return out << test.name;
}

class MalformedMetadata : public testing::TestWithParam<Case> {};

TEST_P(MalformedMetadata, IsRefusedWithPlacePointerAndReason) {
  const Case& test = GetParam();
  std::string text(test.document);
  const std::size_t at = text.find(test.from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, test.from.size(), test.to);
  const auto library = read_model_library(text, {});
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().kind, ErrorKind::invalid_input);
  const std::string shown = to_string(library.error());
  EXPECT_EQ(shown.substr(0, shown.find('\n')), "metadata.json:" + std::string(test.message));
}

// Of a few bytes each, a hundred million of them would fill the memory of a machine.
TEST(MalformedMetadata, MoreTargetsThanThereAreDevicesAreRefused) {
  const auto read_with = [](std::size_t targets) {
    std::string list = "[\"c\"";
    for (std::size_t i = 1; i < targets; ++i) list += ",\"c\"";
    std::string text(kModel);
    constexpr std::string_view kList = "[\"c -keys=cpu\"";
    return read_model_library(text.replace(text.find(kList), kList.size(), list), {});
  };
  EXPECT_TRUE(read_with(4096).has_value());
  const auto refused = read_with(4097);
  ASSERT_FALSE(refused.has_value());
  const std::string shown = to_string(refused.error());
  EXPECT_EQ(shown.substr(0, shown.find('\n')),
            "metadata.json:8:13:/modules/net/target: expected at most 4096 targets, found 4097");
}

std::string name_of(const testing::TestParamInfo<Case>& test) {
  return std::string(test.param.name);
}

INSTANTIATE_TEST_SUITE_P(
    FullModel, MalformedMetadata,
    testing::Values(
        Case{"comma_missing", kModel, "7,", "7", "3:1: expected ',' or '}'"},
        Case{"trailing_comma", kModel, "\"t\", \"version_spec\": \"1\"", "\"t\",",
             "9:79: expected a value before '}'"},
        Case{"control_character", kModel, "full-model", "full\nmodel",
             "6:17: raw control character U+000A in a string"},
        Case{"truncated", kModel, "}}}}}", "}",
             "15:67: the text ends where ',' or '}' is expected"},
        Case{"text_behind", kModel, "}}}}}", "}}}}} x", "15:72: expected the end of the text"},
        Case{"too_deep", kModel, "\"u\"",
             std::string_view("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["),
             "9:117: JSON nested deeper than 64 levels"},
        Case{"duplicate_key", kModel, "\"model_name\": \"net\"", "\"style\": \"x\"",
             "6:3:/modules/net/style: duplicate key \"style\""},
        Case{"not_an_object", kModel, kModel, "[]", "1:1: expected an object, found an array"},
        Case{"version_missing", kModel, "\"version\"", "\"Version\"",
             "1:1: missing key \"version\""},
        Case{"version_a_string", kModel, "7", "\"7\"",
             "2:12:/version: expected an integer, found a string"},
        Case{"version_fractional", kModel, "7", "7.0",
             "2:12:/version: expected an integer, found a number with a fraction or exponent"},
        Case{"version_zero", kModel, "7", "0",
             "2:12:/version: unsupported format version 0, known are 1 to 7"},
        Case{"version_of_the_future", kModel, "7", "8",
             "2:12:/version: unsupported format version 8, known are 1 to 7"},
        Case{"modules_missing", kModel, "\"modules\"", "\"models\"",
             "1:1: missing key \"modules\""},
        Case{"modules_a_list", kModel, kModel, R"({"version": 7, "modules": []})",
             "1:27:/modules: expected an object, found an array"},
        Case{"modules_empty", kModel, kModel, R"({"version": 7, "modules": {}})",
             "1:27:/modules: expected at least one module"},
        Case{"module_not_an_object", kModel, kModel, R"({"version": 7, "modules": {"m": 1}})",
             "1:33:/modules/m: expected an object, found an integer"},
        Case{"model_name_missing", kModel, "\"model_name\"", "\"name\"",
             "3:20:/modules/net: missing key \"model_name\""},
        Case{"model_name_a_number", kModel, "\"model_name\": \"net\"", "\"model_name\": 1",
             "4:17:/modules/net/model_name: expected a string, found an integer"},
        Case{"export_datetime_a_number", kModel, "\"2024-01-01 00:00:00Z\"", "0",
             "5:22:/modules/net/export_datetime: expected a string, found an integer"},
        Case{"style_missing", kModel, "\"style\"", "\"Style\"",
             "3:20:/modules/net: missing key \"style\""},
        Case{"style_unknown", kModel, "full-model", "half-model",
             "6:12:/modules/net/style: unknown style \"half-model\", known are \"full-model\" and "
             "\"operator\""},
        Case{"executors_missing", kModel, "\"executors\"", "\"runtimes\"",
             "3:20:/modules/net: missing key \"executors\""},
        Case{"executors_a_string", kModel, "[\"graph\"]", "\"graph\"",
             "7:16:/modules/net/executors: expected an array, found a string"},
        Case{"executor_unknown", kModel, "\"graph\"", "\"vm\"",
             "7:17:/modules/net/executors/0: unknown executor \"vm\", known are \"aot\" and "
             "\"graph\""},
        Case{"target_missing", kModel, "\"target\"", "\"targets\"",
             "3:20:/modules/net: missing key \"target\""},
        Case{"target_a_string", kModel, "[\"c -keys=cpu\"]", "\"c\"",
             "8:13:/modules/net/target: expected an array or an object of targets, found a string"},
        Case{"target_not_a_string", kModel, "\"c -keys=cpu\"", "\"c\", 1",
             "8:19:/modules/net/target/1: expected a string, found an integer"},
        Case{"target_malformed", kModel, "-keys=cpu", "keys=cpu",
             "8:14:/modules/net/target/0: malformed target \"c keys=cpu\": expected an attribute, "
             "which begins with '-'"},
        Case{"dependency_incomplete", kModel, "\"url\"", "\"uri\"",
             "9:29:/modules/net/external_dependencies/0: missing key \"url\""},
        Case{"dependency_wrong_type", kModel, "\"u\"", "{}",
             "9:58:/modules/net/external_dependencies/0/url: expected a string, found an object"},
        Case{"memory_missing", kModel, "\"memory\"", "\"Memory\"",
             "3:20:/modules/net: missing key \"memory\""},
        Case{"memory_a_number", kModel, kModel,
             R"({"version": 5, "model_name": "m", "style": "full-model", "executors": [],
"target": {}, "memory": 1})",
             "2:25:/memory: expected an object, found an integer"},
        Case{"functions_missing", kModel, "\"functions\"", "\"function\"",
             "10:13:/modules/net/memory: missing key \"functions\""},
        Case{"storage_id_negative", kModel, "\"storage_id\": 0", "\"storage_id\": -1",
             "11:29:/modules/net/memory/sids/0/storage_id: expected a number from 0 on, found -1"},
        Case{"storage_size_missing", kModel, "\"size_bytes\"", "\"size\"",
             "11:14:/modules/net/memory/sids/0: missing key \"size_bytes\""},
        Case{"size_fractional", kModel, "16", "16.5",
             "11:46:/modules/net/memory/sids/0/size_bytes: expected an integer, found a number "
             "with a fraction or exponent"},
        Case{"size_in_floating_point", kModel, "16", "1e3",
             "11:46:/modules/net/memory/sids/0/size_bytes: expected an integer, found a number "
             "with a fraction or exponent"},
        Case{"size_of_2_to_the_63", kModel, "16", "9223372036854775808",
             "11:46:/modules/net/memory/sids/0/size_bytes: 9223372036854775808 is out of range, "
             "the largest value here is 9223372036854775807"},
        Case{"size_hugely_negative", kModel, "16", "-99999999999999999999",
             "11:46:/modules/net/memory/sids/0/size_bytes: expected a number from 0 on, found "
             "-99999999999999999999"},
        Case{"binding_a_number", kModel, "\"x\"", "1",
             "11:67:/modules/net/memory/sids/0/input_binding: expected a string, found an integer"},
        Case{"function_name_missing", kModel, "\"function_name\"", "\"name\"",
             "13:30:/modules/net/memory/functions/operator_functions/0: missing key "
             "\"function_name\""},
        Case{"workspace_an_object", kModel, "[{\"device\": 1, \"workspace_size_bytes\": 2}]", "{}",
             "13:66:/modules/net/memory/functions/operator_functions/0/workspace: expected an "
             "array, found an object"},
        Case{"workspace_size_null", kModel, ": 2}", ": null}",
             "13:105:/modules/net/memory/functions/operator_functions/0/workspace/0/"
             "workspace_size_bytes: expected an integer, found null"},
        Case{"device_beyond_32_bits", kModel, "\"device\": 1", "\"device\": 2147483648",
             "13:78:/modules/net/memory/functions/operator_functions/0/workspace/0/device: "
             "2147483648 is out of range, the largest value here is 2147483647"},
        Case{"main_missing", kModel, "\"main\"", "\"__tvm_main__\"",
             "12:18:/modules/net/memory/functions: missing key \"main\""},
        Case{"main_size_missing", kModel, "\"workspace_size_bytes\": 3, ", "",
             "14:16:/modules/net/memory/functions/main/0: missing key \"workspace_size_bytes\""},
        Case{"constants_size_a_boolean", kModel, ": 4", ": true",
             "14:81:/modules/net/memory/functions/main/0/constants_size_bytes: expected an "
             "integer, found a boolean"},
        Case{"input_without_size", kModel, "\"size\": 6, ", "",
             "15:35:/modules/net/memory/functions/main/0/inputs/a~1b: missing key \"size\""},
        Case{"input_dtype_a_number", kModel, "\"int8\"", "8",
             "15:56:/modules/net/memory/functions/main/0/inputs/a~1b/dtype: expected a string, "
             "found an integer"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Operator, MalformedMetadata,
    testing::Values(Case{"memory_a_list", kOperator, "{\"add\": ", "[], \"x\": {\"add\": ",
                         "7:11:/memory: expected an object, found an array"},
                    Case{"function_not_a_list", kOperator, "{\"add\": ", "{\"sub\": 1, \"add\": ",
                         "7:19:/memory/sub: expected an array, found an integer"},
                    Case{"device_type_not_a_number", kOperator, "\"1\"", "\"cpu\"",
                         "6:19:/target/cpu: the key of a target is a device type, found \"cpu\""},
                    Case{"device_type_zero", kOperator, "\"1\"", "\"0\"",
                         "6:17:/target/0: the key of a target is a device type, found \"0\""},
                    Case{"extent_negative", kOperator, "[2]", "[2, -1]",
                         "7:51:/memory/add/0/shape/1: expected a number from 0 on, found -1"},
                    Case{"extent_a_name", kOperator, "[2]", "[\"n\"]",
                         "7:48:/memory/add/0/shape/0: expected an integer, found a string"},
                    Case{"buffer_without_dtype", kOperator, "\"dtype\"", "\"type\"",
                         "7:20:/memory/add/0: missing key \"dtype\""},
                    Case{"operator_at_version_3", kOperator, "7", "3",
                         "1:1: missing key \"runtimes\""}),
    name_of);

TEST(MalformedMetadata, ShowsTheLineWithACaret) {
  const auto library = read_model_library("{\"version\": 7,\n \"modules\": {]}", {});
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(
      to_string(library.error()),
      "metadata.json:2:14: expected a key in double quotes\n   \"modules\": {]}\n               ^");
}

TEST(MalformedMetadata, RespectsTheNestingLimitOfTheCaller) {
  EXPECT_TRUE(read_model_library(kOperator, {}, {5}).has_value());
  EXPECT_FALSE(read_model_library(kOperator, {}, {4}).has_value());
}

}  // namespace
}  // namespace mlf
