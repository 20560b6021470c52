#include "json/document.h"

#include <fmt/core.h>

#include <charconv>
#include <utility>

#include "json/parser.h"
#include "json/text.h"
#include "support/error.h"

namespace mlf::json {
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
  switch (type) {
    case Type::null:
      return "null";
    case Type::boolean:
      return "a boolean";
    case Type::integer:
      return "an integer";
    case Type::real:
      return "a number with a fraction or exponent";
    case Type::string:
      return "a string";
    case Type::array:
      return "an array";
    case Type::object:
      return "an object";
  }
  return "a value";
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
  // An error points at a container by its opening bracket; underlining megabytes helps nobody.
  const Document::Entry& entry = document_->entries_[index_];
  return entry.type < Type::array ? entry.extent : 1;
}

// The end of a container is not stored: whoever wants its text is about to do more than search it.
std::string_view Value::source() const {
  const Document::Entry& entry = document_->entries_[index_];
  const std::string_view rest = document_->source_.text.substr(entry.begin);
  return entry.type < Type::array ? rest.substr(0, entry.extent) : first_container(rest);
}

bool Value::boolean() const {
  return source() == "true";
}

std::optional<std::int64_t> Value::integer() const {
  if (!is(Type::integer)) return std::nullopt;
  const std::string_view digits = source();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
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

Value::Members Value::as_object() const {
  expect(Type::object);
  return members();
}

// Blames the object, whose key is missing.
Value Value::at(std::string_view key) const {
  expect(Type::object);
  const std::optional<Value> found = find(key);
  if (!found) fail("missing key " + quoted(key));
  return *found;
}

// From the root down, one step for each array or object around the value. Parents are not stored:
// an error may search, a table of millions of values had better be small.
std::string Value::pointer() const {
  std::string pointer;
  for (std::uint32_t container = 0; container != index_;) {
    const bool has_keys = document_->entries_[container].type == Type::object;
    std::uint32_t part = container + 1;
    std::uint32_t value = has_keys ? part + 1 : part;
    std::size_t position = 0;
    // While the document is being read, what has no end yet holds all that follows.
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
