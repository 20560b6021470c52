// The shared state of the reader's parts: of one module, and of one of its functions.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/c/language.h"
#include "tir/c/read/file_items.h"
#include "tir/c/read/tokens.h"
#include "tir/interval.h"
#include "tir/places.h"
#include "tir/text/expr_factory.h"
#include "tir/text/losses.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {

// --- Operators of C: their IR, with the changes of TVM's host passes reversed -------------------

struct Fact {
  std::optional<Interval> range;  ///< the values of an integer, if they follow from loops
  bool loads = false;             ///< whether it contains a load
};

/// Facts by node id, for nodes made after this object.
class Facts {
 public:
  explicit Facts(std::uint32_t first) : first_(first) {}

  Fact of(NodeId id) const {
    const std::size_t at = index(id) - std::size_t{first_};
    return index(id) >= first_ && at < facts_.size() ? facts_[at] : Fact();
  }
  void set(NodeId id, const Fact& fact) {
    if (index(id) < first_) return;
    const std::size_t at = index(id) - first_;
    if (at >= facts_.size()) facts_.resize(at + 1);
    facts_[at] = fact;
  }

 private:
  std::uint32_t first_;
  std::vector<Fact> facts_;
};

class Operators {
 public:
  Operators(text::ExprFactory& make, text::FunctionLosses& losses)
      : make_(&make), losses_(&losses), facts_(make.builder().size()) {}

  NodeId binary(const BinaryOperator& op, NodeId a, NodeId b);
  NodeId min_max(Kind kind, NodeId a, NodeId b);
  NodeId cast(DType dtype, NodeId value);
  NodeId logical_not(NodeId value) {
    return with_facts(make_->logical_not(value), std::array{value});
  }
  NodeId call(std::string_view op, DType dtype, std::span<const NodeId> args) {
    return with_facts(make_->call(make_->op(op), args, dtype), args);
  }
  /// `condition ? a : b`, or the floor division that it computes.
  NodeId choice(Ternary ternary, NodeId condition, NodeId true_value, NodeId false_value);
  NodeId select(NodeId condition, NodeId true_value, NodeId false_value) {
    const std::array parts = {condition, true_value, false_value};
    return with_facts(make_->select(condition, true_value, false_value), parts);
  }
  NodeId if_then_else(NodeId condition, NodeId true_value, NodeId false_value);
  NodeId load(NodeId buffer, NodeId index) {
    const NodeId made = make_->buffer_load(buffer, std::array{index});
    facts_.set(made, {std::nullopt, true});
    return made;
  }
  NodeId integer(DType dtype, std::int64_t value) {
    const NodeId made = make_->int_imm(dtype, value);
    facts_.set(made, {Interval{value, value}, false});
    return made;
  }
  /// NULL is a zero that is read as a pointer.
  NodeId null_handle() {
    const std::array zero = {make_->int_imm(DType::UInt(64), 0)};
    return call("tir.reinterpret", DType::Handle(), zero);
  }
  /// A variable with the values in this range.
  void limit(NodeId var, const std::optional<Interval>& range) { facts_.set(var, {range, false}); }

  const Facts& facts() const { return facts_; }
  text::ExprFactory& make() { return *make_; }

 private:
  Node node(NodeId id) const { return make_->builder().node(id); }
  bool loads(NodeId a, NodeId b) const { return facts_.of(a).loads || facts_.of(b).loads; }
  // A node loads if one of its operands does; only arithmetic has known ranges.
  NodeId with_facts(NodeId made, std::span<const NodeId> parts) {
    bool any_loads = false;
    for (const NodeId part : parts) any_loads |= facts_.of(part).loads;
    if (any_loads) facts_.set(made, {std::nullopt, true});
    return made;
  }
  NodeId arithmetic(Kind kind, NodeId a, NodeId b);
  NodeId comparison(Kind kind, NodeId a, NodeId b);
  NodeId addition(NodeId a, NodeId b);
  NodeId floor_of(NodeId value, Kind truncating, Kind floor);
  NodeId shift_right(NodeId a, NodeId b);
  NodeId bitwise_and(NodeId a, NodeId b);
  void note_form() { losses_->add(LossCode::expr_form); }

