// The shared state of the TVMScript reader for one text (names, the metadata section, constant
// pools), and its expressions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"
#include "support/name_map.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"
#include "tir/text/expression_parser.h"
#include "tir/text/op_table.h"
#include "tir/text/reader_context.h"
#include "tir/tvmscript/dialects.h"
#include "tir/tvmscript/forms.h"

namespace mlf::tir::tvmscript {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;
using text::UndefinedName;
using text::Value;
using text::ValueKind;

/// The word before the dot of a builtin; users may choose another.
struct Prefixes {
  std::string_view ir = "I";
  std::string_view tir = "T";
  std::string_view relax = "R";
};

// --- Names -------------------------------------------------------------------------------------

/// Reads a comment such as `# from tvm.script import tir as T`, and ignores others. Returns false
/// if it imports `tirx`, the language of v0.24 and later.
bool read_import(std::string_view comment, Prefixes& prefixes);

/// The part of `path` after the prefix and the dot; empty if it begins in another way.
std::string_view after_prefix(std::string_view path, std::string_view prefix);

/// Whether a comment is the `# with T.block("root"):` of an implied root block.
bool is_root_block(std::string_view comment);

class PoolObjects {
 public:
  explicit PoolObjects(Builder& builder) : builder_(builder) {}

  /// The ConstantInfo with these fields; the same one for each mention.
  NodeId constant(std::string_view name, NodeId offset, NodeId data);

  /// The ConstantPoolInfo with these constants; the same one for each mention. The text contains
  /// nothing else of it.
  NodeId pool(std::vector<NodeId> constants);

  /// Gives each pool the name of the function parameter that is this pool, below the IRModule
  /// `root`. A pool without a parameter is a loss.
  void name_pools(NodeId root, LossLog& losses);

 private:
  Builder& builder_;
  std::map<std::tuple<std::string, std::int64_t, NodeId>, NodeId> constants_;
  std::map<std::vector<NodeId>, NodeId> pools_;
};

/// The meanings of a name after the prefix T in a call. All are empty for an unknown name.
struct Callee {
  const Form* form = nullptr;
  const text::OpInfo* op = nullptr;
  std::optional<DType> dtype{};
};

/// A call of a function of the module, whose return type may come later in the text.
struct FunctionCall {
  NodeId call;
  NodeId callee;
};

/// The object that an allocation names: in v0.9 a buffer, in every other version the pointer. The
/// name is bound to the pointer; the buffer is made at its use.
struct Allocation {
  Kind statement;  ///< Allocate or AllocateConst
  DType dtype;
  std::vector<NodeId> extents;
  NodeId buffer = NodeId::none;
};

/// The variable of a thread that the text declares later.
struct ThreadAhead {
  NodeId var;
  std::uint32_t offset;  ///< place of the name
};

struct FunctionState;

struct Context final : text::ReaderContext {
  Context(const support::SourceText& text_source, const Rules& dialect,
          const ReadLimits& read_limits, const ConstantFinder& constants)
      : ReaderContext(text_source, *dialect.grammar, read_limits, constants,
                      {dialect.first_version, dialect.last_version, {}}),
        rules(dialect) {}

  const Rules& rules;
  FunctionState* fn = nullptr;  ///< of the function that is being read
  PoolObjects pool_objects{builder};
  Prefixes prefixes;
  /// By name: variables that `T.iter_var` has named before their T.env_thread.
  std::map<std::string_view, ThreadAhead> threads_ahead;
  std::string_view module_name = "Module";
  support::NameMap<std::string_view, Callee> callees;  // by the name after T
  std::vector<FunctionCall> function_calls;
  std::unordered_map<NodeId, Allocation> allocations;  // by pointer
  std::unordered_set<NodeId> python_numbers;           // expressions that TVM does not have before
                                                       // their use

