// Functions for Arm's Ethos-U: addresses that are put into arrays, and one call of the driver.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tir/c/read/context.h"
#include "tir/c/read/expressions.h"

namespace mlf::tir::c {

class EthosUReader {
 public:
  EthosUReader(FunctionContext& context, ExprReader& exprs)
      : context_(context), cursor_(context.cursor), exprs_(exprs) {}

  /// Whether the body of such a function begins here.
  bool at_launch() const;
  /// Reads the whole body as the return of a call. Fails where it is not just as TVM prints it.
  NodeId launch();

 private:
  struct Allocation {
    std::string_view name{};
    NodeId var = NodeId::none;
    std::int64_t bytes = 0;
  };

  std::vector<std::string_view> pass(std::string_view line);
  bool pass_allocation();
  void pass_address();
  NodeId memory(std::string_view name);
  void add_number(DType dtype, std::int64_t number);
  NodeId allocated(NodeId body);

  FunctionContext& context_;
  Cursor& cursor_;
  ExprReader& exprs_;
  std::vector<NodeId> args_;  // of the call
  std::optional<Allocation> allocation_;
};

}  // namespace mlf::tir::c