  text::ExprFactory* make_;
  text::FunctionLosses* losses_;
  Facts facts_;
};

// --- Names and memory ---------------------------------------------------------------------------

enum class BindingKind : std::uint8_t {
  variable,       ///< `node` is the Var
  temporary,      ///< `node` is the value
  pending,        ///< a `condval` whose branches have not been read yet
  stack_storage,  ///< `TVMValue stack[4];`
  result,         ///< the result of a packed call, or its type
  constant,       ///< an array at the top level of the file; `node` is the Var
  ended,          ///< of a block before
};

/// What a name means.
struct Binding {
  BindingKind kind = BindingKind::variable;
  DType pointee{};  ///< elements of a typed pointer or array; void: unknown
  NodeId node = NodeId::none;
};

/// The names of a function. Generated C does not shadow names, so they are unique.
class Names {
 public:
  const Binding* find(std::string_view name) const { return support::find_value(bindings_, name); }
  /// Returns false if the name is taken or is not valid for a variable. A `condval` is bound again
  /// when its value is known; people use a name again behind the block that it is from.
  bool bind(std::string_view name, const Binding& binding) {
    const auto reserved = reserved_words();
    const bool is_word = std::ranges::find(reserved, name) != reserved.end() || scalar_type(name);
    if (is_word) return false;
    const auto [found, is_new] = bindings_.try_emplace(name, binding);
    const bool is_free = is_new || found->second.kind == BindingKind::ended;
    if (!is_free && found->second.kind != BindingKind::pending) return false;
    found->second = binding;
    if (is_free && binding.kind != BindingKind::constant) bound_.push_back(name);
    return true;
  }

  /// Removes a name whose declaration was not understood.
  void forget(std::string_view name) { bindings_.erase(name); }
  /// The number of names that were bound, but for constants, in blocks that are open.
  std::size_t count() const { return bound_.size(); }
  /// Ends the names from this number on: outside of their block, they are other variables.
  void end_scope(std::size_t first) {
    for (; bound_.size() > first; bound_.pop_back()) {
      const auto found = bindings_.find(bound_.back());
      if (found != bindings_.end())
        found->second = {BindingKind::ended, DType::Void(), NodeId::none};
    }
  }

 private:
  support::NameMap<std::string_view, Binding> bindings_;
  std::vector<std::string_view> bound_;
};

/// One Buffer of one dimension for every pair of data pointer and element type.
class Buffers {
 public:
  explicit Buffers(text::ExprFactory& make) : make_(&make) {}

  /// The buffer through which `var` is accessed, for an index in this range.
  NodeId access(NodeId var, DType element, const std::optional<Interval>& index) {
    Use& used = use(var, element);
    index ? static_cast<void>(used.extent = std::max(used.extent, index->high + 1)) : set_into(var);
    return used.buffer;
  }

  /// The same without an access.
  NodeId of(NodeId var, DType element) { return use(var, element).buffer; }

  /// Another pointer points into the memory of `var`, or `var` is a pool of unknown size: its
  /// accesses are unknown here.
  void set_into(NodeId var) { unbounded_.insert(var); }
  /// States the bytes of a pointer, from its declaration.
  void set_bytes(NodeId var, std::int64_t bytes) { bytes_[var] = bytes; }
  /// The same, unless a declaration states it.
  void suggest_bytes(NodeId var, std::int64_t bytes) { bytes_.try_emplace(var, bytes); }
  /// A pointer has at most this many bytes: indices under a condition may exceed them.
  void limit_bytes(NodeId var, std::int64_t bytes) {
    const auto [found, is_new] = most_.try_emplace(var, bytes);
    if (!is_new) found->second = std::min(found->second, bytes);
  }

  /// The bytes that a declaration states; nullopt if none does.
  std::optional<std::int64_t> declared_bytes(NodeId var) const {
    return support::value_at(bytes_, var);
  }

  /// The declared bytes of a pointer, or those that all uses together reach. Returns nullopt if
  /// there is no use, or if a use has no known bound.
  std::optional<std::int64_t> bytes_of(NodeId var) const {
    if (const auto known = declared_bytes(var)) return known;
    if (unbounded_.contains(var)) return std::nullopt;
    std::int64_t most = 0;
    for (const std::size_t use : uses_of(var)) most = std::max(most, bytes_used(uses_[use]));
    return most > 0 ? std::optional(most) : std::nullopt;
  }

