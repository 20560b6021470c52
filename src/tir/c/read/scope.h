// Names of one function, and the buffers on its pointers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "support/name_map.h"
#include "tir/interval.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir::c {

/// What a name means.
struct Binding {
  enum class Kind : std::uint8_t {
    variable,       ///< `node` is the Var
    temporary,      ///< `node` is the expression it holds
    pending,        ///< a `condval` whose branches have not been read yet
    stack_storage,  ///< `TVMValue stack[4];`
    result,         ///< where a packed call leaves its result, or the type of it
    constant,       ///< an array at the top level of the file; `node` is the Var
  };
  Kind kind = Kind::variable;
  DType pointee{};  ///< elements of a typed pointer or array; void: not known
  NodeId node = NodeId::none;
};

/// Names are unique in a function: there is no shadowing in generated C.
class Names {
 public:
  const Binding* find(std::string_view name) const {
    const auto found = bindings_.find(name);
    return found == bindings_.end() ? nullptr : &found->second;
  }
  /// False where the name is taken, or no name for a variable. A `condval` is bound a second time
  /// when its value is known.
  bool bind(std::string_view name, const Binding& binding);
  /// Removes a name whose declaration turned out not to be understood.
  void forget(std::string_view name) { bindings_.erase(name); }

 private:
  support::NameMap<std::string_view, Binding> bindings_;
};

/// One flat Buffer for every pair of data pointer and element type.
class Buffers {
 public:
  explicit Buffers(text::ExprFactory& make) : make_(&make) {}

  /// The buffer that `var` is accessed through, for an index of this range.
  NodeId access(NodeId var, DType element, const std::optional<Interval>& index);
  /// The same without an access.
  NodeId of(NodeId var, DType element);
  /// Another pointer is set into the memory of `var`, or `var` is a pool of an unknown size: what
  /// is reached there is not known here.
  void set_into(NodeId var) { unbounded_.insert(var); }
  /// Bytes behind a pointer, from its declaration.
  void set_bytes(NodeId var, std::int64_t bytes) { bytes_[var] = bytes; }
  /// The same, unless a declaration says it.
  void suggest_bytes(NodeId var, std::int64_t bytes) { bytes_.try_emplace(var, bytes); }
  /// A pointer has no more bytes behind it than these: indices under a condition may go further.
  void limit_bytes(NodeId var, std::int64_t bytes);
  /// Bytes that a declaration states; nothing where none does.
  std::optional<std::int64_t> declared_bytes(NodeId var) const;
  /// Bytes that are declared, or that all uses together reach, behind a pointer. Nothing where it
  /// is never used, or where a use may reach anything.
  std::optional<std::int64_t> bytes_of(NodeId var) const;
  /// Names the buffers on this pointer, which have its own name otherwise.
  void rename(NodeId var, std::string_view name);

  /// The element type of the first buffer on `var`; nothing where it was never used.
  std::optional<DType> element_of(NodeId var) const;
  /// Gives every buffer its extent.
  void settle();

 private:
  struct Use {
    NodeId var;
    DType element;
    NodeId buffer;
    std::int64_t extent = 0;  ///< one above the highest index seen
  };
  Use& use(NodeId var, DType element);
  NodeId extent_of(const Use& use);
  std::vector<std::size_t> uses_of(NodeId var) const;
  std::int64_t bytes_used(const Use& use) const;

  text::ExprFactory* make_;
  std::vector<Use> uses_;
  std::map<std::pair<NodeId, std::uint32_t>, std::size_t> by_var_;
  std::map<NodeId, std::int64_t> bytes_;
  std::map<NodeId, std::int64_t> most_;
  std::set<NodeId> unbounded_;  ///< pointers with an access of which no bound is known
};

}  // namespace mlf::tir::c
