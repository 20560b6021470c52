#include "json/document.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/text.h"
#include "support/error.h"

namespace mlf::json {
namespace {

support::SourceText source(std::string_view text) {
  return {"f.json", "", text};
}

TEST(Document, ReadsEveryTypeOfValueWithItsPlace) {
  const support::SourceText text =
      source(R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "x"}} )");
  const Document document(text);
  const Value root = document.root();
  ASSERT_TRUE(root.is_object());
  EXPECT_EQ(root.size(), 2u);
  const Value list = *root.find("a");
  ASSERT_EQ(list.size(), 5u);
  std::vector<Value> parts;
  for (const Value part : list.elements()) parts.push_back(part);
  EXPECT_EQ(parts[0].integer(), 1);
  EXPECT_EQ(parts[1].source(), "-2.5e3");
  EXPECT_EQ(parts[1].integer(), std::nullopt);
  EXPECT_EQ(parts[1].offset(), 11u);
  EXPECT_EQ(parts[2].boolean(), true);
  EXPECT_EQ(parts[3].boolean(), false);
  EXPECT_TRUE(parts[4].is_null());
  EXPECT_EQ(root.find("b")->find("c")->text(), "x");
  EXPECT_FALSE(root.find("c"));
}

TEST(Document, VisitsMembersInTheirOrderAndSkipsOverNestedOnes) {
  const support::SourceText text = source(R"({"z": {"y": [[], {}]}, "a": 7, "m": []})");
  const Document document(text);
  std::string keys;
  for (const Member member : document.root().members()) keys += member.key.text();
  EXPECT_EQ(keys, "zam");
  EXPECT_EQ(document.root().find("a")->integer(), 7);
}

TEST(Document, PointsIntoTheSourceWhereAStringHasNoEscapes) {
  const std::string big = "\"" + std::string(1'000'000, 'A') + "\"";
  const support::SourceText text = source(big);
  const Document document(text);
  EXPECT_EQ(document.root().text().data(), big.data() + 1);
  EXPECT_EQ(document.root().text().size(), 1'000'000u);
}

TEST(Document, ResolvesEscapesAndSurrogatePairs) {
  const support::SourceText text =
      source(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00 end")");
  const Document document(text);
  EXPECT_EQ(document.root().text(), "\"\\/\b\f\n\r\tA\u00e9\u20ac\U0001F600 end");
}

TEST(Document, AcceptsRawControlCharactersAndForeignBytesInStrings) {
  const std::string content("a\x01\n\t\xff\xfe\0z", 8);
  const std::string json = "[\"" + content + "\"]";
  const support::SourceText text = source(json);
  const Document document(text, {.strings = Strings::any_bytes});
  EXPECT_EQ((*document.root().elements().begin()).text(), content);
}

TEST(Document, ReadsAPartOfALongerText) {
  const support::SourceText text = source("metadata = [10, 20] # rest");
  const Document document(text, 11, 19);
  EXPECT_EQ(document.root().size(), 2u);
  EXPECT_EQ((*document.root().elements().begin()).offset(), 12u);
}

