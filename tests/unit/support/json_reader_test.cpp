#include "support/json_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace mlf::support {
namespace {

SourceText source(std::string_view text) {
  return {"f.json", "", text};
}

TEST(JsonReader, GivesBackEveryTypeOfValueWithItsPlace) {
  const SourceText text = source(R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "x"}} )");
  const JsonDocument document(text);
  const JsonValue root = document.root();
  ASSERT_TRUE(root.is_object());
  EXPECT_EQ(root.size(), 2u);
  const JsonValue list = *root.find("a");
  ASSERT_EQ(list.size(), 5u);
  std::vector<JsonValue> parts;
  for (const JsonValue part : list.elements()) parts.push_back(part);
  EXPECT_EQ(parts[0].integer(), 1);
  EXPECT_EQ(parts[1].number_text(), "-2.5e3");
  EXPECT_EQ(parts[1].integer(), std::nullopt);
  EXPECT_EQ(parts[1].offset(), 11u);
  EXPECT_EQ(parts[2].type(), JsonType::true_);
  EXPECT_EQ(parts[3].type(), JsonType::false_);
  EXPECT_TRUE(parts[4].is_null());
  EXPECT_EQ(root.find("b")->find("c")->text(), "x");
  EXPECT_FALSE(root.find("c"));
}

TEST(JsonReader, VisitsMembersInTheirOrderAndSkipsOverNestedOnes) {
  const SourceText text = source(R"({"z": {"y": [[], {}]}, "a": 7, "m": []})");
  const JsonDocument document(text);
  std::string keys;
  for (const JsonMember member : document.root().members()) keys += member.key.text();
  EXPECT_EQ(keys, "zam");
  EXPECT_EQ(document.root().find("a")->integer(), 7);
}

TEST(JsonReader, PointsIntoTheSourceWhereAStringHasNoEscapes) {
  const std::string big = "\"" + std::string(1'000'000, 'A') + "\"";
  const SourceText text = source(big);
  const JsonDocument document(text);
  EXPECT_EQ(document.root().text().data(), big.data() + 1);
  EXPECT_EQ(document.root().text().size(), 1'000'000u);
}

TEST(JsonReader, ResolvesEscapesAndSurrogatePairs) {
  const SourceText text = source(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00 end")");
  const JsonDocument document(text);
  EXPECT_EQ(document.root().text(), "\"\\/\b\f\n\r\tA\u00e9\u20ac\U0001F600 end");
}

TEST(JsonReader, AcceptsRawControlCharactersAndForeignBytesInStrings) {
  const std::string content("a\x01\n\t\xff\xfe\0z", 8);
  const std::string json = "[\"" + content + "\"]";
  const SourceText text = source(json);
  const JsonDocument document(text);
  EXPECT_EQ((*document.root().elements().begin()).text(), content);
}

TEST(JsonReader, ReadsAPartOfALongerText) {
  const SourceText text = source("metadata = [10, 20] # rest");
  const JsonDocument document(text, 11, 19);
  EXPECT_EQ(document.root().size(), 2u);
  EXPECT_EQ((*document.root().elements().begin()).offset(), 12u);
}

TEST(JsonReader, SurvivesDeepNestingUpToItsLimit) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_NO_THROW(JsonDocument(source(deep)));
  EXPECT_THROW(JsonDocument(source(deep), JsonLimits{99'999}), Error);
}

struct Malformed {
  std::string_view json;
  std::size_t column;
  std::string_view message;
};
void PrintTo(const Malformed& sample, std::ostream* out) {
  *out << sample.json;
}

class JsonReaderRefuses : public testing::TestWithParam<Malformed> {};

TEST_P(JsonReaderRefuses, WithOneClearMessage) {
  const auto& [json, column, message] = GetParam();
  try {
    const JsonDocument document(source(json));
    FAIL() << "accepted " << json;
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostic().message, message);
    EXPECT_EQ(error.diagnostic().where.column, column);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, JsonReaderRefuses,
    testing::Values(
        Malformed{"", 1, "the text ends where a value should stand"},
        Malformed{"[1, ", 5, "the text ends where a value should stand"},
        Malformed{"[1 2]", 4, "expected ',' or ']'"},
        Malformed{"{\"a\": 1 \"b\": 2}", 9, "expected ',' or '}'"},
        Malformed{"[1,]", 4, "expected a value before ']'"},
        Malformed{"{\"a\": 1,}", 9, "expected a value before '}'"},
        Malformed{"{\"a\" 1}", 6, "expected ':' behind a key"},
        Malformed{"{a: 1}", 2, "expected a key in double quotes"},
        Malformed{"[\"abc", 2, "a string is not closed"},
        Malformed{"\"abc\\", 1, "a string is not closed"},
        Malformed{R"("a\qb")", 3, "unknown escape in a string"},
        Malformed{R"("\u12G4")", 6, "expected four hexadecimal digits behind '\\u'"},
        Malformed{R"("x\ud800")", 3, "half of a surrogate pair"},
        Malformed{R"("x\udc00\ud800")", 3, "half of a surrogate pair"},
        Malformed{"01", 1, "a number must not begin with a zero"},
        Malformed{"-x", 1, "expected digits behind '-'"},
        Malformed{"1.", 3, "expected digits behind '.'"},
        Malformed{"1e+", 4, "expected digits in an exponent"},
        Malformed{"nul", 1, "expected a value"}, Malformed{"?", 1, "expected a value"},
        Malformed{"[] x", 4, "expected the end of the text"},
        Malformed{R"({"b": 1, "a": 2, "b": 3})", 18, "the key \"b\" stands twice in one object"},
        Malformed{R"({"a": 1, "\u0061": 2})", 10, "the key \"a\" stands twice in one object"}));

TEST(JsonReader, FindsADuplicateAmongManyKeys) {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i) json += "\"k" + std::to_string(i) + "\": 0, ";
  json += "\"k500\": 1}";
  EXPECT_THROW(JsonDocument(source(json)), Error);
}

}  // namespace
}  // namespace mlf::support
