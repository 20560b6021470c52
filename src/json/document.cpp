#include "json/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/text.h"
#include "support/characters.h"
#include "support/count_bytes.h"
#include "support/error.h"
#include "support/name_map.h"
#include "support/numbers.h"

namespace mlf::json {
// --- Parsing -------------------------------------------------------------------------------------

class Parser {
 public:
  Parser(Document& document, std::size_t begin, std::size_t end, const ReadOptions& options)
      : document_(document),
        text_(document.source_.text.data()),
        at_(text_ + begin),
        end_(text_ + end),
        options_(options) {}

  void parse();

 private:
  /// An array or object that is being read.
  struct Open {
    std::uint32_t entry;
    std::uint32_t parts = 0;
    bool is_object;
    bool may_repeat = false;
    std::uint64_t signs = 0;  // of the keys, a bit each: one that is not there yet is of a new key
  };

  [[noreturn]] void fail(std::string message) const { fail(at_, std::move(message)); }
  [[noreturn]] void fail(const char* where, std::string message) const;
  [[noreturn]] void fail_expected(std::string_view what) const;

  /// The next byte that is not white space; '\0' at the end.
  char peek() {
    // Half of the gaps between values are empty.
    return at_<end_&& static_cast<unsigned char>(*at_)> ' ' ? *at_ : peek_over_space();
  }
  char peek_over_space();
  void pass_indentation();
  bool accept(char c) { return at_ < end_ && *at_ == c && ++at_ != nullptr; }

  void value();
  void word(std::string_view expected, Type type);
  void number();
  bool digits();
  void check_range(const char* begin) const;
  /// Reads a string and returns its content.
  std::string_view string();
  const char* quote_or_escape(const char* from) const;
  std::string_view escaped_string(const char* first_escape);
  void escape(std::string& text);
  std::uint32_t code_unit();
  std::uint32_t code_point();
  void check_unicode(const char* begin, const char* end) const;

  void open(Type type);
  void close();
  /// Continues inside the innermost container, up to the next value or past its end.
  void next_part();
  void key(Open& object);
  void check_distinct(std::uint32_t object) const;

  /// Entries are in the order of the text, a container before its parts: the table is the tree.
  void add(Type type, const char* begin) {
    document_.entries_.push_back({static_cast<std::uint32_t>(begin - text_),
                                  static_cast<std::uint32_t>(at_ - begin), 0, type, false});
  }

