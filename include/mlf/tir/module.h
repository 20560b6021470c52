// TIR: data types, the kinds of nodes with their fields, and frozen modules. A module owns its
// nodes in one arena and refers to them by 32-bit ids.
//
// Asking a node for something that it does not have (a field of another kind, an index over the
// end, the kind of an undefined node) throws `NodeMisuse`, in every build. That is a defect of the
// caller, not of the input, and the only exception to "nothing throws across the API".
//
//     for (const mlf::tir::NamedFunction& one : mlf::tir::prim_functions_of(module)) {
//       print(one.symbol, one.function.list(mlf::tir::f::PrimFunc::params).size());
//     }
//
// Threads: a Module does not change once it is built; any number of threads may read it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mlf/export.h"

namespace mlf::tir {

// --- TVM's DataType: what a scalar or a vector is made of ---------------------------------------

/// Type codes as in DLPack and TVM's runtime/data_type.h.
enum class TypeCode : std::uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Handle = 3,
  BFloat = 4,
  E4M3Float = 6,
  E5M2Float = 7,
  Custom = 129,  ///< first of the custom codes; the code itself is kept, its name is not
};

/// A data type of `lanes` elements of `bits` bits each.
///
/// bool is an unsigned integer of one bit; `handle` is a pointer (its width is never written by
/// TVM and taken as 64); void is a handle of no bits. Scalable vectors (v0.16+) have negative
/// lanes: -4 is "vscale times 4".
struct DType {
  TypeCode code = TypeCode::Handle;
  std::uint8_t bits = 0;
  std::int16_t lanes = 0;

  friend bool operator==(const DType&, const DType&) = default;

  bool is_void() const { return code == TypeCode::Handle && bits == 0; }
  bool is_handle() const { return code == TypeCode::Handle && bits != 0; }
  bool is_bool() const { return code == TypeCode::UInt && bits == 1; }
  bool is_int() const { return code == TypeCode::Int; }
  bool is_uint() const { return code == TypeCode::UInt; }
  /// Any type of floating point, bfloat16 and the 8-bit ones included.
  bool is_float() const {
    return code != TypeCode::Int && code != TypeCode::UInt && code != TypeCode::Handle;
  }
  bool is_scalar() const { return lanes == 1; }
  DType with_lanes(std::int16_t count) const { return {code, bits, count}; }
  /// Returns this type with the lanes of `other`, unless `other` is void.
  DType as_wide_as(DType other) const { return other.is_void() ? *this : with_lanes(other.lanes); }
  DType element() const { return with_lanes(1); }
  /// Bytes of one element in memory: bits rounded up to whole bytes (bool takes one byte).
  std::size_t element_bytes() const { return (bits + 7u) / 8u; }

  std::uint32_t packed() const {
    return static_cast<std::uint32_t>(code) | static_cast<std::uint32_t>(bits) << 8 |
           static_cast<std::uint32_t>(static_cast<std::uint16_t>(lanes)) << 16;
  }
  static DType unpack(std::uint32_t word) {
    return {static_cast<TypeCode>(word & 0xff), static_cast<std::uint8_t>(word >> 8 & 0xff),
            static_cast<std::int16_t>(static_cast<std::uint16_t>(word >> 16))};
  }

  static constexpr DType Void() { return {}; }
  static constexpr DType Handle() { return {TypeCode::Handle, 64, 1}; }
  static constexpr DType Bool() { return {TypeCode::UInt, 1, 1}; }
  static constexpr DType Int(std::uint8_t bits) { return {TypeCode::Int, bits, 1}; }
  static constexpr DType UInt(std::uint8_t bits) { return {TypeCode::UInt, bits, 1}; }
  static constexpr DType Float(std::uint8_t bits) { return {TypeCode::Float, bits, 1}; }
};

/// TVM's spelling: `int32`, `float16x4`, `bool`, `handle`, `float32xvscalex4`; void is `void`.
MLF_API std::string to_string(DType dtype);

/// Parses TVM's spelling; the empty string and `void` are void, `bool` and `uint1` are the same.
MLF_API std::optional<DType> parse_dtype(std::string_view text);

// --- The kinds of nodes and their fields, made from nodes.def -----------------------------------

enum class Kind : std::uint16_t {
#define MLF_NODE(name, type_key, category, encoding, ...) name,
#include "mlf/tir/nodes.def"
#undef MLF_NODE
};

/// Fields by name: `f::For::body` is the position of `body` in the row of `Kind::For`, with a type
/// that belongs to For.
namespace f {
#define MLF_NODE(name, type_key, category, encoding, ...) \
  struct name {                                           \
    enum Field : std::uint8_t { __VA_ARGS__ };            \
  };                                                      \
  constexpr Kind kind_of(name::Field) {                   \
    return Kind::name;                                    \
  }
#define MLF_FIELD(name, type, expects, role, nullable, since, until) name,
#define MLF_FIELD_AS(name, spelling, type, expects, role, nullable, since, until) name,
#include "mlf/tir/nodes.def"
#undef MLF_NODE
#undef MLF_FIELD
#undef MLF_FIELD_AS
}  // namespace f

