// What of a node's JSON follows from its kind alone, made once for all nodes: keys and names, in
// quotes for the writer, and where the fields are.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "json/writer.h"
#include "mlf/tir/dtype.h"
#include "mlf/tir/kind.h"
#include "tir/json/format.h"

namespace mlf::tir::tir_json {

/// A field as it is written.
struct FieldTemplate {
  json::Piece key;
  std::string_view name;  ///< the key as readers meet it
  FieldType type;
  Expects expects;
  bool nullable;
  bool may_be_absent;
  std::uint8_t offset;    ///< FieldInfo::offset
  std::uint8_t position;  ///< in the row of nodes.def
};

struct KindTemplate {
  json::Piece opening;                ///< of an object of this kind
  std::vector<FieldTemplate> fields;  ///< all but the statements that `scope` counts
  IntegerForm integer_form;           ///< of fields without a dtype
  bool has_scope;
  bool is_leaf;  ///< none of its fields is a node, a list or a map
};

/// In the order of `Kind`.
std::span<const KindTemplate> all_templates();
inline const KindTemplate& template_of(Kind kind) {
  return all_templates()[static_cast<std::size_t>(kind)];
}

/// Words of the format that are written for every other node.
struct Words {
  json::Piece scope = json::Piece::key("scope");
  json::Piece dtype = json::Piece::key("dtype");
  json::Piece var = json::Piece::key("var");
  json::Piece expr = json::Piece::key("expr");
  json::Piece of_var = json::Piece::object("node", "Var");
  json::Piece of_expr = json::Piece::object("node", "ExprRef");
};

/// Spellings of dtypes, of which a module has few.
class DTypeTexts {
 public:
  /// Good until the next call.
  const json::Piece& operator[](DType dtype) {
    Entry& entry = entries_[(dtype.packed() * kSpread) >> (32 - kBits)];
    if (!entry.known || entry.dtype != dtype) entry = {dtype, true, spelled(dtype)};
    return entry.text;
  }

 private:
  static constexpr std::uint32_t kBits = 6;
  static constexpr std::uint32_t kSpread = 0x9E3779B1;  // Knuth's multiplicative hash
  struct Entry {
    DType dtype{};
    bool known = false;
    json::Piece text{};
  };
  static json::Piece spelled(DType dtype) { return json::Piece::string(to_string(dtype)); }

  std::array<Entry, 1U << kBits> entries_;
};

}  // namespace mlf::tir::tir_json