  Document& document_;
  const char* const text_;
  const char* at_;
  const char* const end_;
  const ReadOptions& options_;
  std::vector<Open> open_;
};

namespace {

int hex_value(char c) {
  if (support::is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Every value but the first, including keys, follows one of these characters. Counting them first
/// is fast and avoids growth of the table, which would take half as much memory again for large
/// documents. Strings with such characters only reserve addresses that are never used.
std::size_t most_values(std::string_view text) {
  return 1 + support::count_bytes(
                 text, [](char c) { return (c == ',') | (c == ':') | ((c | 0x20) == '{'); });
}

// Eight bytes at a time: strings and indentation are most of a document.
using Word = std::uint64_t;

constexpr Word repeated(char c) {
  return Word{0x0101010101010101} * static_cast<unsigned char>(c);
}

Word load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// The top bit of each byte that is zero. Bytes behind the first one found may be marked wrongly,
/// by the borrow.
constexpr Word zero_bytes(Word word) {
  return (word - repeated('\x01')) & ~word & repeated('\x80');
}

/// One bit of 64; different keys usually have different bits.
std::uint64_t sign_of(std::string_view key) {
  if (key.empty()) return 1;
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(key[i]);
  };
  const std::uint32_t parts = byte(0) << 24 | byte(key.size() / 2) << 16 |
                              byte(key.size() - 1) << 8 |
                              static_cast<std::uint32_t>(key.size() & 0xFF);
  constexpr std::uint32_t kSpread = 0x9E3779B1;  // Knuth's multiplicative hash
  return std::uint64_t{1} << ((parts * kSpread) >> 26);
}

}  // namespace

void Parser::fail(const char* where, std::string message) const {
  fail_at(document_.source_, static_cast<std::size_t>(where - text_), std::move(message));
}

// At the end of the text, there is no character to show.
void Parser::fail_expected(std::string_view what) const {
  if (at_ == end_) fail(fmt::format("the text ends where {} is expected", what));
  fail(fmt::format("expected {}", what));
}

// Half of an indented document is white space.
char Parser::peek_over_space() {
  for (; at_ < end_; ++at_) {
    if (static_cast<unsigned char>(*at_) > ' ') return *at_;
    if (*at_ == '\n') {
      pass_indentation();
    } else if (*at_ != ' ' && *at_ != '\r' && *at_ != '\t') {
      return *at_;
    }
  }
  return '\0';
}

// A new line is often followed by its indentation. The byte at the place itself is passed later.
void Parser::pass_indentation() {
  constexpr std::ptrdiff_t kWord = sizeof(Word);
  while (end_ - at_ > kWord) {
    const Word others = load(at_ + 1) ^ repeated(' ');
    if (others == 0) {
      at_ += kWord;
    } else {
      // The first byte in memory has to be the lowest of the word.
      if constexpr (std::endian::native == std::endian::little) {
        at_ += std::countr_zero(others) / 8;
      }
      return;
    }
  }
}

// No recursion: `open_` contains the containers around the current place, so depth takes heap
// memory and has a separate limit.
void Parser::parse() {
  const std::string_view text(at_, static_cast<std::size_t>(end_ - at_));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
  document_.entries_.reserve(most_values(text));
  value();
  while (!open_.empty()) next_part();
  peek();
  if (at_ < end_) fail("expected the end of the text");
}

void Parser::value() {
  switch (peek()) {
    case '{':
      return open(Type::object);
    case '[':
      return open(Type::array);
    case '"':
      string();
      return;
    case 'n':
      return word("null", Type::null);
    case 't':
      return word("true", Type::boolean);
    case 'f':
      return word("false", Type::boolean);
    default:
      return number();
  }
}

void Parser::word(std::string_view expected, Type type) {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (!rest.starts_with(expected)) fail_expected("a value");
  const char* const begin = at_;
  at_ += expected.size();
  add(type, begin);
}

bool Parser::digits() {
  const char* const begin = at_;
  while (at_ < end_ && support::is_digit(*at_)) ++at_;
  return at_ > begin;
}

// Digits stay in the text, because most numbers of a document are never used.
void Parser::number() {
  const char* const begin = at_;
  const bool negative = accept('-');
  const char* const first = at_;
  if (!digits()) fail_expected(negative ? "a digit after '-'" : "a value");
  if (*first == '0' && at_ > first + 1) fail(begin, "a number must not begin with a zero");
  Type type = Type::integer;
  if (accept('.')) {
    type = Type::real;
    if (!digits()) fail_expected("a digit after '.'");
  }
  if (accept('e') || accept('E')) {
    type = Type::real;
    if (!accept('+')) accept('-');
    if (!digits()) fail_expected("a digit of an exponent");
  }
  // With fewer digits and no exponent nothing is out of range.
  constexpr std::ptrdiff_t kDigitsOfAnyDouble = 308;
  if (type == Type::real || at_ - first > kDigitsOfAnyDouble) check_range(begin);
  add(type, begin);
}

/// Rejects numbers that other JSON readers would read as infinity. Numbers that are too small are
/// zero.
void Parser::check_range(const char* begin) const {
  double value = 0;
  if (std::from_chars(begin, at_, value).ec != std::errc::result_out_of_range) return;
  // from_chars does not distinguish overflow from underflow; strtod returns infinity or zero.
  if (!std::isinf(std::strtod(std::string(begin, at_).c_str(), nullptr))) return;
  fail(begin, "this number is out of the range of a double");
}

inline const char* Parser::quote_or_escape(const char* from) const {
  // The first byte in memory has to be the lowest of the word.
  if constexpr (std::endian::native == std::endian::little) {
    for (; end_ - from >= 8; from += 8) {
      const Word word = load(from);
      const Word found = zero_bytes(word ^ repeated('"')) | zero_bytes(word ^ repeated('\\'));
      if (found != 0) return from + std::countr_zero(found) / 8;
    }
  }
  while (from < end_ && *from != '"' && *from != '\\') ++from;
  return from;
}

// Content without escapes is a view of the source.
std::string_view Parser::string() {
  const char* const begin = at_;
  const char* const end = quote_or_escape(begin + 1);
  if (end == end_) fail(begin, "a string is not closed");
  if (options_.strings == Strings::unicode) check_unicode(begin + 1, end);
  if (*end == '\\') return escaped_string(end);
  at_ = end + 1;
  add(Type::string, begin);
  return {begin + 1, static_cast<std::size_t>(end - begin - 1)};
}

// Content with escapes is stored separately, at a stable address (a deque).
std::string_view Parser::escaped_string(const char* first_escape) {
  const char* const begin = at_;
  std::string content(begin + 1, first_escape);
  at_ = first_escape;
  while (*at_ == '\\') {
    if (++at_ == end_) fail(begin, "a string is not closed");
    escape(content);
    const char* const end = quote_or_escape(at_);
    if (end == end_) fail(begin, "a string is not closed");
    if (options_.strings == Strings::unicode) check_unicode(at_, end);
    content.append(at_, end);
    at_ = end;
  }
  ++at_;
  add(Type::string, begin);
  Document::ValueRecord& string = document_.entries_.back();
  string.link = static_cast<std::uint32_t>(document_.unescaped_.size());
  string.escaped = true;
  return document_.unescaped_.emplace_back(std::move(content));
}

// The eight short escapes of RFC 8259, and \u.
void Parser::escape(std::string& text) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = *at_++;
  if (letter == 'u') {
    append_utf8(text, code_point());
    return;
  }
  const std::size_t which = kLetters.find(letter);
  if (which == std::string_view::npos) fail(at_ - 2, "unknown escape in a string");
  text += kMeanings[which];
}

std::uint32_t Parser::code_unit() {
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = at_ < end_ ? hex_value(*at_) : -1;
    if (digit < 0) fail("expected four hexadecimal digits after '\\u'");
    unit = unit << 4 | static_cast<std::uint32_t>(digit);
    ++at_;
  }
  return unit;
}