/// Names a field of a node. By name, it fits kinds that have a field of this name at this position
/// (`f::Add::a` fits all binary operators). By position, for code that iterates over the table, it
/// fits every kind with that many fields.
class FieldRef {
 public:
  constexpr FieldRef(std::uint8_t position) : position_(position) {}
  template <class Name>
  requires std::is_enum_v<Name> && requires(Name name) {
    { kind_of(name) } -> std::same_as<Kind>;
  }
  constexpr FieldRef(Name name)
      : position_(static_cast<std::uint8_t>(name)),
        kind_(static_cast<std::uint16_t>(kind_of(name))) {}

  constexpr std::uint8_t position() const { return position_; }
  constexpr bool is_named() const { return kind_ != kPositional; }
  /// The kind by which the field is named.
  constexpr Kind kind() const { return static_cast<Kind>(kind_); }

 private:
  static constexpr std::uint16_t kPositional = UINT16_MAX;

  std::uint8_t position_;
  std::uint16_t kind_ = kPositional;
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
  node,         ///< a NodeId; 0 if undefined
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

/// What a field may contain; for enumerations, which set of names applies.
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
  attributes,  ///< DictAttrs
  attr_value,
  callee,        ///< Op or GlobalVar
  constant,      ///< NDArray, in save_json a node of its own
  tensor,        ///< NDArray, in save_json an index into `b64ndarrays`
  text,          ///< of a string: in save_json the text itself, not a String
  text_until_8,  ///< the same up to v0.8, since then a String
  for_kind,
  iter_var_type,
  buffer_type,
};

/// The role of a field for the scopes of Vars and Buffers.
enum class Role : std::uint8_t {
  none,
  define,  ///< brings the Var or Buffer it holds into scope
  use,     ///< refers to one
  scope,   ///< the statements that a let, an allocation or the like covers
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
  FieldType stored;     ///< type of its words: node, list, string, integer, real, dtype or bytes
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
/// Returns the position of the field with Role::scope in the row of `kind`, if it has one.
MLF_API std::optional<std::uint8_t> scope_field(Kind kind);
/// Returns the position of the field with this name in the row of `kind`.
MLF_API std::optional<std::uint8_t> field_named(Kind kind, std::string_view name);

/// Returns the names of the values of an enumeration, by TVM's number; empty if TVM has no such
/// value.
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

// --- Modules ------------------------------------------------------------------------------------

/// Identifies a node of one module. Ids ascend in the order of creation: children before parents.
/// The id is the identity of Var, Buffer, constants and objects. 0 is "undefined".
enum class NodeId : std::uint32_t { none = 0 };
enum class StringId : std::uint32_t { none = 0 };
enum class ListId : std::uint32_t { none = 0 };
enum class BytesId : std::uint32_t { none = 0 };

constexpr std::uint32_t index(NodeId id) {
  return static_cast<std::uint32_t>(id);
}

/// An integer field that TVM's version did not write.
constexpr std::int64_t kAbsentInteger = INT64_MIN;

/// Half-open byte range of the source text that a node was read from.
struct SourceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

/// Thrown if a node does not have the requested field, index or kind.
class MLF_API NodeMisuse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn, gnu::cold]] MLF_API void misuse(std::string_view what);
/// Apart from its callers, which are inline, because those are to stay small.
[[noreturn, gnu::cold]] MLF_API void refuse_id(NodeId id);

inline void check_index(std::size_t i, std::size_t size) {
  if (i >= size) misuse("an index is over the end of a list or map");
}
}  // namespace detail

class Module;
class NodeList;
class NodeMap;

/// A handle to a node of a module. Cheap to copy; valid as long as the module. Reading a field that
/// the node's kind does not have, or with another type, throws `NodeMisuse`.
class MLF_API Node {
 public:
  Node() = default;
  Node(const Module& module, NodeId id) : module_(&module), id_(id) {}

  explicit operator bool() const { return id_ != NodeId::none; }
  NodeId id() const { return id_; }
  /// Throws `NodeMisuse` for `Node()`, which belongs to no module.
  const Module& module() const {
    if (module_ == nullptr) detail::misuse("an undefined node has no module");
    return *module_;
  }
  Kind kind() const;  ///< inline below, as it is called most
  bool is(Kind kind) const { return id_ != NodeId::none && this->kind() == kind; }
  const KindInfo& info() const { return tir::info(kind()); }
  Category category() const { return info().category; }

  /// The dtype of an expression.
  DType dtype() const;  ///< inline below, too

  // Fields, by `f::Kind::field` or, for code that iterates over the table, by position.
  Node operator[](FieldRef field) const { return node(field); }
  Node node(FieldRef field) const;
  NodeList list(FieldRef field) const;
  NodeMap map(FieldRef field) const;
  std::string_view text(FieldRef field) const;  ///< empty if undefined
  bool has_text(FieldRef field) const;
  std::int64_t integer(FieldRef field) const;  ///< integer, boolean or enumeration
  double real(FieldRef field) const;
  DType dtype(FieldRef field) const;
  std::span<const std::int64_t> integers(FieldRef field) const;
  /// Raw bytes; nullopt if undefined.
  std::optional<std::span<const std::byte>> bytes(FieldRef field) const;

