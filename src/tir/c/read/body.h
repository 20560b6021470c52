// Statements of one function body, on a stack of the blocks that are open.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "tir/c/read/call_stack.h"
#include "tir/c/read/cmsis_nn.h"
#include "tir/c/read/context.h"
#include "tir/c/read/expressions.h"
#include "tir/c/read/params.h"

namespace mlf::tir::c {

class BodyReader {
 public:
  BodyReader(FunctionContext& context, Params& params)
      : context_(context),
        cursor_(context.cursor),
        params_(params),
        exprs_(context),
        stack_(context),
        cmsis_(context) {}

  /// The statements up to the end of the tokens.
  NodeId read();

 private:
  enum class Open : std::uint8_t {
    body,
    bare,  ///< braces that belong to nothing
    loop,
    while_,
    then_case,
    else_case,
    if_value,  ///< branch of a conditional expression that is printed as a statement
    else_value,
    // Statements that govern the rest of their block:
    let,
    allocate,
  };
  struct Frame {
    Open open = Open::body;
    std::size_t first = 0;          // in done_
    std::uint32_t begin = 0;        // byte of the source
    NodeId var = NodeId::none;      // loop, let, allocate
    NodeId value = NodeId::none;    // extent, condition, value of a let, size
    NodeId other = NodeId::none;    // then branch; value of the first branch
    DType dtype{};                  // allocate
    std::string_view name{};        // if_value: what its branches set; allocate: the variable
    std::string_view device{};      // allocate: type and number of the device
    bool stores_arguments = false;  // an `if` around the type codes of an argument
  };
  struct Declared {
    std::string_view name{};
    DType dtype{};  ///< handle for a pointer
    DType pointee{};
    std::uint32_t begin = 0;
  };

  void statement();
  bool declaration();
  bool external_layer();
  void declare_storage();
  void declare_result(std::string_view name);
  void require_results(std::string_view value, std::string_view type) const;
  void declare_array(const Declared& declared);
  void declare_value(const Declared& declared);
  bool declare_workspace(const Declared& declared);
  void let(const Declared& declared, NodeId value);
  void assignment();
  void set_pending(std::string_view name);
  void store(const Value& place, NodeId value, std::uint32_t begin);
  bool set_field(Node place, NodeId value);
  void loop();
  void while_();
  void if_();
  bool fixed_if();
  bool free_workspace();
  bool packed_call();
  bool packed_function_call();
  void check_return(NodeId condition, std::uint32_t begin);
  void void_call();
  void note_call(Node call);
  void open_branch(NodeId condition, std::uint32_t begin);
  bool while_condition(NodeId condition);
  void return_();

  void open(Frame frame);
  void push(const Frame& frame);
  Frame pop();
  void close_block();
  void close_covering();
  void finish_branch(Frame frame);
  void finish_value(Frame frame);
  NodeId sequence(std::size_t first);
  void complete(NodeId statement, std::uint32_t begin);
  Frame& block();
  NodeId finish_covering(const Frame& frame, NodeId body);
  void pass_return_error();

  text::ExprFactory& make() { return context_.make(); }
  Builder& builder() { return context_.builder(); }
  Node node(NodeId id) { return builder().node(id); }

  FunctionContext& context_;
  Cursor& cursor_;
  Params& params_;
  ExprReader exprs_;
  CallStack stack_;
  CmsisReader cmsis_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> blocks_;  // those of the frames that are blocks of their own
  std::vector<NodeId> done_;
  std::vector<NodeId> untyped_lets_;  // `void*`: the type follows from what they are used as
  std::vector<std::string_view> words_;
  std::map<std::string_view, std::string_view> packed_functions_;  // by slot
  std::string_view pending_;  // condval that the next `if` sets
  DType pending_type_{};
  NodeId result_ = NodeId::none;
  bool is_returned_ = false;
};

}  // namespace mlf::tir::c
