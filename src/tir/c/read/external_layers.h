// Reads kernels of other code generators. CMSIS-NN: structs that describe a layer, one call, and a
// test of its status. Arm's Ethos-U: addresses in arrays, and one call of the driver.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tir/c/external_text.h"
#include "tir/c/read/context.h"
#include "tir/c/read/expressions.h"

namespace mlf::tir::c {

class CmsisReader {
 public:
  CmsisReader(FunctionContext& context, ExprReader& exprs)
      : context_(context), cursor_(context.cursor), exprs_(exprs) {}

  /// Whether the structs of a layer begin here.
  bool at_layer() const;
  /// Reads a layer, from its first struct to the test of its status, as a call of the IR. Fails if
  /// the text differs from TVM's form, because then its meaning is unknown.
  NodeId layer();

 private:
  const CmsisFunction& called_function() const;
  void pass(const CmsisForm& form);
  void pass_call(const CmsisFunction& function, const CmsisText& text);
  NodeId value(CmsisArgument what);
  NodeId number();

  FunctionContext& context_;
  Cursor& cursor_;
  ExprReader& exprs_;
  std::array<std::vector<NodeId>, kCmsisArguments> values_;  // of the current layer
};

class EthosUReader {
 public:
  EthosUReader(FunctionContext& context, ExprReader& exprs)
      : context_(context), cursor_(context.cursor), exprs_(exprs) {}

  /// Whether the body of such a function begins here.
  bool at_launch() const;
  /// Reads the whole body as the return of a call. Fails if the text differs from TVM's form.
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
  void add_number(DType dtype, std::int64_t number);
  NodeId allocated(NodeId body);

  FunctionContext& context_;
  Cursor& cursor_;
  ExprReader& exprs_;
  std::vector<NodeId> args_;  // of the call
  std::optional<Allocation> allocation_;
};

}  // namespace mlf::tir::c