  friend bool operator==(const Node& a, const Node& b) {
    return a.module_ == b.module_ && a.id_ == b.id_;
  }

 private:
  const Module* module_ = nullptr;
  NodeId id_ = NodeId::none;
};

/// A list field. An undefined list is empty, and `defined()` is false.
class NodeList {
 public:
  NodeList(const Module& module, std::span<const std::uint32_t> ids, bool defined)
      : module_(&module), ids_(ids), defined_(defined) {}
  bool defined() const { return defined_; }
  std::size_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty(); }
  Node operator[](std::size_t i) const {
    detail::check_index(i, size());
    return {*module_, static_cast<NodeId>(ids_[i])};
  }

  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    Iterator(const Module& module, const std::uint32_t* at) : module_(&module), at_(at) {}
    Node operator*() const { return {*module_, static_cast<NodeId>(*at_)}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Module* module_;
    const std::uint32_t* at_;
  };
  Iterator begin() const { return {*module_, ids_.data()}; }
  Iterator end() const { return {*module_, ids_.data() + ids_.size()}; }

 private:
  const Module* module_;
  std::span<const std::uint32_t> ids_;
  bool defined_;
};

/// A map field: entries in the order written. Keys are names (string_map) or nodes (node_map).
class MLF_API NodeMap {
 public:
  /// The type of the keys of a map.
  enum class Keys : std::uint8_t { names, nodes };

  NodeMap(const Module& module, std::span<const std::uint32_t> words, bool defined, Keys keys)
      : module_(&module), words_(words), defined_(defined), keys_(keys) {}
  bool defined() const { return defined_; }
  std::size_t size() const { return words_.size() / 2; }
  bool empty() const { return words_.empty(); }
  /// The key of entry `i` of a string_map.
  std::string_view name(std::size_t i) const;
  /// The key of entry `i` of a node_map.
  Node key(std::size_t i) const {
    if (keys_ != Keys::nodes) detail::misuse("the keys of this map are names");
    detail::check_index(i, size());
    return {*module_, static_cast<NodeId>(words_[2 * i])};
  }
  Node value(std::size_t i) const {
    detail::check_index(i, size());
    return {*module_, static_cast<NodeId>(words_[2 * i + 1])};
  }
  /// Returns the value of a name in a string_map, or an undefined node.
  Node find(std::string_view name) const;

 private:
  const Module* module_;
  std::span<const std::uint32_t> words_;
  bool defined_;
  Keys keys_;
};

/// The nodes of one IRModule (or of a single object), frozen. Move-only. Freeing it frees arenas,
/// without recursion. `Builder` makes it.
class MLF_API Module {
 public:
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  /// The IRModule node.
  Node root() const;
  /// Number of ids: valid ones are 1 … size() - 1.
  std::uint32_t size() const { return size_; }
  Node node(NodeId id) const { return {*this, id}; }

  /// Returns TVM's own `span` of a node (a Span object), or an undefined node.
  Node span(NodeId id) const;
  /// Returns the place of the node in its source text, if the reader recorded it.
  std::optional<SourceRange> source_range(NodeId id) const;

 private:
  friend class ArenaView;  // for readers inside the library that iterate over the table
  friend class Builder;
  friend class Node;
  friend class NodeMap;
  struct Storage;
  explicit Module(std::unique_ptr<Storage> storage);
  /// Call after a change to the storage's arenas.
  void refresh();

  std::unique_ptr<Storage> storage_;
  // The storage's arenas, for inline code: by node id its kind and its first word; the words.
  const Kind* kinds_ = nullptr;
  const std::uint32_t* first_ = nullptr;
  const std::uint32_t* words_ = nullptr;
  std::uint32_t size_ = 0;
};

/// A function of an IRModule.
struct NamedFunction {
  std::string_view name;    ///< of its GlobalVar
  std::string_view symbol;  ///< its attribute `global_symbol`; the name where it has none
  Node key;                 ///< the GlobalVar
  Node function;
};

/// Returns the functions of `module` in its order; empty if its root is not an IRModule.
MLF_API std::vector<NamedFunction> functions_of(const Module& module);

/// Returns those of `functions_of` that are a PrimFunc.
MLF_API std::vector<NamedFunction> prim_functions_of(const Module& module);

inline Kind Node::kind() const {
  // An id that is not `none` has a module: see the constructors.
  if (id_ == NodeId::none || index(id_) >= module_->size_) [[unlikely]]
    detail::refuse_id(id_);
  return module_->kinds_[index(id_)];
}

// Field 0 of every expression, by nodes.def: its first word.
inline DType Node::dtype() const {
  // A reference into a metadata section that was left out may be where an expression is.
  if (is(Kind::MissingObject)) return DType::Handle();
  if (category() != Category::expr) detail::misuse("only expressions have a dtype");
  return DType::unpack(module_->words_[module_->first_[index(id_)]]);
}

}  // namespace mlf::tir
