// The members of the objects of tir-N.json: exactly those that belong there.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "mlf/tir/kind.h"
#include "support/json_reader.h"

namespace mlf::tir::json {

/// Where the object of a node stands decides which keys it may have beside its fields.
enum class Standing : std::uint8_t {
  inline_,     ///< where it is used
  statement,   ///< in a list of statements
  object,      ///< in `objects`
  expression,  ///< in `exprs`
  table,       ///< in `vars` or `buffers`, with a name of its own
};

/// The members of a node's object by field. Throws where a key is unknown or one is missing.
class NodeMembers {
 public:
  NodeMembers(support::JsonValue object, Kind kind, Standing standing);

  std::optional<support::JsonValue> field(std::uint8_t i) const { return fields_[i]; }
  std::optional<support::JsonValue> span() const { return span_; }

 private:
  static constexpr std::size_t kMostFields = 16;
  std::array<std::optional<support::JsonValue>, kMostFields> fields_;
  std::optional<support::JsonValue> span_;
};

/// Throws unless `object` is an object with all keys of `required` and, beside them, none but
/// those of `optional`.
void check_keys(support::JsonValue object, std::initializer_list<std::string_view> required,
                std::initializer_list<std::string_view> optional = {});

/// The member with this key; throws where there is none.
support::JsonValue member(support::JsonValue object, std::string_view key);

/// Scalars; each throws where the value is of another type.
std::string_view expect_text(support::JsonValue value);
std::int64_t expect_integer(support::JsonValue value);
/// An integer that is the next one of a table.
std::uint32_t expect_index(support::JsonValue value);
void expect_array(support::JsonValue value);

}  // namespace mlf::tir::json
