#include "tir/json/format.h"

#include <algorithm>
#include <iterator>

#include "mlf/tir/tvm_version.h"

namespace mlf::tir::tir_json {

std::string_view key_of(Kind kind, const FieldInfo& field) {
  if (kind == Kind::AttrStmt && field.name == "node") return "attr_node";
  if (kind == Kind::LinkedParam && field.name == "id") return "param_id";
  if (is_var(kind) && field.name == "type_annotation") return "type";
  return field.name;
}

std::optional<std::uint8_t> field_with_key(Kind kind, std::string_view key) {
  const auto fields = info(kind).fields;
  const auto found = std::ranges::find_if(
      fields, [&](const FieldInfo& field) { return key_of(kind, field) == key; });
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::uint8_t>(std::distance(fields.begin(), found));
}

bool may_be_absent(Kind kind, const FieldInfo& field) {
  if (!field.nullable) return false;
  const auto oldest = std::ranges::min(info(kind).fields, {}, &FieldInfo::since).since;
  return field.since > oldest || field.until != kStillThere;
}

std::optional<std::uint8_t> scoped_field(Kind kind) {
  return kind == Kind::SeqStmt ? std::optional<std::uint8_t>(f::SeqStmt::seq) : scope_field(kind);
}

IntegerForm integer_form(Kind kind) {
  const bool wide = kind == Kind::BoxInt || kind == Kind::ShapeTuple;
  return wide ? IntegerForm::string : IntegerForm::number;
}

IntegerForm integer_form(DType dtype) {
  const bool narrow = (dtype.is_int() || dtype.is_uint()) && dtype.bits <= 32;
  return narrow ? IntegerForm::number : IntegerForm::string;
}

}  // namespace mlf::tir::tir_json