  /// `dtype` is the string with the element type of a Var or a Buffer.
  void note_dtype_word(NodeId id, const Value& dtype);
};

// --- Lowering of expressions: their syntax becomes a value, and the place of the value decides
// between a node, a number and a word: expressions.cpp

/// The value of a parsed expression. Visits the syntax below `root` once; values are valid until
/// Values::clear.
Value lower(Context& c, SyntaxId root);
/// Parses and lowers the expression at the lexer's token.
Value read_value(Context& c);

/// Skips a lambda, whose body waits until the call around it is lowered; returns its last node.
SyntaxId skip_lambda(Context& c, SyntaxId params);

// --- Calls: expressions.cpp --------------------------------------------------------------------

/// The node of a call.
NodeId read_call(Context& c, const Value& callee, const Arguments& args);

// --- Calls that are statements or parts of them, before they are lowered -----------------------

/// Lowers the arguments of the call that `root` is.
Arguments arguments_of(Context& c, SyntaxId root);
/// The same, not yet lowered.
std::vector<SyntaxId> argument_syntax(Context& c, SyntaxId root);
/// The function that `root` calls, without the prefix T or I; empty if it is not such a call.
std::string_view tir_callee(Context& c, SyntaxId root);
std::string_view ir_callee(Context& c, SyntaxId root);
/// The same for `T.Buffer[…]`, which before v0.12 has the meaning of `T.Buffer(…)` since then.
std::string_view tir_generic(Context& c, SyntaxId root);
/// Fails at `offset`: `sign` shows that the text is in TVMScript of v0.24 or later, in which the
/// same words have other meanings (`x: T.int32 = e` is storage, not a let).
[[noreturn]] void refuse_later(const Context& c, std::size_t offset, std::string_view sign);

/// Adds the operands in an expression that are unbound names.
void add_unknown_names(Context& c, SyntaxId root, std::set<std::string_view>& names);

// --- Conversions of values, which fail for values of another form: conversions.cpp -------------

NodeId as_expr(Context& c, const Value& value);
/// A bare literal gets `dtype`; anything else keeps its own.
NodeId as_expr_of(Context& c, const Value& value, DType dtype);
NodeId as_optional_expr(Context& c, const std::optional<Value>& value);
/// A condition, which may be left out: it is true then.
NodeId as_condition(Context& c, const std::optional<Value>& value);
std::vector<NodeId> each(Context& c, const std::vector<Value>& values,
                         NodeId (*as)(Context&, const Value&));
/// Converts each element of a list or tuple; any other value is the only element.
inline std::vector<NodeId> each(Context& c, const Value& list,
                                NodeId (*as)(Context&, const Value&)) {
  return each(c, c.values.elements(list), as);
}
inline std::vector<NodeId> as_exprs(Context& c, const Value& list) {
  return each(c, list, as_expr);
}
NodeId as_var(Context& c, const Value& value);
NodeId as_type(Context& c, const Value& value);
/// A type, or the type of a data type in quotes.
NodeId as_stated_type(Context& c, const Value& value);
/// A number of lanes: a constant, or since v0.16 a multiple of vscale.
NodeId as_lanes(Context& c, const Value& value);
/// The callee of a call: `"tir.exp"`, `Module.f`, an Op or a GlobalVar.
NodeId as_callee(Context& c, const Value& value);

std::int64_t as_integer(Context& c, const Value& value);
double as_real(Context& c, const Value& value);
bool as_boolean(Context& c, const Value& value);
DType as_dtype(Context& c, const Value& value);
std::string_view as_string(Context& c, const Value& value);

/// The dtype in the name of a function after T.
std::optional<DType> script_dtype(std::string_view name);

bool is_literal(const Context& c, const Value& value);
[[noreturn]] void fail_expected(Context& c, const Value& value, std::string_view wanted);

// --- Operators: operators.cpp ------------------------------------------------------------------

/// The node of a binary operator, with unchanged operands.
NodeId construct_binary(Context& c, Kind kind, const Value& a, const Value& b);
/// The result of an operator or its function: computes two bare numbers, and matches dtypes.
NodeId make_binary(Context& c, Kind kind, const Value& a, const Value& b);
/// The result of TVM's own operator: computes constants, and omits neutral operands.
NodeId folded_binary(Context& c, Kind kind, NodeId a, NodeId b);
/// The call for an operator on bits.
NodeId make_bitwise(Context& c, std::string_view function, const Value& a, const Value& b);
/// The value with `dtype`: a constant stays one.
NodeId make_cast(Context& c, DType dtype, NodeId value);

// --- Subscripts and members: loads, regions, parts of buffers ----------------------------------

/// Replaces the value before the dot, on top of the stack, by that of the whole `A.data`.
void lower_attribute(Context& c, SyntaxId id);
/// Replaces the values of `A[i, j]` by that of the whole.
void lower_subscript(Context& c, SyntaxId id);
/// Converts the accesses among the items of a value to loads.
void load_items(Context& c, const Value& list);

NodeId as_buffer(Context& c, const Value& value);
/// Indices of a load or a store; slices become Ramps.
std::vector<NodeId> as_indices(Context& c, const Value& access);
/// A BufferRegion; a plain buffer is the whole region.
NodeId as_region(Context& c, const Value& value);
NodeId as_range(Context& c, const Value& value);
inline std::vector<NodeId> as_ranges(Context& c, const Value& access) {
  return each(c, c.values.items(access), as_range);
}
/// The Range from `first` to `last`, without `last`.
NodeId range_to(Context& c, const Value& first, const Value& last);
/// The te.Tensor that is accessed.
NodeId as_producer(Context& c, const Value& access);

/// Whether a node is the data of a constant, to which `.numpy()` may be applied.
bool is_array(Context& c, NodeId node);

// --- Values of attributes and annotations, in which strings are strings and lists are arrays ---

NodeId as_attribute(Context& c, const Value& value);
/// The entries of a dictionary with string keys.
std::vector<NamedNode> as_attribute_map(Context& c, const Value& dict);
/// Adds them to those of earlier dictionaries, whose names are `names`.
void add_attributes(Context& c, const Value& dict, std::vector<NamedNode>& to, EntryNames& names);

// --- Types by name -----------------------------------------------------------------------------

/// `T.int32`, `T.handle`, `T.void`, `T.Ptr[global T.float32]`; none for any other path.
NodeId type_of_path(Context& c, std::string_view path);
/// `T.Ptr[T.float32, "global"]` and `T.Tuple[T.int32, T.int8]`; none for any other name.
NodeId generic_type(Context& c, const Value& name, const Value& arguments);

}  // namespace mlf::tir::tvmscript
