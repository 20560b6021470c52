// Statements of one function as generated C prints them, on a stack of what is still to come.
#pragma once

#include <string>
#include <vector>

#include "tir/c/write/expressions.h"
#include "tir/c/write/packed_calls.h"

namespace mlf::tir::c {

/// What the head of a function leaves to its body.
struct FunctionHead {
  std::string device = "0";  ///< number or name of the device that memory is allocated on
  /// Where a packed function leaves its result and the type of it; empty in others.
  std::string result{};
  std::string result_type{};
};

/// Whether the body ends in a return that stands for the one of the function.
bool returns_itself(Node body);

class BodyWriter {
 public:
  BodyWriter(const Forms& forms, Code& code, ExprWriter& exprs, PackedCalls& calls)
      : forms_(forms), code_(code), exprs_(exprs), calls_(calls) {}

  void write(Node body, const FunctionHead& head);

 private:
  struct Task {
    enum class Action : std::uint8_t { statement, close, otherwise, release };
    Action action = Action::statement;
    Node node;  // close: none
    Code::Scope scope = 0;
    std::string name;  // release: what was allocated
  };

  void statement(Node node);
  void then(Node node) { tasks_.push_back({Task::Action::statement, node, 0, {}}); }
  void open_block(Node body);
  void otherwise(const Task& task);
  void release(const Task& task);

  void sequence(Node node);
  void let(Node node);
  void allocate(Node node);
  void workspace(Node node, std::int64_t bytes);
  void constant(Node node);
  void loop(Node node);
  void while_(Node node);
  void branch(Node node);
  void unknown(Node node);
  void store(Node node);
  void evaluate(Node node);
  void return_value(Node value);
  void check_return(Node call);
  void return_error();

  const Forms& forms_;
  Code& code_;
  ExprWriter& exprs_;
  PackedCalls& calls_;
  FunctionHead head_;
  std::vector<Task> tasks_;
};

}  // namespace mlf::tir::c