// Characters beyond U+FFFF are two escapes; one half of a pair is not a character.
std::uint32_t Parser::code_point() {
  const char* const begin = at_ - 2;
  const std::uint32_t high = code_unit();
  if (high < 0xD800 || high > 0xDFFF) return high;
  if (high < 0xDC00 && end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u') {
    at_ += 2;
    const std::uint32_t low = code_unit();
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }
  fail(begin, "half of a surrogate pair");
}

// Only for strict JSON: TVM's writer does not escape control characters or invalid UTF-8.
void Parser::check_unicode(const char* begin, const char* end) const {
  while (begin < end) {
    const auto byte = static_cast<unsigned char>(*begin);
    if (byte < 0x20) fail(begin, fmt::format("raw control character U+{:04X} in a string", byte));
    if (byte < 0x80) {
      ++begin;
      continue;
    }
    const std::size_t length = utf8_length({begin, static_cast<std::size_t>(end - begin)});
    if (length == 0) fail(begin, "invalid UTF-8 in a string");
    begin += length;
  }
}

// Recorded before its parts; extent and link follow after they are read.
void Parser::open(Type type) {
  if (open_.size() >= options_.max_nesting) {
    fail(fmt::format("JSON nested deeper than {} levels", options_.max_nesting));
  }
  const auto entry = static_cast<std::uint32_t>(document_.entries_.size());
  open_.push_back({.entry = entry, .is_object = type == Type::object});
  add(type, at_);
  ++at_;
}

// The end of the container is known only now.
void Parser::close() {
  const Open closed = open_.back();
  open_.pop_back();
  ++at_;
  Document::ValueRecord& entry = document_.entries_[closed.entry];
  entry.extent = closed.parts;
  entry.link = static_cast<std::uint32_t>(document_.entries_.size());
  if (closed.may_repeat) check_distinct(closed.entry);
}

// One part of the innermost container: comma, key, value, or its end.
void Parser::next_part() {
  Open& container = open_.back();
  const char end = container.is_object ? '}' : ']';
  const char next = peek();
  if (next == end) return close();
  if (container.parts > 0) {
    if (next != ',') fail_expected(container.is_object ? "',' or '}'" : "',' or ']'");
    ++at_;
    if (peek() == end) fail(fmt::format("expected a value before '{}'", end));
  }
  ++container.parts;
  if (container.is_object) key(container);
  value();
}

void Parser::key(Open& object) {
  if (peek() != '"') fail_expected("a key in double quotes");
  const std::uint64_t sign = sign_of(string());
  object.may_repeat = object.may_repeat || (object.signs & sign) != 0;
  object.signs |= sign;
  if (peek() != ':') fail_expected("':' after a key");
  ++at_;
}

/// Whether the keys are sorted, as TVM's writer sorts most, which proves them distinct.
bool are_ascending(Value object) {
  std::string_view last;
  bool is_first = true;
  for (const Member member : object.members()) {
    const std::string_view key = member.key.text();
    if (!is_first && !(last < key)) return false;
    last = key;
    is_first = false;
  }
  return true;
}

