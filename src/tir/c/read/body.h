// Statements of one function body, on a stack of the blocks that are open.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "support/error.h"
#include "tir/c/read/blocks.h"
#include "tir/c/read/cmsis_nn.h"
#include "tir/c/read/context.h"
#include "tir/c/read/ethos_u.h"
#include "tir/c/read/expressions.h"
#include "tir/c/read/packed_calls.h"
#include "tir/c/read/params.h"
#include "tir/c/read/unknown_statements.h"

namespace mlf::tir::c {

class BodyReader {
 public:
  BodyReader(FunctionContext& context, Params& params)
      : context_(context),
        cursor_(context.cursor),
        params_(params),
        exprs_(context),
        blocks_(context),
        packed_calls_(context),
        cmsis_(context, exprs_),
        ethos_u_(context, exprs_),
        unknown_(context) {}

  /// Reads the statements up to the end of the tokens.
  NodeId read();

 private:
  struct Declared {
    std::string_view name{};
    DType dtype{};  ///< handle for a pointer
    DType pointee{};
    std::uint32_t begin = 0;
  };

  void statement_or_text();
  void keep_text(std::size_t begin, const support::Error& reason);
  void statement();
  bool declaration();
  bool external_layer();
  bool ethos_u_launch();
  void declare_array(const Declared& declared);
  void declare_value(const Declared& declared);
  bool declare_workspace(const Declared& declared);
  void let(const Declared& declared, NodeId value);
  void note_pointer(NodeId value);
  void assignment();
  void set_pending(std::string_view name);
  void store(const Value& place, NodeId value, std::uint32_t begin);
  bool set_field(Node place, NodeId value);
  void loop();
  void while_();
  void if_();
  bool release_workspace();
  void check_return(NodeId condition, std::uint32_t begin);
  void void_call();
  void note_call(Node call);
  void note_layer(Node value);
  void open_branch(NodeId condition, std::uint32_t begin);
  bool while_condition(NodeId condition);
  void return_();
  bool pass_status(std::uint32_t begin);
  std::optional<NodeId> status_of(NodeId condition);
  void return_status(NodeId condition, NodeId status, std::uint32_t begin);

  void close_block();
  void finish_branch(Block block);
  void finish_value(Block block);
  void pass_return_error();

  text::ExprFactory& make() { return context_.make(); }
  Builder& builder() { return context_.builder(); }
  Node node(NodeId id) { return builder().node(id); }

  FunctionContext& context_;
  Cursor& cursor_;
  Params& params_;
  ExprReader exprs_;
  Blocks blocks_;
  PackedCallReader packed_calls_;
  CmsisReader cmsis_;
  EthosUReader ethos_u_;
  UnknownStatements unknown_;
  std::vector<NodeId> untyped_lets_;  // `void*`: the type follows from what they are used as
  std::vector<std::string_view> words_;
  std::string_view pending_;  // condval that the next `if` sets
  DType pending_type_{};
  std::optional<std::uint32_t> prepared_;  // where the arguments of the next packed call begin
  std::set<NodeId> statuses_;              // variables that hold the result of a call
  NodeId result_ = NodeId::none;
  bool is_returned_ = false;
};

}  // namespace mlf::tir::c
