// One function of generated C, from its text to a PrimFunc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tir/c/read/context.h"
#include "tir/c/read/file_items.h"
#include "tir/c/read/params.h"

namespace mlf::tir::c {

/// A function whose body was read; parameters still lack what other functions say of them.
struct FunctionDraft {
  explicit FunctionDraft(text::ExprFactory& make) : buffers(make) {}

  std::string_view name;
  bool is_main = false;
  bool is_packed = false;
  NodeId body = NodeId::none;
  std::vector<Param> params;
  std::vector<std::pair<std::size_t, NodeId>> constants;  ///< array of the module, its Var
  std::vector<CallSite> calls;
  Buffers buffers;
  std::vector<Loss> losses;
  bool is_understood = true;         ///< no part of it that may compute anything keeps its text
  std::optional<SourceRange> range;  ///< in the file that ranges refer to
};

/// Reads a function. Statements outside of the grammar keep their text; where that cannot be done,
/// support::Error with its place is thrown. Lines of `source` are counted on.
FunctionDraft read_function(ModuleContext& context, support::SourceText& source, const Item& item);

/// The function with its text for a body, and why it could not be read.
FunctionDraft opaque_function(ModuleContext& context, const support::SourceText& source,
                              const Item& item, const Diagnostic& reason);

/// The PrimFunc. `stated` has a type for every parameter where others state it.
NodeId finish_function(ModuleContext& context, FunctionDraft& draft,
                       const std::vector<std::optional<TensorType>>& stated, NodeId target);

}  // namespace mlf::tir::c
