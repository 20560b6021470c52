// Expressions of TVMScript: from source to syntax, from syntax to values, from values to IR.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tir/text/expression_parser.h"
#include "tir/text/op_table.h"
#include "tir/tvmscript/arguments.h"
#include "tir/tvmscript/context.h"
#include "tir/tvmscript/value.h"

namespace mlf::tir::tvmscript {

class Expressions {
 public:
  Expressions(Context& context, text::Lexer& lexer);

  /// Forgets the syntax and the values of the last statement.
  void clear();
  text::SyntaxId parse() { return parser_.parse(); }
  const text::Syntax& syntax(text::SyntaxId id) const { return tree_[id]; }
  /// Runs once over the syntax below `root`. Values hold until `clear`.
  Value lower(text::SyntaxId root);
  /// Parses and lowers the expression that the lexer stands on.
  Value read() { return lower(parse()); }

  /// Arguments of the call that `root` is.
  Arguments arguments(text::SyntaxId root);
  /// The same, not lowered yet.
  std::vector<text::SyntaxId> argument_syntax(text::SyntaxId root);
  /// The function that `root` calls, without the prefix T; empty where it is no such call.
  std::string_view tir_callee(text::SyntaxId root);
  /// Adds the operands in an expression that are names of nothing.
  void add_unknown_names(text::SyntaxId root, std::set<std::string_view>& names) const;
  std::string_view ir_callee(text::SyntaxId root);
  /// The same for `T.Buffer[…]`, which before v0.12 stood for `T.Buffer(…)`.
  std::string_view tir_generic(text::SyntaxId root);

  // --- What a value is wanted for ----------------------------------------------------------------
  NodeId expr(const Value& value);
  /// A bare literal takes `dtype`; anything else is what it is.
  NodeId expr_as(const Value& value, DType dtype);
  NodeId expr_or_none(const std::optional<Value>& value);
  NodeId var(const Value& value);
  NodeId buffer(const Value& value);
  NodeId type(const Value& value);
  /// A BufferRegion; a plain buffer is the whole of it.
  NodeId region(const Value& value);
  std::vector<NodeId> ranges(const Value& access);
  NodeId range(const Value& value);
  NodeId producer(const Value& access);
  /// Indices of a load or a store; slices become Ramps.
  std::vector<NodeId> indices(const Value& access);
  std::vector<NodeId> exprs(const Value& list);
  /// The value of an attribute or annotation: strings and lists are no expressions here.
  NodeId attribute(const Value& value);
  std::vector<NamedNode> attribute_map(const Value& dict);
  std::int64_t integer(const Value& value);
  double real(const Value& value);
  bool boolean(const Value& value);
  DType dtype(const Value& value);
  std::string_view string(const Value& value);
  /// The value inside `name=value`.
  const Value& keyword_value(const Value& value) const { return items_[value.first]; }
  std::string_view name(const Value& value) const;

  const Value& item(const Value& value, std::size_t i) const { return items_[value.first + i]; }
  /// Elements of a list or tuple; any other value is the only element.
  std::vector<Value> elements(const Value& value) const;
  std::string_view text(const Value& value) const;
  std::uint32_t begin(const Value& value) const { return tree_[value.syntax].begin; }
  [[noreturn]] void fail(const Value& value, std::string message) const;
  [[noreturn]] void fail_expected(const Value& value, std::string_view wanted) const;

  Context& context() { return c_; }

 private:
  friend class Arguments;
  using CallForm = NodeId (Expressions::*)(const Arguments&);
  /// What a name after a prefix stands for in an expression.
  struct Callee {
    CallForm form = nullptr;
    const text::OpInfo* op = nullptr;
    Kind binary = Kind::Add;
    std::optional<DType> dtype{};
  };

  // The loop over the syntax.
  text::SyntaxId step(text::SyntaxId id);
  void push(ValueKind kind, text::SyntaxId id) { values_.push_back({.kind = kind, .syntax = id}); }
  void push_node(NodeId node, text::SyntaxId id);
  void gather(ValueKind kind, text::SyntaxId id);
  Value take_items(std::uint32_t count);
  void lower_name(text::SyntaxId id);
  void lower_attribute(text::SyntaxId id);
  void lower_subscript(text::SyntaxId id);
  void lower_unary(text::SyntaxId id);
  void lower_binary(text::SyntaxId id);
  void lower_call(text::SyntaxId id);
  text::SyntaxId skip_lambda(text::SyntaxId params);
  NodeId binary(Kind kind, const Value& a, const Value& b);
  NodeId metadata_object(const Value& key, const Value& index);
  NodeId member_element(const Value& member, const Value& index);
  bool is_array(NodeId node) const;
  Allocation* allocation(const Value& value);
  NodeId allocated_buffer(NodeId pointer, Allocation& allocation);
  NodeId generic_type(const Value& name, const Value& arguments);

