// A JSON text as a flat table of values, each of which knows where it stands in the text.
//
// nlohmann-json does the lexing and the grammar; its own DOM is not used because it forgets
// positions, overwrites duplicate keys and destroys itself recursively.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_text.h"

namespace mlf::model_library {

enum class JsonKind : std::uint8_t { null, boolean, integer, real, string, array, object };

/// The kind with its article, for messages: "an object", "null".
std::string_view name_of(JsonKind kind) noexcept;

/// `text` as a quoted JSON string, for messages.
std::string json_quoted(std::string_view text);

struct JsonLimits {
  std::size_t max_nesting = 64;  ///< arrays and objects around one value
};

class JsonDocument;

/// A handle on one value; as long-lived as the document it came from.
class JsonValue {
 public:
  class Iterator;
  /// The elements of an array or the members of an object, in the order of the text.
  struct Children;

  JsonKind kind() const noexcept;
  bool is(JsonKind wanted) const noexcept { return kind() == wanted; }
  /// The name of this member of an object; empty for everything else.
  std::string_view key() const noexcept;
  /// The value as it stands in the text.
  std::string_view text() const noexcept;
  /// Precondition: `kind()` is boolean.
  bool boolean() const noexcept { return text() == "true"; }
  /// The decoded text. Precondition: `kind()` is string.
  std::string_view string() const noexcept;
  /// Nothing if it needs more than 64 bits. Precondition: `kind()` is integer.
  std::optional<std::int64_t> integer() const noexcept;
  Children children() const noexcept;

  /// RFC 6901.
  std::string pointer() const;
  /// Throws an `Error` of kind `invalid_input` that names line, column and JSON pointer.
  [[noreturn]] void fail(std::string message) const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument& document, std::uint32_t index)
      : document_(&document), index_(index) {}

  const JsonDocument* document_;
  std::uint32_t index_;
};

/// Does not own the text: it outlives the document.
class JsonDocument {
 public:
  /// Throws `Error`: bad syntax, invalid UTF-8, a duplicate key, nesting beyond the limit.
  static JsonDocument parse(support::SourceText source, const JsonLimits& limits = {});

  JsonValue root() const noexcept { return {*this, 0}; }
  const support::SourceText& source() const noexcept { return source_; }

 private:
  friend class JsonValue;
  friend class JsonValue::Iterator;
  class Builder;

  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Node {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint32_t parent = kNone;
    std::uint32_t next = kNone;
    std::uint32_t first_child = kNone;
    std::uint32_t position = 0;  // among its siblings
    std::string key;
    std::string string;
    JsonKind kind = JsonKind::null;
  };

  explicit JsonDocument(support::SourceText source) : source_(std::move(source)) {}

  support::SourceText source_;
  std::vector<Node> nodes_;
};

class JsonValue::Iterator {
 public:
  using value_type = JsonValue;
  using difference_type = std::ptrdiff_t;

  Iterator(const JsonDocument& document, std::uint32_t index)
      : document_(&document), index_(index) {}

  JsonValue operator*() const noexcept { return {*document_, index_}; }
  Iterator& operator++() noexcept {
    index_ = document_->nodes_[index_].next;
    return *this;
  }
  Iterator operator++(int) noexcept {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Iterator& other) const noexcept { return index_ == other.index_; }

 private:
  const JsonDocument* document_;
  std::uint32_t index_;
};

struct JsonValue::Children {
  Iterator first;
  Iterator last;

  Iterator begin() const noexcept { return first; }
  Iterator end() const noexcept { return last; }
  bool empty() const noexcept { return first == last; }
};

}  // namespace mlf::model_library