TEST(Document, SurvivesDeepNestingUpToItsLimit) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_NO_THROW(Document(source(deep), ReadOptions{100'000}));
  EXPECT_THROW(Document(source(deep), ReadOptions{99'999}), support::Error);
}

struct Malformed {
  std::string_view json;
  std::size_t column;
  std::string_view message;
};
void PrintTo(const Malformed& sample, std::ostream* out) {
  *out << sample.json;
}

class DocumentRefuses : public testing::TestWithParam<Malformed> {};

TEST_P(DocumentRefuses, WithOneClearMessage) {
  const auto& [json, column, message] = GetParam();
  try {
    const Document document(source(json));
    FAIL() << "accepted " << json;
  } catch (const support::Error& error) {
    EXPECT_EQ(error.diagnostic().message, message);
    EXPECT_EQ(error.diagnostic().where.column, column);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, DocumentRefuses,
    testing::Values(Malformed{"", 1, "the text ends where a value is expected"},
                    Malformed{"[1, ", 5, "the text ends where a value is expected"},
                    Malformed{"[1 2]", 4, "expected ',' or ']'"},
                    Malformed{"{\"a\": 1 \"b\": 2}", 9, "expected ',' or '}'"},
                    Malformed{"[1,]", 4, "expected a value before ']'"},
                    Malformed{"{\"a\": 1,}", 9, "expected a value before '}'"},
                    Malformed{"{\"a\" 1}", 6, "expected ':' after a key"},
                    Malformed{"{a: 1}", 2, "expected a key in double quotes"},
                    Malformed{"[\"abc", 2, "a string is not closed"},
                    Malformed{"\"abc\\", 1, "a string is not closed"},
                    Malformed{R"("a\qb")", 3, "unknown escape in a string"},
                    Malformed{R"("\u12G4")", 6, "expected four hexadecimal digits after '\\u'"},
                    Malformed{R"("x\ud800")", 3, "half of a surrogate pair"},
                    Malformed{R"("x\udc00\ud800")", 3, "half of a surrogate pair"},
                    Malformed{"01", 1, "a number must not begin with a zero"},
                    Malformed{"-x", 2, "expected a digit after '-'"},
                    Malformed{"1.", 3, "the text ends where a digit after '.' is expected"},
                    Malformed{"1e+", 4, "the text ends where a digit of an exponent is expected"},
                    Malformed{"nul", 1, "expected a value"}, Malformed{"?", 1, "expected a value"},
                    Malformed{"[] x", 4, "expected the end of the text"},
                    Malformed{R"({"b": 1, "a": 2, "b": 3})", 18, "duplicate key \"b\""},
                    Malformed{R"({"a": 1, "\u0061": 2})", 10, "duplicate key \"a\""}));

TEST(Document, FindsADuplicateAmongManyKeys) {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i) json += "\"k" + std::to_string(i) + "\": 0, ";
  json += "\"k500\": 1}";
  EXPECT_THROW(Document(source(json)), support::Error);
}

std::string error_of(std::string_view text, const ReadOptions& options = {}) {
  try {
    const Document document({"", "m.json", text}, options);
    return "accepted";
  } catch (const support::Error& error) {
    return to_string(error.diagnostic());
  }
}

TEST(Document, KeepsOrderKeysAndTheTextOfEveryValue) {
  const support::SourceText text = source(
      "\xEF\xBB\xBF { \"b\" : [1 , -2.5e3,true] ,\"a\\\"\\u0041\":{\"x\": null}, \"c\":\"\\\\\" "
      "}\n");
  const Document document(text);
  std::string shown;
  for (const auto [key, value] : document.root().members()) {
    shown += std::string(key.text()) + '=' + std::string(value.source()) + ';';
  }
  EXPECT_EQ(shown, "b=[1 , -2.5e3,true];a\"A={\"x\": null};c=\"\\\\\";");
}

TEST(Document, FindsTheEndOfContainersWithBracketsInTheirStrings) {
  const support::SourceText text = source(R"([{"a]}": "\"}]"}, [[], {}]])");
  const Document document(text);
  std::string shown;
  for (const Value value : document.root().elements()) shown += std::string(value.source()) + ';';
  EXPECT_EQ(shown, R"({"a]}": "\"}]"};[[], {}];)");
}

TEST(Document, TellsIntegersFromOtherNumbers) {
  const support::SourceText text =
      source("[9223372036854775807, 9223372036854775808, -1, 1.0, 1e2, 1e300]");
  const Document document(text);
  std::string shown;
  for (const Value number : document.root().elements()) {
    shown += !number.is(Type::integer)      ? "real "
             : number.integer().has_value() ? std::to_string(*number.integer()) + ' '
                                            : "too-big ";
  }
  EXPECT_EQ(shown, "9223372036854775807 too-big -1 real real real ");
}

