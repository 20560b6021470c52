// Syntax of the repr text into IR: one loop over post-order syntax with a stack of results. Dtypes
// are those of the printed constants and casts; dtypes.h settles the rest once a function is read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tir/repr/context.h"
#include "tir/repr/grammar.h"
#include "tir/text/expression_values.h"

namespace mlf::tir::repr {

using text::Value;

class ExprReader : public text::ExpressionValues {
 public:
  ExprReader(Context& context, text::Lexer& lexer)
      : ExpressionValues(lexer, grammar(), context.limits.max_nesting),
        context_(context),
        make_(context.make) {}

  Value value(text::SyntaxId id);
  NodeId expr(text::SyntaxId id) { return expr(value(id)); }
  NodeId expr(const Value& value);
  /// As an attribute holds it: strings are String, dtypes types.
  NodeId attr_value(const Value& value);
  std::vector<NodeId> exprs(const Value& list);
  NodeId var(const Value& value);
  /// The buffer that `A[i, j]` is an element of, and its indices.
  NodeId buffer_of(const Value& element);
  std::vector<NodeId> indices_of(const Value& element);
  NodeId buffer(const Value& value);
  NodeId region(const Value& value);
  /// `[min, extent]`, as bounds of a realize or prefetch are printed.
  NodeId bounds(const Value& list);
  NodeId range(const Value& value);

  enum class Binding : std::uint8_t { fresh, known };
  /// An IterVar around a new variable, or around the one that is already in use.
  NodeId iter_var(const Value& value, Binding binding);

 private:
  using Handler = NodeId (ExprReader::*)(text::SyntaxId, std::span<const Value>);
  struct Function {
    Handler handler;
    std::size_t arguments;  ///< the least number of them
  };
  static const std::unordered_map<std::string_view, Function>& functions();

  void run(text::SyntaxId first, text::SyntaxId last);
  void step(text::SyntaxId id);
  void collect(Value::Form form, text::SyntaxId id, std::uint32_t count);
  bool is_number(text::SyntaxId id) const;
  NodeId number(text::SyntaxId id, std::string_view sign);
  void unary(text::SyntaxId id);
  void binary(text::SyntaxId id);
  void bind(text::SyntaxId id);
  void let_body(text::SyntaxId id);
  void typed_number(text::SyntaxId id);
  void subscript(text::SyntaxId id);
  void keyword(text::SyntaxId id);
  void call(text::SyntaxId id);
  NodeId named_call(text::SyntaxId id, std::span<const Value> values);
  NodeId arithmetic(Kind kind, NodeId a, NodeId b);
  NodeId as_double(NodeId number);
  NodeId named(const Value& value);
  NodeId predicated_load(const Value& element, NodeId predicate);

  NodeId binary_call(text::SyntaxId id, std::span<const Value> arguments);
  NodeId select(text::SyntaxId id, std::span<const Value> arguments);
  NodeId ramp(text::SyntaxId id, std::span<const Value> arguments);
  NodeId shuffle(text::SyntaxId id, std::span<const Value> arguments);
  NodeId make_range(text::SyntaxId id, std::span<const Value> arguments);
  NodeId make_buffer(text::SyntaxId id, std::span<const Value> arguments);
  NodeId comm_reducer(text::SyntaxId id, std::span<const Value> arguments);
  NodeId reduce(text::SyntaxId id, std::span<const Value> arguments);
  bool is_null(const Value& value) const;  ///< `(nullptr)`
  bool is_scalable_broadcast(std::span<const Value> values) const;
  NodeId broadcast(text::SyntaxId id, NodeId value, NodeId lanes);
  NodeId call_operator(std::string_view name, std::span<const Value> arguments);
  void expect_keywords(text::SyntaxId id, std::span<const Value> values,
                       std::span<const std::string_view> names) const;
  std::vector<NodeId> vars(const Value& list);

  Context& context_;
  text::ExprFactory& make_;
  std::vector<std::size_t> lets_;  // marks in the table of names
};

}  // namespace mlf::tir::repr
