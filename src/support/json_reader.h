// Reads JSON of any size into one flat table, without recursion and without copying strings.
//
// For the large JSON dialects of TIR. It is as tolerant as TVM's own writer needs: raw control
// characters and bytes that are not UTF-8 may stand inside strings. In everything else it is
// strict: duplicate keys, trailing commas and text behind the value are errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_text.h"

namespace mlf::support {

enum class JsonType : std::uint8_t { null, false_, true_, number, string, array, object };

/// "null", "a boolean", "a number", "a string", "an array" or "an object", for messages.
std::string_view describe(JsonType type);

struct JsonLimits {
  std::uint32_t max_nesting = 1'000'000;  ///< arrays and objects inside one another
};

class JsonDocument;

/// A value of a document: cheap to copy, valid as long as the document and its source text.
class JsonValue {
 public:
  JsonValue(const JsonDocument& document, std::uint32_t index)
      : document_(&document), index_(index) {}

  JsonType type() const;
  bool is_null() const { return type() == JsonType::null; }
  bool is_bool() const { return type() == JsonType::false_ || type() == JsonType::true_; }
  bool is_number() const { return type() == JsonType::number; }
  bool is_string() const { return type() == JsonType::string; }
  bool is_array() const { return type() == JsonType::array; }
  bool is_object() const { return type() == JsonType::object; }

  /// Byte offset of the value in the source text; of a string, that of its opening quote.
  std::size_t offset() const;
  /// Bytes of a scalar in the source text, quotes included; 1 for arrays and objects.
  std::size_t length() const;
  /// Content of a string, escapes resolved: a view into the source where there were none.
  std::string_view text() const;
  /// The digits of a number as they were written.
  std::string_view number_text() const;
  /// The value of a number that is an integer in the range of int64; nullopt for any other value.
  std::optional<std::int64_t> integer() const;

  /// Number of elements of an array or of members of an object.
  std::uint32_t size() const;

  class Iterator;
  class Elements;
  class Members;
  /// The elements of an array in order.
  Elements elements() const;
  /// The members of an object in order.
  Members members() const;
  /// The member of an object with this key, by linear search; nullopt where there is none.
  std::optional<JsonValue> find(std::string_view key) const;

  /// Throws an `Error` that points at this value.
  [[noreturn]] void fail(std::string message) const;

  const JsonDocument& document() const { return *document_; }
  std::uint32_t index() const { return index_; }

 private:
  const JsonDocument* document_;
  std::uint32_t index_;
};

struct JsonMember {
  JsonValue key;  ///< a string
  JsonValue value;
};

/// A parsed document: 16 bytes for every value and every key. Does not own its source text.
class JsonDocument {
 public:
  /// Parses the bytes [begin, end) of `source`, all of them; offsets count from the beginning of
  /// `source.text`. Throws an `Error` with the place of the first mistake.
  JsonDocument(const SourceText& source, std::size_t begin, std::size_t end,
               const JsonLimits& limits = {});
  explicit JsonDocument(const SourceText& source, const JsonLimits& limits = {})
      : JsonDocument(source, 0, source.text.size(), limits) {}

  JsonValue root() const { return {*this, 0}; }
  const SourceText& source() const { return source_; }

 private:
  friend class JsonValue;
  friend class JsonParser;

  struct Entry {
    std::uint32_t begin;   // first byte in the source
    std::uint32_t extent;  // scalars: bytes in the source; containers: elements or members
    std::uint32_t link;    // containers: index behind the last part; escaped strings: `unescaped_`
    JsonType type;
    bool escaped;
  };
  std::uint32_t behind(std::uint32_t index) const;

  SourceText source_;
  std::vector<Entry> entries_;  // the whole before its parts; a key stands before its value
  std::vector<std::string> unescaped_;
};

class JsonValue::Iterator {
 public:
  Iterator(const JsonDocument& document, std::uint32_t index)
      : document_(&document), index_(index) {}
  JsonValue operator*() const { return {*document_, index_}; }
  Iterator& operator++();
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

 private:
  const JsonDocument* document_;
  std::uint32_t index_;
};

class JsonValue::Elements {
 public:
  Elements(const JsonDocument& document, std::uint32_t first, std::uint32_t last)
      : begin_(document, first), end_(document, last) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_;
  Iterator end_;
};

class JsonValue::Members {
 public:
  class MemberIterator {
   public:
    explicit MemberIterator(Iterator at) : at_(at) {}
    JsonMember operator*() const {
      const JsonValue key = *at_;
      return {key, {key.document(), key.index() + 1}};
    }
    MemberIterator& operator++() {
      ++ ++at_;
      return *this;
    }
    friend bool operator==(const MemberIterator&, const MemberIterator&) = default;

   private:
    Iterator at_;
  };

  explicit Members(Elements parts) : parts_(parts) {}
  MemberIterator begin() const { return MemberIterator(parts_.begin()); }
  MemberIterator end() const { return MemberIterator(parts_.end()); }

 private:
  Elements parts_;
};

}  // namespace mlf::support
