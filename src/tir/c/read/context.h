// What the parts of the reader share while they work on one module, and on one function of it.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/c/read/operators.h"
#include "tir/c/read/tokens.h"
#include "tir/c/versions.h"
#include "tir/interval.h"
#include "tir/places.h"
#include "tir/text/expr_factory.h"
#include "tir/text/losses.h"
#include "tir/tvm_features.h"

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
  const Binding* find(std::string_view name) const { return support::find_value(bindings_, name); }
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

/// A constant array at the top level of a file.
struct ConstantArray {
  std::string_view name;
  DType element{};
  std::uint64_t count = 0;
  NodeId data = NodeId::none;  ///< NDArray
};

/// One constant inside of a pool.
struct PoolMember {
  std::string_view name;
  DType element{};
  std::uint64_t count = 0;
  std::int64_t offset = 0;     ///< bytes from the beginning of the pool
  NodeId data = NodeId::none;  ///< NDArray
};

/// Memory that the planner laid out: constants, or workspace where there are no members.
struct Pool {
  std::string_view name{};
  std::int64_t bytes = 0;
  bool is_constant = false;
  std::optional<Place> size_place{};  ///< of the digits of `bytes`, where a file spells it
  std::vector<PoolMember> members{};
  NodeId info = NodeId::none;  ///< ConstantPoolInfo or WorkspacePoolInfo
};

/// The type of a tensor parameter as something outside of its function states it.
struct TensorType {
  DType dtype{};
  std::vector<std::int64_t> shape;
};

/// `kTvmgenMetadata…`, kept for TVM's C++ runtime: what main takes first and gives back next.
struct CMetadata {
  std::string module;  ///< prefix of the module's symbols: "tvmgen_default"
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
};

/// What the files of a module say outside of function bodies.
struct ModuleFacts {
  std::vector<ConstantArray> arrays;  ///< in the order of the text
  support::NameMap<std::string_view, std::size_t> array_by_name;
  std::vector<Pool> pools;
  std::vector<CMetadata> metadata;
  support::NameMap<std::string_view, DType> results;  ///< of functions, from prototypes
};

struct ModuleContext {
  Builder builder;
  LossLog losses;
  text::ExprFactory make{builder, losses};
  VersionInference versions;
  ModuleFacts facts;
  /// The file that source ranges refer to: the first one with functions.
  const support::SourceText* primary = nullptr;
  std::uint32_t file = 0;    ///< the one that is being read, as an index into CSources::files
  Places* places = nullptr;  ///< null where they are not needed

  void note_place(NodeId id, std::uint32_t begin, std::uint32_t end) {
    if (places != nullptr) places->add(id, {file, {begin, end}});
  }
  void note_load(NodeId id, std::uint32_t begin, std::uint32_t end) {
    if (places != nullptr) places->add_load(id, {file, {begin, end}});
  }
  void note_parameter(NodeId variable, std::uint32_t name) {
    if (places != nullptr) places->add_parameter(variable, {file, {name, name}});
  }
  void note_constant(const DeclaredConstant& declared) {
    if (places != nullptr) places->add_constant(declared);
  }
  /// `id` is the number `of` in another type.
  void copy_place(NodeId of, NodeId id) {
    const Place* const place = places == nullptr ? nullptr : places->find(of);
    if (place != nullptr) places->add(id, Place(*place));
  }
};

/// A call of another function and what it passes.
struct CallSite {
  std::string_view callee;
  std::vector<NodeId> args;  ///< pointers, other expressions, or tvm_stack_make_array
};

/// The state of one function; thrown away where the function turns out to be opaque.
struct FunctionContext {
  FunctionContext(ModuleContext& module_context, LossLog& log, support::SourceText& text,
                  std::vector<Token> tokens)
      : module(module_context),
        source(text),
        losses(log),
        operators(module_context.make, losses),
        buffers(module_context.make),
        cursor(text, std::move(tokens)) {}

  /// Names what is declared before the cursor.
  /// @throws support::Error where the name is taken, or a word of C
  void define(std::string_view name, const Binding& binding) {
    if (!names.bind(name, binding)) {
      cursor.fail(fmt::format("'{}' cannot be the name of another variable", name));
    }
  }

  text::ExprFactory& make() { return module.make; }
  Builder& builder() { return module.builder; }

  ModuleContext& module;
  support::SourceText& source;  ///< its lines are counted on where reading goes on after an error
  text::FunctionLosses losses;
  Operators operators;
  Names names;
  Buffers buffers;
  Cursor cursor;
  Ternary ternary = Ternary::if_then_else;
  std::vector<std::size_t> constants;  ///< arrays that the body uses
  /// Shapes and strides of tensor parameters: only symbolic ones are read from them.
  std::vector<NodeId> dimension_pointers;
  std::vector<CallSite> calls;    ///< with a result that is checked, or packed
  std::vector<Loss> text_losses;  ///< of statements that keep their text
  bool is_understood = true;      ///< none of them may do anything to what the function computes
};

}  // namespace mlf::tir::c
