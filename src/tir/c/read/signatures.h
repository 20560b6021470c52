// Types of parameters that other functions of the module state.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "support/name_map.h"
#include "support/source_text.h"
#include "tir/c/c.h"
#include "tir/c/read/file_items.h"
#include "tir/c/read/function.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {

/// Reads the types of inputs and outputs that the files of a packed archive hold for TVM's C++
/// runtime. Nothing if the file has none, or where one of them is not what TVM prints: then the
/// types come from elsewhere.
std::optional<CMetadata> read_metadata(const support::SourceText& source, const FileItems& items);

using Types = std::vector<std::optional<TensorType>>;

/// Types of parameters by function: what the caller of the reader knows, then the metadata for the
/// C++ runtime, then what packed calls state: of the function that is called, and of the parameters
/// that are passed on.
class Signatures {
 public:
  Signatures(const ModuleContext& context, const CSources& sources,
             std::span<const FunctionDraft> drafts);

  const Types& of(std::string_view function) const;

 private:
  void add_metadata(const CMetadata& metadata, const FunctionDraft& main);
  void add_calls(const FunctionDraft& draft);
  void add(std::string_view function, std::size_t position, const TensorType& type);
  /// The type that tvm_stack_make_array states; nothing for other arguments.
  std::optional<TensorType> stated(Node argument) const;

  const Builder& builder_;
  support::NameMap<std::string_view, Types> types_;
};

/// Sizes of parameters whose types are stated.
void state_sizes(FunctionDraft& draft, const Types& stated);

/// What `caller` has the size of and passes to a kernel is all that the kernel can use.
void limit_sizes(const FunctionDraft& caller, std::span<FunctionDraft> kernels);

/// Gives buffers of `caller`'s parameters the size of what the kernels behind them use, where
/// nothing else states it.
void pass_sizes_on(const Builder& builder, FunctionDraft& caller,
                   std::span<const FunctionDraft> kernels);

}  // namespace mlf::tir::c