// Readers differ in which of two equal keys they use, so duplicate keys are errors.
void Parser::check_distinct(std::uint32_t object) const {
  const auto refuse = [](Value key) { key.fail("duplicate key " + quoted(key.text())); };
  // Objects of nodes are small: comparing each with each beats a table of hashes.
  constexpr std::size_t kSmall = 12;
  const Value value(document_, object);
  if (are_ascending(value)) return;
  if (value.size() > kSmall) {
    support::NameSet<std::string_view> seen;
    for (const Member member : value.members()) {
      if (!seen.insert(member.key.text()).second) refuse(member.key);
    }
    return;
  }
  std::string_view seen[kSmall];
  std::size_t count = 0;
  for (const Member member : value.members()) {
    const std::string_view key = member.key.text();
    if (std::find(seen, seen + count, key) != seen + count) refuse(member.key);
    seen[count++] = key;
  }
}

namespace {

/// A key as a token of a JSON pointer, by RFC 6901.
std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

/// The array or object at the start of a text that is known to be well-formed.
std::string_view first_container(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && --depth == 0) return text.substr(0, i + 1);
  }
  return text;
}

}  // namespace

std::string_view name_of(Type type) noexcept {
  constexpr std::string_view kNames[] = {
      "null",     "a boolean", "an integer", "a number with a fraction or exponent",
      "a string", "an array",  "an object"};
  return kNames[static_cast<std::size_t>(type)];
}

Document::Document(const support::SourceText& source, std::size_t begin, std::size_t end,
                   const ReadOptions& options)
    : source_(source) {
  // Offsets are 32 bits wide, which halves the table.
  if (source.text.size() > UINT32_MAX) support::fail_at(source, 0, "JSON of more than 4 GiB");
  Parser(*this, begin, end, options).parse();
}

std::size_t Value::offset() const {
  return document_->entries_[index_].begin;
}

std::size_t Value::length() const {
  // An error points at a container by its opening bracket; underlining megabytes does not help.
  const Document::ValueRecord& entry = document_->entries_[index_];
  return entry.type < Type::array ? entry.extent : 1;
}

// The end of a container is not stored: callers that need its text do more work than this search.
std::string_view Value::source() const {
  const Document::ValueRecord& entry = document_->entries_[index_];
  const std::string_view rest = document_->source_.text.substr(entry.begin);
  return entry.type < Type::array ? rest.substr(0, entry.extent) : first_container(rest);
}

bool Value::boolean() const {
  return source() == "true";
}

std::optional<std::int64_t> Value::integer() const {
  if (!is(Type::integer)) return std::nullopt;
  return support::whole_number<std::int64_t>(source());
}

void Value::fail_type(Type expected) const {
  fail(fmt::format("expected {}, found {}", name_of(expected), name_of(type())));
}

std::string_view Value::as_string() const {
  expect(Type::string);
  return text();
}

std::int64_t Value::as_integer() const {
  expect(Type::integer);
  const std::optional<std::int64_t> value = integer();
  if (!value) fail("expected an integer of at most 64 bits");
  return *value;
}

Value::Elements Value::as_array() const {
  expect(Type::array);
  return elements();
}

// Blames the object, whose key is missing.
Value Value::at(std::string_view key) const {
  expect(Type::object);
  const std::optional<Value> found = find(key);
  if (!found) fail("missing key " + quoted(key));
  return *found;
}

// From the root down, one step for each array or object around the value. Parents are not stored:
// an error may take time to search, but a table of millions of values must be small.
std::string Value::pointer() const {
  std::string pointer;
  for (std::uint32_t container = 0; container != index_;) {
    const bool has_keys = document_->entries_[container].type == Type::object;
    std::uint32_t part = container + 1;
    std::uint32_t value = has_keys ? part + 1 : part;
    std::size_t position = 0;
    // During parsing, a container without an end contains all values after it.
    for (std::uint32_t next = 0; (next = document_->next_index(value)) != 0 && next <= index_;) {
      part = next;
      value = has_keys ? part + 1 : part;
      ++position;
    }
    pointer += '/';
    pointer += has_keys ? pointer_token(Value(*document_, part).text()) : std::to_string(position);
    if (part == index_) break;
    container = value;
  }
  return pointer;
}

// Line and column for editors, the pointer for programs.
void Value::fail(std::string message) const {
  Location where = document_->source_.locate(offset(), length());
  where.json_pointer = pointer();
  throw support::Error(ErrorKind::invalid_input, std::move(message), std::move(where));
}

}  // namespace mlf::json
