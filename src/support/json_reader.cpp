#include "support/json_reader.h"

#include <charconv>
#include <utility>

#include "support/json_parser.h"

namespace mlf::support {

std::string_view describe(JsonType type) {
  switch (type) {
    case JsonType::null:
      return "null";
    case JsonType::false_:
    case JsonType::true_:
      return "a boolean";
    case JsonType::number:
      return "a number";
    case JsonType::string:
      return "a string";
    case JsonType::array:
      return "an array";
    case JsonType::object:
      return "an object";
  }
  return "nothing";
}

JsonDocument::JsonDocument(const SourceText& source, std::size_t begin, std::size_t end,
                           const JsonLimits& limits)
    : source_(source) {
  // Offsets are 32 bits wide, which halves the table.
  if (source.text.size() > UINT32_MAX) fail_at(source, 0, "JSON of more than 4 GiB");
  JsonParser(*this, begin, end, limits).parse();
}

std::uint32_t JsonDocument::behind(std::uint32_t index) const {
  const Entry& entry = entries_[index];
  return entry.type < JsonType::array ? index + 1 : entry.link;
}

JsonType JsonValue::type() const {
  return document_->entries_[index_].type;
}

std::size_t JsonValue::offset() const {
  return document_->entries_[index_].begin;
}

std::size_t JsonValue::length() const {
  const JsonDocument::Entry& entry = document_->entries_[index_];
  return entry.type < JsonType::array ? entry.extent : 1;
}

std::string_view JsonValue::text() const {
  const JsonDocument::Entry& entry = document_->entries_[index_];
  if (entry.escaped) return document_->unescaped_[entry.link];
  return document_->source_.text.substr(entry.begin + 1, entry.extent - 2);
}

std::string_view JsonValue::number_text() const {
  const JsonDocument::Entry& entry = document_->entries_[index_];
  return document_->source_.text.substr(entry.begin, entry.extent);
}

std::optional<std::int64_t> JsonValue::integer() const {
  if (!is_number()) return std::nullopt;
  const std::string_view digits = number_text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::uint32_t JsonValue::size() const {
  const JsonDocument::Entry& entry = document_->entries_[index_];
  return entry.type < JsonType::array ? 0 : entry.extent;
}

JsonValue::Elements JsonValue::elements() const {
  return {*document_, index_ + 1, document_->behind(index_)};
}

JsonValue::Members JsonValue::members() const {
  return Members(elements());
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  for (const JsonMember member : members()) {
    if (member.key.text() == key) return member.value;
  }
  return std::nullopt;
}

void JsonValue::fail(std::string message) const {
  fail_at(document_->source_, offset(), std::move(message), length());
}

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  index_ = document_->behind(index_);
  return *this;
}

}  // namespace mlf::support
