#include "json/writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mlf::json {
namespace {

/// The same object written from pieces and from words.
std::string from_pieces(JsonLayout layout) {
  support::StringSink sink;
  Writer writer(sink, layout);
  writer.begin_array();
  writer.begin_object(Piece::object("node", "Add"));
  writer.key(Piece::key("dtype"));
  writer.string(Piece::string("int32"));
  writer.key(Piece::key("args"));
  writer.begin_array();
  writer.begin_object();
  writer.key(Piece::key("first"));
  writer.integer(7);
  writer.end_object();
  writer.end_array();
  writer.end_object();
  writer.begin_object(Piece::object("node", "Sub"));
  writer.end_object();
  writer.end_array();
  writer.flush();
  return sink.take();
}

std::string from_words(JsonLayout layout) {
  support::StringSink sink;
  Writer writer(sink, layout);
  writer.begin_array();
  writer.begin_object();
  writer.key("node");
  writer.string("Add");
  writer.key("dtype");
  writer.string("int32");
  writer.key("args");
  writer.begin_array();
  writer.begin_object();
  writer.key("first");
  writer.integer(7);
  writer.end_object();
  writer.end_array();
  writer.end_object();
  writer.begin_object();
  writer.key("node");
  writer.string("Sub");
  writer.end_object();
  writer.end_array();
  writer.flush();
  return sink.take();
}

TEST(JsonWriter, PiecesSayWhatWordsSayInEveryLayout) {
  EXPECT_EQ(from_pieces(JsonLayout::compact),
            R"([{"node":"Add","dtype":"int32","args":[{"first":7}]},{"node":"Sub"}])");
  for (const JsonLayout layout : {JsonLayout::compact, JsonLayout::pretty}) {
    EXPECT_EQ(from_pieces(layout), from_words(layout));
  }
}

TEST(JsonWriter, NoPieceIsCutWhereTheBufferEnds) {
  support::StringSink sink;
  Writer writer(sink, JsonLayout::compact);
  std::string expected = "[";
  writer.begin_array();
  // More than two buffers, with every place in a piece at their ends.
  for (int i = 0; i < 20'000; ++i) {
    writer.begin_object(Piece::object("node", "Add"));
    writer.key(Piece::key("value"));
    writer.integer(i);
    writer.end_object();
    expected += (i > 0 ? "," : "") + std::string(R"({"node":"Add","value":)");
    expected += std::to_string(i) + "}";
  }
  writer.end_array();
  writer.flush();
  EXPECT_EQ(sink.text(), expected + "]");
}

TEST(JsonWriter, IntegersOfEveryLengthAreTheirDigits) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{9}, std::int64_t{10}, std::int64_t{-1}, std::int64_t{-10},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    support::StringSink sink;
    Writer writer(sink, JsonLayout::compact);
    writer.begin_array();
    writer.integer(value);
    writer.integer_string(value);
    writer.end_array();
    writer.flush();
    const std::string digits = std::to_string(value);
    EXPECT_EQ(sink.text(), "[" + digits + ",\"" + digits + "\"]");
  }
}

TEST(JsonWriter, MembersAreWhatTheirTypesAre) {
  support::StringSink sink;
  Writer out(sink, JsonLayout::compact);
  out.begin_object();
  out.member("text", std::string("a"));
  out.member("word", "b");
  out.member("yes", true);
  out.member("number", std::uint8_t{7});
  out.member("nothing", std::optional<int>());
  out.member("some", std::optional(1));
  out.member("list", std::vector<std::optional<int>>{1, std::nullopt});
  out.text_or_null("unknown", "");
  out.text_or_null("known", "c");
  out.end_object();
  out.flush();
  EXPECT_EQ(sink.text(), R"({"text":"a","word":"b","yes":true,"number":7,"nothing":null,"some":1,)"
                         R"("list":[1,null],"unknown":null,"known":"c"})");
}

TEST(JsonWriter, ObjectsAndListsThatAreNotThereAreNull) {
  const auto write_number = [](Writer& out, int number) { out.member("n", number); };
  support::StringSink sink;
  Writer out(sink, JsonLayout::compact);
  out.begin_object();
  out.object("one", 1, write_number);
  out.object("none", std::optional<int>(), write_number);
  out.objects("many", std::vector{1, 2}, write_number);
  out.objects("empty", std::vector<int>(), write_number);
  out.objects("unknown", std::optional<std::vector<int>>(), write_number);
  out.end_object();
  out.flush();
  EXPECT_EQ(sink.text(),
            R"({"one":{"n":1},"none":null,"many":[{"n":1},{"n":2}],"empty":[],"unknown":null})");
}

TEST(JsonWriter, AWordThatIsNoWordOfTheFormatIsADefect) {
  EXPECT_THROW(Piece::key(std::string(60, 'k')), std::length_error);
}

}  // namespace
}  // namespace mlf::json
