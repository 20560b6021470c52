// Rules that the writer, reader and schema of tir-N.json share, in addition to nodes.def.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "json/writer.h"
#include "mlf/tir/module.h"

namespace mlf::tir::tir_json {

constexpr std::string_view kFormat = "mlf-tir";
constexpr std::int64_t kVersion = 1;

/// An expression used more than once goes into the table if it would take more nodes than this.
constexpr std::uint32_t kSmallSize = 32;
/// The same for a type.
constexpr std::uint32_t kSmallTypeSize = 4;
/// The limit on the height of a node written in place; a node that reaches it goes into a table.
constexpr std::uint8_t kMaxHeight = 32;

/// The key of a field: its name in nodes.def, except for a few that collide with a key of the
/// format.
std::string_view key_of(Kind kind, const FieldInfo& field);

/// Whether the key is absent if the field is undefined: true for fields that not every TVM version
/// has.
bool may_be_absent(Kind kind, const FieldInfo& field);

/// The field whose statements `scope` counts instead; nullopt for a statement that covers no
/// others.
std::optional<std::uint8_t> scoped_field(Kind kind);

/// Whether an element of a list or map of such nodes may be null.
constexpr bool may_be_null(Expects slot) {
  return slot == Expects::any || slot == Expects::attr_value || slot == Expects::object;
}

/// The form of an integer in a field without dtype: 64-bit values are strings.
enum class IntegerForm : std::uint8_t { number, string };
IntegerForm integer_form(Kind kind);
/// The same for the value of an IntImm of this dtype.
IntegerForm integer_form(DType dtype);

/// What a function is for.
enum class Role : std::uint8_t {
  main,       ///< runs the network
  operator_,  ///< a kernel of the network, or a function of an operator library
  host,       ///< lowered to TVM's packed calling convention
  device,     ///< launched by a host function
};

std::string_view to_string(Role role);

/// The role of a PrimFunc called `name`; the first that fits:
/// - main: attribute `runner_function` is true; without that attribute, `global_symbol` or the
///   name ends in `__tvm_main__` or `run_model`
/// - device: attribute `calling_conv` is 2 (kDeviceKernelLaunch)
/// - host: attribute `calling_conv` is 1 (kCPackedFunc)
/// - operator: everything else
Role role_of(std::string_view name, Node function);

/// The attribute `global_symbol`, where it is a string.
std::optional<std::string_view> global_symbol_of(Node function);

// --- The parts of a node's JSON that follow from its kind, made once for all nodes
// ----------------

/// A field as it is written.
struct FieldTemplate : FieldInfo {
  json::Piece key;
  std::string_view key_text;  ///< the key as readers meet it
  bool may_be_absent;
  bool is_named_by_table;  ///< the name of a variable or buffer, which its table makes unique
  std::uint8_t position;   ///< in the row of nodes.def
};

struct KindTemplate {
  json::Piece opening;                ///< of an object of this kind
  std::vector<FieldTemplate> fields;  ///< all but the statements that `scope` counts
  IntegerForm integer_form;           ///< of fields without a dtype
  bool has_scope;
  /// Objects of this kind are written in full at each use. Equal `id`s mean the same object.
  bool has_id;
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

/// The texts of dtypes, of which a module has few.
class DTypeTexts {
 public:
  /// Valid until the next call.
  const json::Piece& operator[](DType dtype) {
    CachedDType& entry = entries_[(dtype.packed() * kSpread) >> (32 - kBits)];
    if (!entry.known || entry.dtype != dtype) entry = {dtype, true, piece_of(dtype)};
    return entry.text;
  }

 private:
  static constexpr std::uint32_t kBits = 6;
  static constexpr std::uint32_t kSpread = 0x9E3779B1;  // Knuth's multiplicative hash
  struct CachedDType {
    DType dtype{};
    bool known = false;
    json::Piece text{};
  };
  static json::Piece piece_of(DType dtype) { return json::Piece::string(to_string(dtype)); }

  std::array<CachedDType, 1U << kBits> entries_;
};

}  // namespace mlf::tir::tir_json
