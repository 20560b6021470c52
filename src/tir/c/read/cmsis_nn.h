// Kernels for CMSIS-NN: structs that describe a layer, one call, and a test of its status.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tir/c/cmsis_nn_text.h"
#include "tir/c/read/context.h"
#include "tir/c/read/expressions.h"

namespace mlf::tir::c {

class CmsisReader {
 public:
  CmsisReader(FunctionContext& context, ExprReader& exprs)
      : context_(context), cursor_(context.cursor), exprs_(exprs) {}

  /// Whether the structs of a layer begin here.
  bool at_layer() const;
  /// Reads a layer, from its first struct to the test of its status, as the call of the IR. Fails
  /// where it is not just as TVM prints it: what a struct or the code between them means then is
  /// not known.
  NodeId layer();

 private:
  const CmsisFunction& called_function() const;
  void pass(const CmsisForm& form);
  void pass_words(std::string_view text);
  void pass_call(const CmsisFunction& function, const CmsisText& text);
  NodeId value(CmsisArgument what);
  NodeId number();
  NodeId variable();

  FunctionContext& context_;
  Cursor& cursor_;
  ExprReader& exprs_;
  std::array<std::vector<NodeId>, kCmsisArguments> values_;  // of the layer that is read
};

}  // namespace mlf::tir::c