  /// Names the buffers on this pointer; by default they have its name.
  void rename(NodeId var, std::string_view name) {
    for (const std::size_t use : uses_of(var)) {
      make_->builder().set(uses_[use].buffer, f::Buffer::name, make_->builder().string(name));
    }
  }

  /// The element type of the first buffer on `var`; nullopt if there is none.
  std::optional<DType> element_of(NodeId var) const {
    const auto found = by_var_.lower_bound({var, 0});
    if (found == by_var_.end() || found->first.first != var) return std::nullopt;
    return uses_[found->second].element;
  }

  /// Sets the extents of all buffers.
  void settle() {
    for (const Use& used : uses_) {
      const std::array shape = {extent_of(used)};
      make_->builder().set(used.buffer, f::Buffer::shape, make_->builder().list(shape));
    }
  }

 private:
  // The memory planner names the pointer into a pool after the buffer.
  static constexpr std::string_view kPoolSlot = "_let";

  struct Use {
    NodeId var;
    DType element;
    NodeId buffer;
    std::int64_t extent = 0;  ///< one more than the highest index
  };
  /// `settle` sets its extent at the end.
  Use& use(NodeId var, DType element) {
    // After storage rewriting, an array may be read with several types: each gets a buffer.
    const auto [found, is_new] = by_var_.try_emplace({var, element.packed()}, uses_.size());
    if (!is_new) return uses_[found->second];
    // A new name may move the table of strings.
    std::string name(make_->builder().node(var).text(f::Var::name));
    if (name.ends_with(kPoolSlot)) name.resize(name.size() - kPoolSlot.size());
    const NodeId buffer =
        make_->buffer({.name = name, .data = var, .dtype = element, .shape = {make_->int32(0)}});
    uses_.push_back({var, element, buffer});
    return uses_.back();
  }

  /// In elements, rounded up: elements of another type may end inside one of these. An unknown
  /// extent becomes a variable.
  NodeId extent_of(const Use& use) {
    const auto bytes = bytes_of(use.var);
    if (!bytes) {
      const std::string name(make_->builder().node(use.buffer).text(f::Buffer::name));
      return make_->var(name + "_extent", make_->prim_type(DType::Int(32)));
    }
    const auto size =
        static_cast<std::int64_t>(std::max<std::size_t>(use.element.element_bytes(), 1));
    const std::int64_t extent = *bytes / size + (*bytes % size != 0 ? 1 : 0);
    return make_->integer(extent);
  }

  /// Few: one for each element type.
  std::vector<std::size_t> uses_of(NodeId var) const {
    std::vector<std::size_t> uses;
    for (auto use = by_var_.lower_bound({var, 0}); use != by_var_.end() && use->first.first == var;
         ++use) {
      uses.push_back(use->second);
    }
    return uses;
  }

  /// Up to the highest index, but within the available bytes.
  std::int64_t bytes_used(const Use& use) const {
    const auto size = static_cast<std::int64_t>(use.element.element_bytes());
    const auto most = most_.find(use.var);
    const std::int64_t used = use.extent * size;
    return most == most_.end() ? used : std::min(used, most->second);
  }

  text::ExprFactory* make_;
  std::vector<Use> uses_;
  std::map<std::pair<NodeId, std::uint32_t>, std::size_t> by_var_;
  std::map<NodeId, std::int64_t> bytes_;
  std::map<NodeId, std::int64_t> most_;
  std::set<NodeId> unbounded_;  ///< pointers with an access without a known bound
};

/// A constant array at the top level of a file, or in a pool.
struct ConstantArray {
  std::string_view name;
  DType element{};
  std::uint64_t count = 0;
  NodeId data = NodeId::none;  ///< NDArray
  std::uint32_t file = 0;      ///< that defines it
  std::int64_t offset = 0;     ///< bytes from the beginning of its pool
};

