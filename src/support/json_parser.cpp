#include "support/json_parser.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

namespace mlf::support {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code_point < 0x80) return byte(code_point);
  if (code_point < 0x800) {
    byte(0xC0 | code_point >> 6);
  } else if (code_point < 0x10000) {
    byte(0xE0 | code_point >> 12);
    byte(0x80 | (code_point >> 6 & 0x3F));
  } else {
    byte(0xF0 | code_point >> 18);
    byte(0x80 | (code_point >> 12 & 0x3F));
    byte(0x80 | (code_point >> 6 & 0x3F));
  }
  byte(0x80 | (code_point & 0x3F));
}

/// Every value but the first, keys counted too, stands behind one of these. Counting first is quick
/// and spares the table its growth: large documents would need half as much memory again. What
/// stands in strings counts too, which reserves addresses that are never used.
std::size_t most_values(std::string_view text) {
  const auto starts_value = [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; };
  return 1 + static_cast<std::size_t>(std::ranges::count_if(text, starts_value));
}

}  // namespace

void JsonParser::fail(std::string message) const {
  fail_at_byte(at_, std::move(message));
}

void JsonParser::fail_at_byte(std::size_t offset, std::string message) const {
  fail_at(document_.source_, offset, std::move(message));
}

void JsonParser::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
    ++at_;
  }
}

char JsonParser::peek() {
  skip_space();
  return at_ < text_.size() ? text_[at_] : '\0';
}

std::uint32_t JsonParser::add(JsonType type, std::size_t begin) {
  auto& entries = document_.entries_;
  entries.push_back({static_cast<std::uint32_t>(begin), 0, 0, type, false});
  return static_cast<std::uint32_t>(entries.size() - 1);
}

void JsonParser::parse() {
  document_.entries_.reserve(most_values(text_.substr(at_)));
  value();
  while (!open_.empty()) next_part();
  if (peek() != '\0' || at_ < text_.size()) fail("expected the end of the text");
}

void JsonParser::value() {
  switch (peek()) {
    case '{':
      return open(JsonType::object);
    case '[':
      return open(JsonType::array);
    case '"':
      return string();
    case 'n':
      return word("null", JsonType::null);
    case 't':
      return word("true", JsonType::true_);
    case 'f':
      return word("false", JsonType::false_);
    default:
      return number();
  }
}

void JsonParser::word(std::string_view expected, JsonType type) {
  if (text_.substr(at_, expected.size()) != expected) fail("expected a value");
  const std::uint32_t entry = add(type, at_);
  document_.entries_[entry].extent = static_cast<std::uint32_t>(expected.size());
  at_ += expected.size();
}

bool JsonParser::digits() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ > begin;
}

void JsonParser::number() {
  const std::size_t begin = at_;
  const auto take = [&](char c) { return at_ < text_.size() && text_[at_] == c && ++at_ != 0; };
  const bool negative = take('-');
  const std::size_t first = at_;
  if (!digits()) {
    at_ = begin;
    if (begin >= text_.size()) fail("the text ends where a value should stand");
    fail(negative ? "expected digits behind '-'" : "expected a value");
  }
  if (text_[first] == '0' && at_ > first + 1) {
    fail_at_byte(begin, "a number must not begin with a zero");
  }
  if (take('.') && !digits()) fail("expected digits behind '.'");
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!digits()) fail("expected digits in an exponent");
  }
  const std::uint32_t entry = add(JsonType::number, begin);
  document_.entries_[entry].extent = static_cast<std::uint32_t>(at_ - begin);
}

std::size_t JsonParser::closing_quote(std::size_t from) const {
  const void* const found = std::memchr(text_.data() + from, '"', text_.size() - from);
  if (found == nullptr) fail_at_byte(from - 1, "a string is not closed");
  return static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
}

void JsonParser::string() {
  const std::size_t begin = at_;
  const std::size_t content = begin + 1;
  const std::size_t quote = closing_quote(content);
  const void* const escape = std::memchr(text_.data() + content, '\\', quote - content);
  if (escape != nullptr) {
    escaped_string(begin,
                   static_cast<std::size_t>(static_cast<const char*>(escape) - text_.data()));
    return;
  }
  const std::uint32_t entry = add(JsonType::string, begin);
  at_ = quote + 1;
  document_.entries_[entry].extent = static_cast<std::uint32_t>(at_ - begin);
}

