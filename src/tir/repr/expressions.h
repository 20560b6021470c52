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
#include "tir/text/expression_text.h"

namespace mlf::tir::repr {

/// What a piece of syntax came to. Names stay names until it is clear what they are asked for.
struct Value {
  enum class Is : std::uint8_t {
    node,  ///< an expression, Range, Buffer, CommReducer
    name,  ///< not looked up yet
    string,
    list,      ///< `first`, `count`: its elements; so is a tuple
    slice,     ///< `begin:end`: two elements
    element,   ///< `A[i, j]`: its elements are the indices, `other_syntax` what is subscripted
    iter_var,  ///< its elements are name, domain and tag as far as they are printed
    binding,   ///< `x = v` behind `let`: `node` is the Var, `other` the value
    let,       ///< a binding with its body, for the `let` in front
  };
  Is is = Is::node;
  text::SyntaxId syntax = 0;
  text::SyntaxId keyword = kNone;  ///< the keyword it was given under
  text::SyntaxId subscripted = 0;
  NodeId node = NodeId::none;
  NodeId other = NodeId::none;
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  static constexpr text::SyntaxId kNone = UINT32_MAX;
};

class ExprReader : public text::ExpressionText {
 public:
  ExprReader(Context& context, text::Lexer& lexer)
      : ExpressionText(lexer, grammar(), context.limits.max_nesting),
        context_(context),
        make_(context.make) {}

  /// Forgets all syntax and all values.
  void clear();

  Value value(text::SyntaxId id);
  NodeId expr(text::SyntaxId id) { return expr(value(id)); }
  NodeId expr(const Value& value);
  /// As an attribute holds it: strings are String, dtypes types.
  NodeId attr_value(const Value& value);
  std::span<const Value> elements(const Value& list) const {
    return std::span(elements_).subspan(list.first, list.count);
  }
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

  std::string_view name_of(const Value& value) const { return text_of(value.syntax); }

 private:
  using Handler = NodeId (ExprReader::*)(text::SyntaxId, std::span<const Value>);
  struct Function {
    Handler handler;
    std::size_t arguments;  ///< the least number of them
  };
  static const std::unordered_map<std::string_view, Function>& functions();

  void run(text::SyntaxId first, text::SyntaxId last);
  void step(text::SyntaxId id);
  void collect(Value::Is is, text::SyntaxId id, std::uint32_t count);
  void push(text::SyntaxId id, NodeId node) {
    values_.push_back({.is = Value::Is::node, .syntax = id, .node = node});
  }
  Value pop();
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
  std::vector<Value> values_;
  std::vector<Value> elements_;
  std::vector<std::size_t> lets_;  // marks in the table of names
};

}  // namespace mlf::tir::repr
