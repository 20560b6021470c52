#include "model_library/json_dom.h"

#include <gtest/gtest.h>

#include "support/error.h"

namespace mlf::model_library {
namespace {

JsonDocument parsed(std::string_view text) {
  return JsonDocument::parse({"", "m.json", text});
}

std::string error_of(std::string_view text, const JsonLimits& limits = {}) {
  try {
    JsonDocument::parse({"", "m.json", text}, limits);
    return "accepted";
  } catch (const support::Error& error) {
    return to_string(error.diagnostic());
  }
}

TEST(JsonDocument, KeepsOrderKeysAndTheTextOfEveryValue) {
  const std::string_view text =
      "\xEF\xBB\xBF { \"b\" : [1 , -2.5e3,true] ,\"a\\\"\\u0041\":{\"x\": null}, \"c\":\"\\\\\" "
      "}\n";
  const JsonDocument document = parsed(text);
  std::string shown;
  for (const JsonValue member : document.root().children()) {
    shown += std::string(member.key()) + '=' + std::string(member.text()) + ';';
  }
  EXPECT_EQ(shown, "b=[1 , -2.5e3,true];a\"A={\"x\": null};c=\"\\\\\";");
}

TEST(JsonDocument, TellsIntegersFromOtherNumbers) {
  const JsonDocument document =
      parsed("[9223372036854775807, 9223372036854775808, -1, 1.0, 1e2, 1e300]");
  std::string shown;
  for (const JsonValue number : document.root().children()) {
    shown += !number.is(JsonKind::integer)  ? "real "
             : number.integer().has_value() ? std::to_string(*number.integer()) + ' '
                                            : "too-big ";
  }
  EXPECT_EQ(shown, "9223372036854775807 too-big -1 real real real ");
}

TEST(JsonDocument, NamesValuesByEscapedPointers) {
  const JsonDocument document = parsed(R"({"a/b~c": [0, {"": 1}]})");
  const JsonValue list = *document.root().children().begin();
  const JsonValue inner = *std::next(list.children().begin());
  EXPECT_EQ((*inner.children().begin()).pointer(), "/a~1b~0c/1/");
  EXPECT_EQ(document.root().pointer(), "");
}

TEST(JsonDocument, ReportsSyntaxErrorsWithLineColumnAndCaret) {
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n}"),
            "m.json:3:1: syntax error while parsing object key - unexpected '}'; expected string "
            "literal\n  }\n  ^");
  EXPECT_EQ(error_of(""),
            "m.json:1:1: syntax error while parsing value - unexpected end of input; expected '[', "
            "'{', or a literal");
}

TEST(JsonDocument, RefusesDuplicateKeysAtTheSecondOne) {
  EXPECT_EQ(error_of("{\"a\": {\"k\": 1, \"l\": 2, \"k\": 3}}"),
            "m.json:1:29:/a/k: duplicate key \"k\"\n  {\"a\": {\"k\": 1, \"l\": 2, \"k\": 3}}\n"
            "                              ^");
}

TEST(JsonDocument, NestsUpToTheLimitAndNotDeeper) {
  EXPECT_EQ(error_of("[[[]]]", {3}), "accepted");
  EXPECT_EQ(error_of("[[[[]]]]", {3}),
            "m.json:1:4: nested deeper than 3 arrays and objects\n  [[[[]]]]\n     ^");
  EXPECT_NE(error_of(std::string(10'000'000, '[')), "accepted");
}

TEST(JsonDocument, RefusesNumbersBeyondDoublePrecision) {
  EXPECT_EQ(error_of("[1e400]"),
            "m.json:1:6: number overflow parsing '1e400'\n  [1e400]\n       ^");
}

TEST(JsonDocument, RefusesInvalidUtf8) {
  EXPECT_NE(error_of("\"\xff\"").find("ill-formed UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace mlf::model_library