TEST(Document, NamesValuesByEscapedPointers) {
  const support::SourceText text = source(R"({"a/b~c": [0, {"": 1}]})");
  const Document document(text);
  const Value list = document.root().at("a/b~c");
  const Value inner = *++list.elements().begin();
  EXPECT_EQ((*inner.members().begin()).value.pointer(), "/a~1b~0c/1/");
  EXPECT_EQ(document.root().pointer(), "");
}

TEST(Document, SaysWhatItExpectedAndWhatItFound) {
  const auto error = [](auto access) {
    const support::SourceText text = source(R"({"a": [1.5]})");
    const Document document(text);
    try {
      access(document.root());
      return std::string("accepted");
    } catch (const support::Error& fault) {
      return fault.diagnostic().where.json_pointer + ": " + fault.diagnostic().message;
    }
  };
  EXPECT_EQ(error([](Value root) { root.as_array(); }), ": expected an array, found an object");
  EXPECT_EQ(error([](Value root) { root.at("a").expect(Type::object); }),
            "/a: expected an object, found an array");
  EXPECT_EQ(error([](Value root) { root.at("b"); }), ": missing key \"b\"");
  EXPECT_EQ(error([](Value root) { root.at("a").at("b"); }),
            "/a: expected an object, found an array");
  EXPECT_EQ(error([](Value root) { (*root.at("a").as_array().begin()).as_integer(); }),
            "/a/0: expected an integer, found a number with a fraction or exponent");
  EXPECT_EQ(error([](Value root) { root.at("a").as_string(); }),
            "/a: expected a string, found an array");
}

TEST(Document, ReportsSyntaxErrorsWithLineColumnAndCaret) {
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n}"), "m.json:3:1: expected a value before '}'\n  }\n  ^");
  EXPECT_EQ(error_of(""), "m.json:1:1: the text ends where a value is expected");
}

TEST(Document, RefusesDuplicateKeysAtTheSecondOne) {
  EXPECT_EQ(error_of("{\"a\": {\"k\": 1, \"l\": 2, \"k\": 3}}"),
            "m.json:1:24:/a/k: duplicate key \"k\"\n  {\"a\": {\"k\": 1, \"l\": 2, \"k\": 3}}\n"
            "                         ^^^");
}

TEST(Document, NestsUpToTheLimitAndNotDeeper) {
  EXPECT_EQ(error_of("[[[]]]", {3}), "accepted");
  EXPECT_EQ(error_of("[[[[]]]]", {3}),
            "m.json:1:4: JSON nested deeper than 3 levels\n  [[[[]]]]\n     ^");
  EXPECT_NE(error_of(std::string(10'000'000, '[')), "accepted");
}

TEST(Document, RefusesNumbersBeyondDoublePrecision) {
  EXPECT_EQ(error_of("[1e400]"),
            "m.json:1:2: this number is out of the range of a double\n  [1e400]\n   ^");
  EXPECT_NE(error_of("1" + std::string(400, '0')), "accepted");
  EXPECT_EQ(error_of("[1e-400, 0.0]"), "accepted");
}

TEST(Document, RefusesInvalidUtf8) {
  EXPECT_NE(error_of("\"\xff\"").find("invalid UTF-8"), std::string::npos);
  EXPECT_NE(error_of("\"\\n\xed\xa0\x80\"").find("invalid UTF-8"), std::string::npos);
  EXPECT_NE(error_of("\"\x01\"").find("control character"), std::string::npos);
}

TEST(Escaped, ShowsControlCharacters) {
  std::string json;
  append_escaped(json, "a\x7f\u009b\u202e\u2066\u2028\uffff\u00e9\U0001f600");
  EXPECT_EQ(json, "a\\u007f\\u009b\\u202e\\u2066\\u2028\\uffff\u00e9\U0001f600");
}

TEST(Quoted, EscapesWhatJsonAsksForAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(quoted("a\"\\\n\t\r\x01\u00e9\xff"), "\"a\\\"\\\\\\n\\t\\r\\u0001\u00e9\uFFFD\"");
}

}  // namespace
}  // namespace mlf::json
