// Typed access to the fields of metadata objects. Everything here throws `support::Error` with the
// JSON pointer of the value that is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/model_library.h"
#include "model_library/json_dom.h"

namespace mlf::model_library {

void require_kind(JsonValue value, JsonKind kind);
std::string string_of(JsonValue value);
/// Null reads as nothing.
std::optional<std::string> string_or_null(JsonValue value);
/// Integers from 0 to 2^63-1, the range of the int64 TVM counts in.
std::uint64_t size_of(JsonValue value);
std::int32_t device_type_of(JsonValue value);

/// Reads every element of an array with `read`.
template <class Read>
auto list_of(JsonValue array, Read read) {
  require_kind(array, JsonKind::array);
  std::vector<decltype(read(array))> result;
  for (const JsonValue element : array.children()) result.push_back(read(element));
  return result;
}

/// The members of one object; remembers which of them were asked for.
class Fields {
 public:
  explicit Fields(JsonValue object);

  /// Looks without counting as asked for.
  std::optional<JsonValue> peek(std::string_view key) const;
  std::optional<JsonValue> find(std::string_view key);
  JsonValue at(std::string_view key);
  /// The members nobody has asked for, in their order.
  std::vector<ExtraField> rest() const;

 private:
  struct Member {
    JsonValue value;
    bool taken = false;
  };

  JsonValue object_;
  std::vector<Member> members_;
};

}  // namespace mlf::model_library
