// Syntax of the legacy text into IR: one loop over post-order syntax with a stack of results.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tir/legacy/context.h"
#include "tir/text/expression_values.h"

namespace mlf::tir::legacy {

using text::Value;

class ExprReader : public text::ExpressionValues {
 public:
  ExprReader(Context& context, text::Lexer& lexer)
      : ExpressionValues(lexer, grammar_of(context.strings), context.limits.max_nesting),
        context_(context),
        make_(context.make) {}

  Value value(text::SyntaxId id);
  NodeId expr(text::SyntaxId id) { return expr(value(id)); }
  /// The parts of a subscript: what it subscribes, then the indices.
  std::vector<Value> subscript_parts(text::SyntaxId id);
  NodeId expr(const Value& value);
  NodeId producer_load(const Value& element);
  /// As an attribute holds it: strings are String, lists Array, `(nullptr)` is none.
  NodeId attr_value(const Value& value);
  std::vector<NodeId> exprs(const Value& list);
  /// A `Buffer`, `Var` or producer by its name or inline definition.
  NodeId named(const Value& value);
  NodeId buffer(const Value& value);
  NodeId var(const Value& value);
  NodeId range(const Value& value);
  std::vector<NodeId> ranges(const Value& list);
  DType dtype(const Value& value);
  std::string string(const Value& value) const;
  std::int64_t integer(const Value& value);
  NodeId region(text::SyntaxId id);
  /// `{"key": value, …}`, values as attributes hold them.
  std::vector<NamedNode> entries(text::SyntaxId dictionary);

  /// A buffer that a statement declares with no more than dtype and shape; without `data` it gets
  /// a pointer of its own.
  NodeId declare_buffer(std::string_view name, NodeId data, DType element,
                        std::vector<NodeId> shape);
  /// Makes known what the expression that begins with a definition defines: `A: Buffer(…)…` or
  /// `A = alloc_buffer(…)`, `decl_buffer` or `match_buffer`. Gives the buffer; none where the
  /// expression is something else.
  NodeId declare(text::SyntaxId root);
  /// Makes a Var of this type and name known.
  NodeId define_var(std::string_view name, NodeId type);

 private:
  using Handler = NodeId (ExprReader::*)(text::SyntaxId call, std::span<const Value> arguments);
  struct Function {
    Handler handler;
    std::uint8_t arguments;  // at least
  };
  static const std::unordered_map<std::string_view, Function>& functions();

  void run(text::SyntaxId first, text::SyntaxId last);
  void leaf_or_one(text::SyntaxId id);
  void unary(text::SyntaxId id);
  void binary(text::SyntaxId id);
  void annotation(text::SyntaxId id);
  void call(text::SyntaxId id);
  void subscript(text::SyntaxId id);
  void load_cast(text::SyntaxId id);
  void slice(text::SyntaxId id);
  void list(text::SyntaxId id);
  void binding(text::SyntaxId id);
  void let(text::SyntaxId id);
  void predicated(text::SyntaxId id);
  NodeId number(text::SyntaxId id, bool is_negative);
  NodeId glued_number(text::SyntaxId id, std::string_view text);
  NodeId float_imm(text::SyntaxId id, DType dtype, std::string_view digits);

  NodeId attr_scalar(const Value& value);
  NodeId look_up(const Value& name);
  NodeId define_ahead(std::string_view name, std::size_t place);
  NodeId literal(std::string_view name, std::string_view sign = {});
  NodeId target(text::SyntaxId id, std::string_view text);

  NodeId call_operator(text::SyntaxId id, std::span<const Value> values);
  NodeId define_buffer(std::span<const Value> values);
  NodeId declare_by_statement(text::SyntaxId name, text::SyntaxId call);
  bool buffer_option(const Value& option, text::BufferSpec& spec);
  NodeId define_producer(std::span<const Value> values);
  NodeId binary_call(text::SyntaxId id, std::span<const Value> arguments);
  NodeId select(text::SyntaxId, std::span<const Value> arguments);
  NodeId cast(text::SyntaxId, std::span<const Value> arguments);
  NodeId ramp(text::SyntaxId, std::span<const Value> arguments);
  NodeId broadcast(text::SyntaxId, std::span<const Value> arguments);
  NodeId shuffle(text::SyntaxId, std::span<const Value> arguments);
  NodeId reduce(text::SyntaxId, std::span<const Value> arguments);
  NodeId iter_var(text::SyntaxId, std::span<const Value> arguments);
  NodeId lanes(const Value& value);

  Context& context_;
  text::ExprFactory& make_;
  std::vector<NodeId> scratch_;
  std::unordered_map<std::string_view, NodeId> targets_;
  bool is_defining_ahead_ = false;
};

}  // namespace mlf::tir::legacy
