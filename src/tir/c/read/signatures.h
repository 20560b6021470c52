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

/// Reads the types of inputs and outputs that a packed archive contains for TVM's C++ runtime.
/// Returns nothing if the file has none, or has one that TVM does not print: then other sources
/// state the types.
std::optional<CMetadata> read_metadata(const support::SourceText& source, const FileItems& items);

using Types = std::vector<std::optional<CTensor>>;
/// By function.
using StatedTypes = support::NameMap<std::string_view, Types>;

/// Types of parameters: from the caller of the reader, then from the metadata for the C++ runtime,
/// then from packed calls. These state the types of the called function's parameters, and of
/// parameters that are passed on.
StatedTypes stated_types(const ModuleContext& context, const CSources& sources,
                         std::span<const FunctionDraft> drafts);

/// Sizes of parameters with stated types.
void state_sizes(FunctionDraft& draft, const Types& stated);

/// A kernel can use only as many bytes as `caller` passes to it.
void limit_sizes(const FunctionDraft& caller, std::span<FunctionDraft> kernels);

/// Gives buffers of `caller`'s parameters the size and the element type that the called kernels
/// use, if nothing else states them.
void pass_uses_on(const Builder& builder, FunctionDraft& caller,
                  std::span<const FunctionDraft> kernels, const Types& stated);

}  // namespace mlf::tir::c