  // Calls by what is called.
  NodeId call(const Value& callee, const Arguments& args);
  NodeId call_path(std::string_view path, const Arguments& args);
  NodeId call_tir(std::string_view name, const Arguments& args);
  NodeId call_function(std::string_view name, const Arguments& args);
  NodeId call_op(const text::OpInfo& op, const Arguments& args);
  NodeId call_unknown(std::string_view name, const Arguments& args);
  NodeId construct(DType dtype, const Arguments& args);
  void note_float_format(DType dtype, const Value& value);
  NodeId load(const Value& method, const Arguments& args);
  const Callee& resolve(std::string_view name);
  std::vector<NodeId> argument_exprs(const Arguments& args, std::size_t first, std::size_t last);

  // Forms that are no operators.
  NodeId form_binary(const Arguments& args);
  NodeId form_not(const Arguments& args);
  NodeId form_cast(const Arguments& args);
  NodeId form_select(const Arguments& args);
  NodeId form_ramp(const Arguments& args);
  NodeId form_broadcast(const Arguments& args);
  NodeId form_shuffle(const Arguments& args);
  NodeId form_let(const Arguments& args);
  NodeId form_old_let(const Arguments& args);
  NodeId form_load(const Arguments& args);
  NodeId form_any(const Arguments& args);
  NodeId form_reduce(const Arguments& args);
  NodeId form_comm_reducer(const Arguments& args);
  NodeId form_iter_var(const Arguments& args);
  NodeId form_range(const Arguments& args);
  NodeId form_index_map(const Arguments& args);
  NodeId form_handle(const Arguments& args);
  NodeId form_tuple_type(const Arguments& args);
  NodeId form_target(const Arguments& args);
  NodeId form_allocated_pool_info(const Arguments& args);
  NodeId form_constant_pool_info(const Arguments& args);
  NodeId form_constant_info(const Arguments& args);
  NodeId form_global_var(const Arguments& args);
  NodeId form_op(const Arguments& args);
  NodeId form_prim_type(const Arguments& args);
  NodeId form_pointer_type(const Arguments& args);
  NodeId form_node_tuple_type(const Arguments& args);
  NodeId form_tensor_type(const Arguments& args);
  NodeId form_func_type(const Arguments& args);
  NodeId form_type_var(const Arguments& args);
  NodeId form_incomplete_type(const Arguments& args);
  NodeId form_vdevice(const Arguments& args);
  NodeId form_dummy_global_info(const Arguments& args);
  NodeId form_node_call(const Arguments& args);
  NodeId form_node_reduce(const Arguments& args);
  NodeId form_string_imm(const Arguments& args);
  NodeId form_int_imm(const Arguments& args);
  NodeId form_float_imm(const Arguments& args);
  static const std::unordered_map<std::string_view, CallForm>& tir_forms();
  static const std::unordered_map<std::string_view, CallForm>& ir_forms();
  static const std::unordered_map<std::string_view, CallForm>& tvm_forms();

  // Parts of the above.
  NodeId ramp_of_slice(const Value& slice);
  NodeId lanes(const Value& value);
  NodeId range_to(const Value& first, const Value& last);
  NodeId domain(const Value& value);
  NodeId callee(const Value& value);
  NodeId type_of_path(std::string_view path);
  bool is_void(std::string_view path) const;
  NodeId scoped_pointer(std::string_view name);
  NodeId leaf_attribute(const Value& value);
  NodeId close_attribute(const Value& value, std::span<const NodeId> elements);
  NodeId target_of(const Value& dict);
  NodeId target_kind(std::string_view name);
  std::vector<NodeId> lambda_params(const Value& lambda, std::span<const DType> dtypes);
  std::vector<NodeId> lambda_results(const Value& lambda);
  DType index_dtype(const Value& lambda);
  NodeId lambda_index_map(const Value& lambda, NodeId inverse);

  Context& c_;
  text::Lexer& lexer_;
  text::SyntaxTree tree_;
  text::ExpressionParser parser_;
  std::vector<Value> values_;
  std::vector<Value> items_;
  std::vector<text::SyntaxId> children_;
  std::deque<std::string> decoded_;
  std::unordered_map<std::string_view, Callee> callees_;
};

}  // namespace mlf::tir::tvmscript
