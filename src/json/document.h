// Reads JSON of any size into one flat table, without recursion and without copying strings.
//
// The only JSON reader of the library: for the two large dialects of TIR, for TVM's graphs and
// metadata, and for mlf's manifest. Every value has its place in the source, so that an error names
// line, column and JSON pointer. Strict except where TVM's writers differ: duplicate keys, trailing
// commas and text after the value are errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_text.h"

namespace mlf::json {

enum class Type : std::uint8_t { null, boolean, integer, real, string, array, object };

/// "null", "a boolean", "an integer", "a number with a fraction or exponent", …, for messages.
std::string_view name_of(Type type) noexcept;

/// The bytes that a string may contain in its source.
enum class Strings : std::uint8_t {
  unicode,    ///< as RFC 8259 demands: well-formed UTF-8 without raw control characters
  any_bytes,  ///< as tvm.ir.save_json writes: bytes of the IR, with five of them escaped
};

struct ReadOptions {
  std::uint32_t max_nesting = 64;  ///< arrays and objects inside one another
  Strings strings = Strings::unicode;
};

class Document;
struct Member;

/// A value of a document: cheap to copy, valid as long as the document and its source text.
class Value {
 public:
  Value(const Document& document, std::uint32_t index) : document_(&document), index_(index) {}

  Type type() const;
  bool is(Type type) const { return this->type() == type; }
  bool is_null() const { return is(Type::null); }
  bool is_number() const { return is(Type::integer) || is(Type::real); }
  bool is_string() const { return is(Type::string); }
  bool is_array() const { return is(Type::array); }
  bool is_object() const { return is(Type::object); }

  /// Byte offset of the value in the source text; of a string, that of its opening quote.
  std::size_t offset() const;
  /// Bytes of a scalar in the source text, quotes included; 1 for arrays and objects.
  std::size_t length() const;
  /// The source text of the value. Scans arrays and objects for their ends.
  std::string_view source() const;

  /// Content of a string with escapes resolved; a view into the source if there are none.
  /// Precondition: a string.
  std::string_view text() const;
  /// Precondition: a boolean.
  bool boolean() const;
  /// The value of an integer in the range of int64; nullopt for any other value.
  std::optional<std::int64_t> integer() const;
  /// Number of elements of an array or of members of an object; 0 of a scalar.
  std::uint32_t size() const;

  class Iterator;
  class Elements;
  class Members;
  /// The elements of an array in order. Precondition: an array.
  Elements elements() const;
  /// The members of an object in order. Precondition: an object.
  Members members() const;
  /// The member of an object with this key, by linear search; nullopt if there is none.
  std::optional<Value> find(std::string_view key) const;

  /// The same for values that must have a type. Each throws an `Error` that points at the value and
  /// names the expected and the actual type.
  void expect(Type type) const {
    if (!is(type)) fail_type(type);
  }
  std::string_view as_string() const;
  std::int64_t as_integer() const;
  Elements as_array() const;
  Value at(std::string_view key) const;

  /// RFC 6901.
  std::string pointer() const;
  /// Throws an `Error` of kind `invalid_input` with line, column and JSON pointer of this value.
  [[noreturn]] void fail(std::string message) const;

  const Document& document() const { return *document_; }
  std::uint32_t index() const { return index_; }

 private:
  [[noreturn]] void fail_type(Type expected) const;

  const Document* document_;
  std::uint32_t index_;
};

/// A parsed document: 16 bytes for every value and every key. Does not own its source text.
class Document {
 public:
  /// Parses the bytes [begin, end) of `source`, all of them; offsets count from the beginning of
  /// `source.text`. Throws an `Error` with the place of the first mistake.
  Document(const support::SourceText& source, std::size_t begin, std::size_t end,
           const ReadOptions& options = {});
  explicit Document(const support::SourceText& source, const ReadOptions& options = {})
      : Document(source, 0, source.text.size(), options) {}

  Value root() const { return {*this, 0}; }
  const support::SourceText& source() const { return source_; }

 private:
  friend class Value;
  friend class Parser;

  struct ValueRecord {
    std::uint32_t begin;   // first byte in the source
    std::uint32_t extent;  // scalars: bytes in the source; containers: elements or members
    std::uint32_t link;    // containers: index after the last part; escaped strings: `unescaped_`
    Type type;
    bool escaped;
  };
  /// The index after all parts of a value; 0 for a container that is still being read.
  std::uint32_t next_index(std::uint32_t index) const {
    const ValueRecord& entry = entries_[index];
    return entry.type < Type::array ? index + 1 : entry.link;
  }

  support::SourceText source_;
  std::vector<ValueRecord> entries_;   // the whole before its parts; a key before its value
  std::deque<std::string> unescaped_;  // a deque: the parser keeps views of keys while it grows
};

class Value::Iterator {
 public:
  Iterator(const Document& document, std::uint32_t index) : document_(&document), index_(index) {}
  Value operator*() const { return {*document_, index_}; }
  Iterator& operator++();
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

 private:
  const Document* document_;
  std::uint32_t index_;
};

class Value::Elements {
 public:
  Elements(const Document& document, std::uint32_t first, std::uint32_t last)
      : begin_(document, first), end_(document, last) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_;
  Iterator end_;
};

struct Member {
  Value key;  ///< a string
  Value value;
};

class Value::Members {
 public:
  class MemberIterator {
   public:
    explicit MemberIterator(Iterator at) : at_(at) {}
    Member operator*() const {
      const Value key = *at_;
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

inline Type Value::type() const {
  return document_->entries_[index_].type;
}

// Without quotes, with escapes resolved. Inline, as readers call these functions for each of a
// million values.
inline std::string_view Value::text() const {
  const Document::ValueRecord& entry = document_->entries_[index_];
  if (entry.escaped) return document_->unescaped_[entry.link];
  return {document_->source_.text.data() + entry.begin + 1, entry.extent - std::size_t{2}};
}

inline std::uint32_t Value::size() const {
  const Document::ValueRecord& entry = document_->entries_[index_];
  return entry.type < Type::array ? 0 : entry.extent;
}

inline Value::Elements Value::elements() const {
  return {*document_, index_ + 1, document_->next_index(index_)};
}

inline Value::Members Value::members() const {
  return Members(elements());
}

// Objects have few keys, and an index would need memory.
inline std::optional<Value> Value::find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  for (const Member member : members()) {
    if (member.key.text() == key) return member.value;
  }
  return std::nullopt;
}

inline Value::Iterator& Value::Iterator::operator++() {
  index_ = document_->next_index(index_);
  return *this;
}

/// Reads every element of an array with `read`.
template <class Read>
auto list_of(Value array, Read read) {
  array.expect(Type::array);
  std::vector<decltype(read(array))> result;
  for (const Value element : array.elements()) result.push_back(read(element));
  return result;
}

}  // namespace mlf::json