void JsonParser::escaped_string(std::size_t begin, std::size_t first_escape) {
  std::string content(text_.substr(begin + 1, first_escape - begin - 1));
  at_ = first_escape;
  for (;;) {
    const std::size_t special = text_.find_first_of("\"\\", at_);
    if (special == std::string_view::npos) fail_at_byte(begin, "a string is not closed");
    content += text_.substr(at_, special - at_);
    at_ = special + 1;
    if (text_[special] == '"') break;
    escape(content);
  }
  const std::uint32_t entry = add(JsonType::string, begin);
  JsonDocument::Entry& string = document_.entries_[entry];
  string.extent = static_cast<std::uint32_t>(at_ - begin);
  string.link = static_cast<std::uint32_t>(document_.unescaped_.size());
  string.escaped = true;
  document_.unescaped_.push_back(std::move(content));
}

void JsonParser::escape(std::string& text) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (at_ >= text_.size()) fail("a string is not closed");
  const char letter = text_[at_++];
  if (letter == 'u') {
    append_utf8(text, code_point());
    return;
  }
  const std::size_t which = kLetters.find(letter);
  if (which == std::string_view::npos) fail_at_byte(at_ - 2, "unknown escape in a string");
  text += kMeanings[which];
}

std::uint32_t JsonParser::code_unit() {
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = at_ < text_.size() ? hex_value(text_[at_]) : -1;
    if (digit < 0) fail("expected four hexadecimal digits behind '\\u'");
    unit = unit << 4 | static_cast<std::uint32_t>(digit);
    ++at_;
  }
  return unit;
}

std::uint32_t JsonParser::code_point() {
  const std::size_t begin = at_ - 2;
  const std::uint32_t high = code_unit();
  if (high < 0xD800 || high > 0xDFFF) return high;
  if (high < 0xDC00 && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const std::uint32_t low = code_unit();
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }
  fail_at_byte(begin, "half of a surrogate pair");
}

void JsonParser::open(JsonType type) {
  if (open_.size() >= limits_.max_nesting) {
    fail("JSON nested deeper than " + std::to_string(limits_.max_nesting) + " levels");
  }
  open_.push_back({add(type, at_), 0, true});
  ++at_;
}

void JsonParser::close() {
  const Open closed = open_.back();
  open_.pop_back();
  ++at_;
  document_.entries_[closed.entry].link = static_cast<std::uint32_t>(document_.entries_.size());
  if (!closed.ascending) check_distinct(closed.entry);
}

void JsonParser::next_part() {
  JsonDocument::Entry& container = document_.entries_[open_.back().entry];
  const bool is_object = container.type == JsonType::object;
  const char end = is_object ? '}' : ']';
  const char next = peek();
  if (next == end) return close();
  if (container.extent > 0) {
    if (next != ',') fail(is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    ++at_;
    if (peek() == end) fail(std::string("expected a value before '") + end + "'");
  }
  ++container.extent;
  if (is_object) key();
  value();
}

void JsonParser::key() {
  if (peek() != '"') fail("expected a key in double quotes");
  const auto entry = static_cast<std::uint32_t>(document_.entries_.size());
  string();
  Open& object = open_.back();
  if (object.last_key != 0 && object.ascending) {
    object.ascending =
        JsonValue(document_, object.last_key).text() < JsonValue(document_, entry).text();
  }
  object.last_key = entry;
  if (peek() != ':') fail("expected ':' behind a key");
  ++at_;
}

void JsonParser::check_distinct(std::uint32_t object) const {
  const auto refuse = [](JsonValue key) {
    key.fail("the key \"" + std::string(key.text()) + "\" stands twice in one object");
  };
  const JsonValue value(document_, object);
  if (value.size() > 12) {
    std::unordered_set<std::string_view> seen;
    for (const JsonMember member : value.members()) {
      if (!seen.insert(member.key.text()).second) refuse(member.key);
    }
    return;
  }
  std::string_view seen[12];
  std::size_t count = 0;
  for (const JsonMember member : value.members()) {
    const std::string_view key = member.key.text();
    if (std::find(seen, seen + count, key) != seen + count) refuse(member.key);
    seen[count++] = key;
  }
}

}  // namespace mlf::support
