// Reads expressions of generated C. CodeGenC puts every operator in its own parentheses, so
// precedence does not matter: a level of parentheses has at most one operator, and open levels are
// on a stack.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tir/c/language.h"
#include "tir/c/read/context.h"

namespace mlf::tir::c {

/// An operand while its expression is read: an expression of the IR, or an intermediate form, such
/// as a pointer before its subscript.
struct Operand {
  enum class Form : std::uint8_t {
    none,
    expr,          ///< an expression of the IR
    null,          ///< NULL
    pointer,       ///< `(T*)x`: `node` read as an array of `pointee`
    record,        ///< `(DLTensor*)x` or `(TVMValue*)x`
    element,       ///< `((DLTensor*)x)[index]`
    temp_address,  ///< `&tmp` before a reinterpretation; `node` is the content of tmp
  };
  Form form = Form::none;
  Record record = Record::tensor;
  bool is_number = false;         ///< a number without a type before it, with its sign
  bool is_typed_literal = false;  ///< `(int64_t)5`
  bool is_temp = false;           ///< the name of a temporary
  DType pointee{};                ///< void: unknown
  std::uint32_t begin = 0;        ///< of its text, without prefixes
  NodeId node = NodeId::none;
  NodeId other = NodeId::none;  ///< index of an element; the number inside a typed literal
};

class ExprReader {
 public:
  explicit ExprReader(FunctionContext& context)
      : context_(context), cursor_(context.cursor), operators_(context.operators) {}

  /// Reads the expression at the cursor, up to the first token outside of it.
  NodeId expression() { return expr_of(value()); }
  Operand value();
  /// The IR of an operand; fails for one without IR, such as a record.
  NodeId expr_of(const Operand& value);
  /// The value as one of this type: calls of functions without a prototype get the type of their
  /// place. Fails if the value has another type.
  void require_type(NodeId value, DType dtype);
  /// Uses a constant array by name.
  NodeId constant(std::size_t array);
  /// The parameter, workspace or constant array whose name was read; fails if there is none.
  NodeId memory(std::string_view name);

 private:
  enum class LevelKind : std::uint8_t { top, paren, index, call };
  enum class Stage : std::uint8_t { first, second, then_value, else_value };
  struct Level {
    LevelKind kind = LevelKind::top;
    Stage stage = Stage::first;
    const BinaryOperator* op = nullptr;
    std::size_t first_prefix = 0;    // of this level, in prefixes_
    std::size_t first_argument = 0;  // calls: in arguments_
    std::string_view callee;
    Token begin;
    Operand base;  // index: the subscripted operand
    Operand operands[4];
  };
  enum class PrefixKind : std::uint8_t { negate, logical_not, bitwise_not, address, deref, cast };
  struct Prefix {
    PrefixKind kind = PrefixKind::negate;
    std::uint8_t stars = 0;
    bool is_record = false;
    bool is_device_type = false;
    Record record = Record::tensor;
    DType dtype{};
    Token token;
  };
  enum class Next : std::uint8_t { operand, closed, done };

  void open(LevelKind kind);
  bool start_operand();
  bool start_cast();
  bool postfix();
  void field_access();
  Next go_on();
  Next close();
  Operand finish(Level& level);
  Operand conditional(Level& level);

  Operand number();
  Operand name();
  Operand float_word(std::string_view word);
  Operand make_call(const Level& level);
  Operand address_behind(const Operand& base, NodeId index);
  Operand subscript(const Operand& base, const Operand& index);
  void apply_prefixes();
  Operand apply(const Prefix& prefix, const Operand& operand);
  Operand apply_cast(const Prefix& prefix, const Operand& operand);
  Operand typed_literal(DType dtype, const Operand& number);
  Operand dereference(const Prefix& prefix, const Operand& operand);
  Operand address(const Prefix& prefix, const Operand& operand);
  Operand combine(const Level& level, const Operand& a, const Operand& b);
  NodeId struct_get(NodeId record, NodeId index, const RecordField& field);

  static Operand expr(NodeId node) { return {.form = Operand::Form::expr, .node = node}; }
  text::ExprFactory& make() { return context_.make(); }
  [[noreturn]] void fail(const std::string& message) { cursor_.fail(message); }

  FunctionContext& context_;
  Cursor& cursor_;
  Operators& operators_;
  std::vector<Level> levels_;
  std::vector<Prefix> prefixes_;
  std::vector<NodeId> arguments_;
  std::unordered_set<std::uint32_t> untyped_calls_;
  Operand operand_;
};

// --- Code of other code generators: external_layers.cpp ------------------------------------------

/// Reads a layer, from its first struct to the test of its status, as a call of the IR; nullopt if
/// the structs of a layer do not begin here. Fails if the text differs from TVM's form, because
/// then its meaning is unknown.
std::optional<NodeId> read_cmsis_layer(FunctionContext& context, ExprReader& exprs);

/// Reads the whole body of a function for an Ethos-U as the return of a call; nullopt if this is no
/// such body. Fails if the text differs from TVM's form.
std::optional<NodeId> read_ethos_u_launch(FunctionContext& context, ExprReader& exprs);

}  // namespace mlf::tir::c
