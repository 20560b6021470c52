// A frozen TIR module: nodes in one arena, referred to by 32-bit ids.
//
// Whoever asks a node for what it has not got (a field of another kind, an index over the end, the
// kind of an undefined node) gets a `NodeMisuse`, in every build. That is a defect of the caller,
// not of the input, and the one exception to "nothing throws across the API".
//
// Threads: a Module does not change once it is built; any number of threads may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/export.h"
#include "mlf/tir/dtype.h"
#include "mlf/tir/kind.h"

namespace mlf::tir {

/// Names a node of one module. Ids are given in the order of making: parts come before the whole.
/// Identity of Var, Buffer, constants and objects is this id. 0 is "undefined".
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

/// A node was asked for what it has not got.
class MLF_API NodeMisuse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn, gnu::cold]] MLF_API void misuse(std::string_view what);

inline void check_index(std::size_t i, std::size_t size) {
  if (i >= size) misuse("an index is over the end of a list or map");
}
}  // namespace detail

class Module;
class NodeList;
class NodeMap;

/// A node and the module it belongs to: what callers hold. Cheap to copy; valid as long as the
/// module. Fields that the node's kind has not got, or not of that type, throw `NodeMisuse`.
class MLF_API Node {
 public:
  Node() = default;
  Node(const Module& module, NodeId id) : module_(&module), id_(id) {}

  explicit operator bool() const { return id_ != NodeId::none; }
  NodeId id() const { return id_; }
  /// Not of `Node()`, which belongs to no module.
  const Module& module() const {
    if (module_ == nullptr) detail::misuse("an undefined node has no module");
    return *module_;
  }
  Kind kind() const;  ///< inline below: most of what readers of a tree ask
  bool is(Kind kind) const { return id_ != NodeId::none && this->kind() == kind; }
  const KindInfo& info() const { return tir::info(kind()); }
  Category category() const { return info().category; }

  /// The dtype of an expression.
  DType dtype() const;

  // Fields, by `f::Kind::field` or, for code that runs over the table, by position.
  Node operator[](FieldRef field) const { return node(field); }
  Node node(FieldRef field) const;
  NodeList list(FieldRef field) const;
  NodeMap map(FieldRef field) const;
  std::string_view text(FieldRef field) const;  ///< empty where undefined
  bool has_text(FieldRef field) const;
  std::int64_t integer(FieldRef field) const;  ///< integer, boolean or enumeration
  double real(FieldRef field) const;
  DType dtype(FieldRef field) const;
  std::span<const std::int64_t> integers(FieldRef field) const;
  /// Raw bytes; nullopt where undefined.
  std::optional<std::span<const std::byte>> bytes(FieldRef field) const;

  friend bool operator==(const Node& a, const Node& b) {
    return a.module_ == b.module_ && a.id_ == b.id_;
  }

 private:
  const Module* module_ = nullptr;
  NodeId id_ = NodeId::none;
};

/// A list field. An undefined list is empty and `!defined()`.
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
  /// What the keys of a map are.
  enum class Keys : std::uint8_t { names, nodes };

  NodeMap(const Module& module, std::span<const std::uint32_t> words, bool defined, Keys keys)
      : module_(&module), words_(words), defined_(defined), keys_(keys) {}
  bool defined() const { return defined_; }
  std::size_t size() const { return words_.size() / 2; }
  bool empty() const { return words_.empty(); }
  /// Of a string_map.
  std::string_view name(std::size_t i) const;
  /// Of a node_map.
  Node key(std::size_t i) const {
    if (keys_ != Keys::nodes) detail::misuse("the keys of this map are names");
    detail::check_index(i, size());
    return {*module_, static_cast<NodeId>(words_[2 * i])};
  }
  Node value(std::size_t i) const {
    detail::check_index(i, size());
    return {*module_, static_cast<NodeId>(words_[2 * i + 1])};
  }
  /// The value of a name in a string_map; an undefined node where there is none.
  Node find(std::string_view name) const;

 private:
  const Module* module_;
  std::span<const std::uint32_t> words_;
  bool defined_;
  Keys keys_;
};

/// The nodes of one IRModule (or of a lone object), frozen. Move-only; freeing it frees arenas,
/// whatever the shape of what they held. Made by `Builder`.
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

  /// TVM's own `span` of a node (a Span object); undefined where it has none.
  Node span(NodeId id) const;
  /// Where the node was in the text it was read from, for readers that say so.
  std::optional<SourceRange> source_range(NodeId id) const;

 private:
  friend class ArenaView;  // for readers inside the library that go by the table
  friend class Builder;
  friend class Node;
  friend class NodeMap;
  struct Storage;
  explicit Module(std::unique_ptr<Storage> storage);
  /// After a change to the storage's kinds.
  void refresh_kinds();

  std::unique_ptr<Storage> storage_;
  // The storage's kinds by node id, within reach of inline code.
  const Kind* kinds_ = nullptr;
  std::uint32_t size_ = 0;
};

/// A function of an IRModule.
struct NamedFunction {
  std::string_view name;    ///< of its GlobalVar
  std::string_view symbol;  ///< its attribute `global_symbol`; the name where it has none
  Node key;                 ///< the GlobalVar
  Node function;
};

/// The functions of `module` in its order; none where its root is no IRModule.
MLF_API std::vector<NamedFunction> functions_of(const Module& module);

/// Those of `functions_of` that are a PrimFunc.
MLF_API std::vector<NamedFunction> prim_functions_of(const Module& module);

inline Kind Node::kind() const {
  // An id that is not `none` has a module: see the constructors.
  if (id_ == NodeId::none) detail::misuse("it is undefined");
  if (index(id_) >= module_->size_) detail::misuse("its module has no such id");
  return module_->kinds_[index(id_)];
}

}  // namespace mlf::tir
