// The arenas behind Module. Private: the public handles read it, the builder fills it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mlf/tir/module.h"
#include "support/name_map.h"

namespace mlf::tir {

/// Strings stored once each, at addresses that never move.
class StringPool {
 public:
  StringPool();
  StringId intern(std::string_view text);
  std::string_view get(StringId id) const { return strings_[static_cast<std::uint32_t>(id)]; }

 private:
  std::string_view store(std::string_view text);

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t room_ = 0;  // bytes left in the last small chunk
  char* next_ = nullptr;
  std::vector<std::string_view> strings_;
  support::NameMap<std::string_view, std::uint32_t> ids_;
};

/// Memory for at least `least` elements of this size, with the content of `data`, which it frees.
/// Sets `capacity`. Throws, and frees nothing, if there is none.
void* grown(void* data, std::size_t& capacity, std::size_t least, std::size_t element);

/// A vector of at most 2^32 plain values, but that space for several is one check: making nodes is
/// a tenth of reading a text.
template <class T>
class Arena {
 public:
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* data() { return data_.get(); }
  /// Where new values go; they are to be written by the caller, all of them.
  T* extend(std::size_t count) {
    if (count > capacity_ - size_) [[unlikely]]
      grow(count);
    T* const place = data_.get() + size_;
    size_ += count;
    return place;
  }

 private:
  void grow(std::size_t count) {
    // Keeps the old memory if there is no larger one.
    void* const larger = grown(data_.get(), capacity_, size_ + count, sizeof(T));
    static_cast<void>(data_.release());
    data_.reset(static_cast<T*>(larger));
  }
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

struct Module::Storage {
  Storage();

  const std::uint32_t* words_of(NodeId id, std::uint8_t offset) const {
    return &words[first[index(id)] + offset];
  }
  std::span<const std::uint32_t> list(std::uint32_t id) const {
    return {&lists[id] + 1, lists[id]};
  }

  NodeId root = NodeId::none;
  Arena<Kind> kinds;                   // by node id
  Arena<std::uint32_t> first;          // by node id: first word of its fields
  Arena<std::uint32_t> words;          // the fields of all nodes
  std::vector<std::uint32_t> lists;    // [count, elements…]…; entry 0 is the undefined list
  std::vector<std::int64_t> integers;  // [count, values…]…
  std::vector<std::vector<std::byte>> bytes;  // entry 0 is undefined
  StringPool strings;
  std::unordered_map<std::uint32_t, NodeId> spans;
  std::vector<std::pair<std::uint32_t, SourceRange>> ranges;  // sorted by node id once frozen
};

[[noreturn, gnu::cold]] void refuse_field(Kind kind, FieldRef field, std::string_view problem);

/// Kinds of one family share the names and places of their fields: refuses others.
void check_family(Kind kind, FieldRef field, const FieldInfo& row);

/// Refuses a field that `kind` does not have, in release builds too: it would read the
/// neighbour's words. Inline: every read of a field asks.
inline const FieldInfo& row_of(Kind kind, FieldRef field) {
  const std::span<const FieldInfo> fields = info(kind).fields;
  if (field.position() >= fields.size()) refuse_field(kind, field, "does not exist");
  const FieldInfo& row = fields[field.position()];
  if (field.kind() != kind && field.is_named()) check_family(kind, field, row);
  return row;
}

inline std::int64_t read_int64(const std::uint32_t* words) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(words[0]) |
                                   static_cast<std::uint64_t>(words[1]) << 32);
}

}  // namespace mlf::tir
