// The node kinds and their fields, generated from nodes.def, and the table that describes them.
// Threads: tables are constant; everything here may be used from any number of threads.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "mlf/export.h"

namespace mlf::tir {

enum class Kind : std::uint8_t {
#define MLF_NODE(name, type_key, category, encoding) name,
#define MLF_FIELD(name, type, expects, role, nullable, since, until)
#define MLF_FIELD_AS(name, spelling, type, expects, role, nullable, since, until)
#define MLF_END(name)
#include "mlf/tir/nodes.def"
#undef MLF_NODE
#undef MLF_FIELD
#undef MLF_FIELD_AS
#undef MLF_END
};

/// Fields by name: `f::For::body` is the position of `body` in the row of `Kind::For`, and knows
/// that it is one of For.
namespace f {
#define MLF_NODE(name, type_key, category, encoding) \
  struct name {                                      \
    enum Field : std::uint8_t {
#define MLF_FIELD(name, type, expects, role, nullable, since, until) name,
#define MLF_FIELD_AS(name, spelling, type, expects, role, nullable, since, until) name,
#define MLF_END(name)                   \
  }                                     \
  ;                                     \
  }                                     \
  ;                                     \
  constexpr Kind kind_of(name::Field) { \
    return Kind::name;                  \
  }
#include "mlf/tir/nodes.def"
#undef MLF_NODE
#undef MLF_FIELD
#undef MLF_FIELD_AS
#undef MLF_END
}  // namespace f

/// A field that a node is asked for. Named, it fits kinds that have a field of this name at this
/// place (`f::Add::a` fits all binary operators); by position, for code that runs over the table,
/// it fits every kind with that many fields.
class FieldRef {
 public:
  constexpr FieldRef(std::uint8_t position) : position_(position) {}
  template <class Name>
  requires std::is_enum_v<Name> && requires(Name name) {
    { kind_of(name) } -> std::same_as<Kind>;
  }
  constexpr FieldRef(Name name)
      : position_(static_cast<std::uint8_t>(name)),
        kind_(static_cast<std::uint8_t>(kind_of(name))) {}

  constexpr std::uint8_t position() const { return position_; }
  constexpr bool is_named() const { return kind_ != kPositional; }
  /// The kind by which the field is named.
  constexpr Kind kind() const { return static_cast<Kind>(kind_); }

 private:
  static constexpr std::uint8_t kPositional = 255;  // there are fewer kinds

  std::uint8_t position_;
  std::uint8_t kind_ = kPositional;
};

enum class Category : std::uint8_t {
  expr,      ///< PrimExpr
  stmt,      ///< Stmt
  buffer,    ///< Buffer
  part,      ///< Range, IterVar, BufferRegion, MatchBufferRegion, CommReducer
  function,  ///< PrimFunc
  module,    ///< IRModule
  type,      ///< PrimType, PointerType, …
  value,     ///< strings, boxed numbers, arrays and maps: no identity of their own
  constant,  ///< NDArray
  object,    ///< everything else: identity is meaning
};

enum class Encoding : std::uint8_t { attrs, repr, special };

enum class FieldType : std::uint8_t {
  node,         ///< a NodeId; 0 where undefined
  list,         ///< NodeIds in order; an undefined list differs from an empty one
  string_map,   ///< names to NodeIds, in the order written
  node_map,     ///< NodeIds to NodeIds, in the order written
  string,       ///< an interned string; undefined differs from empty
  integer,      ///< int64
  real,         ///< double
  boolean,      ///< 0 or 1
  dtype,        ///< DType
  enumeration,  ///< an integer with names; FieldInfo::expects says which ones
  integers,     ///< int64s in order
  bytes,        ///< raw data; may be undefined
};

/// What may be in a field; for enumerations, which set of names applies.
enum class Expects : std::uint8_t {
  none,
  any,
  expr,
  var,
  buffer,
  stmt,
  range,
  iter_var,
  buffer_region,
  match_buffer_region,
  comm_reducer,
  type,
  function,
  object,
  attr_value,
  callee,    ///< Op or GlobalVar
  constant,  ///< NDArray, in save_json a node of its own
  tensor,    ///< NDArray, in save_json an index into `b64ndarrays`
  for_kind,
  iter_var_type,
  buffer_type,
};

/// What a field is to the scopes of Vars and Buffers.
enum class Role : std::uint8_t {
  none,
  define,  ///< brings the Var or Buffer it holds into scope
  use,     ///< refers to one
  scope,   ///< the statements after a let, an allocation and the like: what their node covers
};

struct FieldInfo {
  std::string_view name;  ///< TVM's name, as in save_json and tir-N.json
  FieldType type;
  Expects expects;
  Role role;
  bool nullable;
  std::uint8_t since;   ///< first TVM minor version (0.x) with this field
  std::uint8_t until;   ///< last one, or kStillThere
  std::uint8_t offset;  ///< first 32-bit word of the field inside the node
  FieldType stored;     ///< what its words are: node, list, string, integer, real, dtype or bytes
};

constexpr std::uint8_t kNoField = 255;

struct KindInfo {
  Kind kind;
  std::string_view name;      ///< the name in tir-N.json
  std::string_view type_key;  ///< TVM's type key; empty for opaque kinds
  Category category;
  Encoding encoding;
  std::span<const FieldInfo> fields;
  std::uint8_t words;  ///< 32-bit words that a node of this kind takes
  std::uint8_t scope;  ///< position of the field of role `scope`; kNoField if there is none
};

namespace detail {
MLF_API extern const KindInfo kind_rows[];
}

/// All rows, in the order of `Kind`.
MLF_API std::span<const KindInfo> all_kinds();
inline const KindInfo& info(Kind kind) {
  return detail::kind_rows[static_cast<std::size_t>(kind)];
}
/// The kind with this name in tir-N.json.
MLF_API std::optional<Kind> kind_named(std::string_view name);
/// The kind with this type key, any version's spelling; StringMap for "Map".
MLF_API std::optional<Kind> kind_with_type_key(std::string_view type_key);
/// Position of the field with Role::scope in the row of `kind`; nothing where it has none.
MLF_API std::optional<std::uint8_t> scope_field(Kind kind);
/// Position of the field with this name in the row of `kind`.
MLF_API std::optional<std::uint8_t> field_named(Kind kind, std::string_view name);

/// Names of the values of an enumeration, by TVM's number; empty where TVM has no such value.
MLF_API std::span<const std::string_view> enum_names(Expects which);

enum class ForKind : std::uint8_t { serial, parallel, vectorized, unrolled, thread_binding };
enum class IterVarType : std::uint8_t {
  DataPar,
  ThreadIndex,
  CommReduce,
  Ordered,
  Opaque,
  Unrolled,
  Vectorized,
  Parallelized,
  Tensorized,
};
enum class BufferType : std::uint8_t { default_ = 1, auto_broadcast = 2 };

constexpr bool is_expr(Category c) {
  return c == Category::expr;
}
constexpr bool is_binary(Kind kind) {
  return kind >= Kind::Add && kind <= Kind::Or;
}

}  // namespace mlf::tir
