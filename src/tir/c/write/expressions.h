// Prints expressions of the IR as generated C, on a stack of open ones. Temporaries and conditional
// values, which TVM computes before the statement, become lines of the code.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/c/language.h"
#include "tir/c/write/code.h"
#include "tir/interval.h"

namespace mlf::tir::c {

class ExprWriter {
 public:
  /// `most_nodes`: the most expressions that may be written; a DAG whose sharing expands to more is
  /// an error.
  ExprWriter(const Forms& forms, const IntegerRanges& ranges, Code& code, std::uint64_t most_nodes)
      : forms_(forms), ranges_(ranges), code_(code), most_nodes_(most_nodes) {}

  std::string operator()(Node expr);
  /// `x[index]`, or `((T*)x)[index]` if the type of `x` may differ from T.
  std::string place(Node buffer, Node index);

  /// Names a variable; `pointee` is its element type in C (void: unknown).
  const std::string& declare(Node var, DType pointee = DType::Void());
  const std::string& name_of(Node var) const;

 private:
  /// Marks an operand in the form of an expression.
  static constexpr char kOperand = '\1';

  /// The form of a FloorDiv or FloorMod at this place.
  enum class Division : std::uint8_t { floor, truncate };
  struct Operand {
    Node node;
    Division division = Division::floor;
  };
  /// Text with a mark for each operand, in order.
  struct Plan {
    std::string form;
    std::vector<Operand> operands;
  };
  /// Further uses of operands, besides printing them in place.
  enum class Extra : std::uint8_t { none, pair, reinterpret, conditional };
  struct OpenExpression {
    Node node;
    Plan plan;
    Extra extra = Extra::none;
    std::size_t at = 0;            // in the form
    std::size_t next = 0;          // operand
    std::size_t begin = 0;         // of the current operand, in text_
    std::vector<std::string> ids;  // of operands that have names
    Code::Scope scope = 0;
  };
  struct Variable {
    std::string name;
    DType pointee{};
  };

  void push(const Operand& operand);
  bool leaf(Node node);
  void step();
  void begin_operand(OpenExpression& frame);
  void end_operand(OpenExpression& frame);
  void finish(OpenExpression& frame);
  std::string take_operand(const OpenExpression& frame);
  void set_conditional(OpenExpression& frame);

  Plan plan(const Operand& operand, Extra& extra);
  Plan binary_plan(Node node);
  Plan call_plan(Node call, Extra& extra);
  Plan external_plan(Node call);
  Plan division_plan(Node node, Division division);
  static Plan division_text(Node node, const DivisionForm& form, std::int64_t power = 0);
  Plan remainder_of_zero_test(Node node);
  Plan struct_plan(Node get);
  std::string pointer_text(Node buffer) const;
  std::string subscript(Node buffer) const;
  Plan element_plan(Node load) const;
  Plan cast_plan(Node cast) const;
  Plan address_plan(Node load) const;

  const Forms& forms_;
  const IntegerRanges& ranges_;
  Code& code_;
  std::uint64_t most_nodes_;
  std::uint64_t written_ = 0;
  std::string text_;
  std::vector<OpenExpression> frames_;
  std::unordered_map<std::uint32_t, Variable> variables_;  // by node
};

// --- Statements of one function: body.cpp --------------------------------------------------------

/// Names of the stacks on which a function stores the arguments of its packed calls.
struct CallStacks {
  std::string tcode = "stack_tcode";
  std::string value = "stack_value";
  std::string array = "stack_array";
  std::string shape = "stack_shape";
};

/// What the head of a function leaves to its body.
struct FunctionHead {
  std::string device = "0";  ///< number or name of the device that memory is allocated on
  /// Where a packed function leaves its result and the type of it; empty in others.
  std::string result{};
  std::string result_type{};
  CallStacks stacks{};
};

/// Whether the body is a launch of Ethos-U. Its C returns the status of the launch as that of the
/// function.
bool returns_itself(Node body);

/// Whether `call` is packed: by name, or C-packed.
bool is_packed_call(Node call);

/// `TVMValue stack[2]; void* stack_tcode = stack;` and so on, for the packed calls in `body`.
CallStacks declare_stacks(Code& code, Node body);

/// Writes the statements of a body behind the head of its function.
void write_body(const Forms& forms, Code& code, ExprWriter& exprs, Node body,
                const FunctionHead& head);

}  // namespace mlf::tir::c
