// Reads the members of the objects of tir-N.json, rejects any others, and reads the values of
// fields that are not nodes.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "json/document.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"

namespace mlf::tir::tir_json {

/// The members of a node's object by field. Throws if one is missing; ignores unknown keys.
class NodeMembers {
 public:
  NodeMembers(json::Value object, Kind kind);

  std::optional<json::Value> field(std::uint8_t i) const { return value(fields_[i]); }
  std::optional<json::Value> span() const { return value(span_); }

 private:
  // Position of an absent value; 0 is the root of the document, which is never a member.
  static constexpr std::uint32_t kMissing = 0;
  static constexpr std::size_t kMostFields = 24;

  std::optional<json::Value> value(std::uint32_t at) const {
    return at == kMissing ? std::nullopt : std::optional(json::Value(document_, at));
  }

  const json::Document& document_;
  std::array<std::uint32_t, kMostFields> fields_{};
  std::uint32_t span_ = kMissing;
};

/// Throws unless `object` is an object with all these keys. Others are ignored: a later writer may
/// have added them.
void check_keys(json::Value object, std::initializer_list<std::string_view> required);

/// An integer that is the next one of a table.
std::uint32_t expect_index(json::Value value);

/// The value of a field of type string, integer, real, boolean, dtype, enumeration or integers.
/// `dtype` is that of the node itself, where it has one. Throws if the JSON type is not the one
/// that the field, or the dtype, requires.
FieldValue read_scalar(Builder& builder, json::Value value, Kind kind, const FieldInfo& field,
                       DType dtype);

DType read_dtype(json::Value value);

/// The bytes of a string of the IR.
StringId read_string(Builder& builder, json::Value value);

}  // namespace mlf::tir::tir_json