/// A memory region of the planner: constants, or a workspace if there are no members.
struct Pool {
  std::string_view name{};
  std::int64_t bytes = 0;
  std::int64_t padding = 0;  ///< of the struct, behind the last constant
  bool is_writable = false;  ///< constants that are not `const`
  std::string section{};     ///< of constants; empty: not stated
  bool is_constant = false;
  Bytes size{};                              ///< the expression between the brackets of an array
  std::optional<Place> size_place{};         ///< of the digits of `bytes`, if a file contains them
  std::optional<std::uint64_t> alignment{};  ///< that an attribute of a workspace states
  std::vector<ConstantArray> members{};
  NodeId info = NodeId::none;  ///< ConstantPoolInfo or WorkspacePoolInfo
};

/// `kTvmgenMetadata…` for TVM's C++ runtime: main's inputs come first, then its outputs.
struct CMetadata {
  std::string module;  ///< prefix of the module's symbols: "tvmgen_default"
  std::vector<CTensor> inputs;
  std::vector<CTensor> outputs;
};

/// What the files of a module contain outside of function bodies.
struct ModuleFacts {
  std::vector<ConstantArray> arrays;                              ///< in the order of the text
  support::NameMap<std::string_view, std::size_t> array_by_name;  ///< in the current file
  std::vector<Pool> pools;
  std::vector<CMetadata> metadata;
  support::NameMap<std::string_view, DType> results;  ///< of functions, from prototypes
  support::NameSet<std::string_view> own_functions;   ///< that the files define beside those of TIR
};

struct ModuleContext {
  Builder builder;
  LossLog losses;
  text::ExprFactory make{builder, losses};
  VersionInference versions;
  ModuleFacts facts;
  /// The file that source ranges refer to: the first file with functions.
  const support::SourceText* primary = nullptr;
  std::uint32_t file = 0;    ///< the current file, as an index into CSources::files
  Places* places = nullptr;  ///< null if places are not needed

  void note_place(NodeId id, std::uint32_t begin, std::uint32_t end) {
    if (places != nullptr) places->add(id, {file, {begin, end}});
  }
  void note_load(NodeId id, std::uint32_t begin, std::uint32_t end) {
    if (places != nullptr) places->loads.push_back({id, {file, {begin, end}}});
  }
  void note_parameter(NodeId variable, std::uint32_t name) {
    if (places != nullptr) places->parameters.emplace(variable, Place{file, {name, name}});
  }
  void note_constant(const DeclaredConstant& declared) {
    if (places != nullptr) places->constants.push_back(declared);
  }
  /// `id` is the number `of` in another type.
  void copy_place(NodeId of, NodeId id) {
    const Place* const place = places == nullptr ? nullptr : places->find(of);
    if (place != nullptr) places->add(id, Place(*place));
  }
};

/// A call of another function, and its arguments.
struct CallSite {
  std::string_view callee;
  std::vector<NodeId> args;  ///< pointers, other expressions, or tvm_stack_make_array
};

/// The state of one function; discarded if the function becomes opaque.
struct FunctionContext {
  FunctionContext(ModuleContext& module_context, LossLog& log, support::SourceText& text,
                  std::vector<Token> tokens)
      : module(module_context),
        source(text),
        losses(log),
        operators(module_context.make, losses),
        buffers(module_context.make),
        cursor(text, std::move(tokens)) {}

  /// Sets the names declared before the cursor. @throws support::Error for a name that is taken or
  /// a keyword of C
  void define(std::string_view name, const Binding& binding) {
    if (!names.bind(name, binding)) {
      cursor.fail(fmt::format("'{}' cannot be the name of another variable", name));
    }
  }

  text::ExprFactory& make() { return module.make; }
  Builder& builder() { return module.builder; }

  ModuleContext& module;
  support::SourceText& source;  ///< counts lines on if reading continues after an error
  text::FunctionLosses losses;
  Operators operators;
  Names names;
  Buffers buffers;
  Cursor cursor;
  Ternary ternary = Ternary::if_then_else;
  std::vector<std::size_t> constants;  ///< arrays that the body uses
  /// Shapes and strides of tensor parameters: only symbolic ones are read from them.
  std::vector<NodeId> dimension_pointers;
  std::vector<CallSite> calls;    ///< with a checked result, or packed
  std::vector<Loss> text_losses;  ///< of statements that keep their text
  bool is_understood = true;      ///< whether none of them can affect the function's result
};

}  // namespace mlf::tir::c
