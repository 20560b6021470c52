// Parameters of TVM v0.8 that are linked as constants: arrays `__tvm_param__<name>`.
#pragma once

#include <optional>

#include "support/name_map.h"
#include "support/source_text.h"
#include "tir/c/read/context.h"
#include "tir/c/read/file_items.h"

namespace mlf::tir::c {

/// Storage ids of the graph executor by names of parameters.
using LinkedParamIds = support::NameMap<std::string_view, std::int64_t>;

/// Adds those that the switch of `_lookup_linked_param` has.
void read_linked_param_ids(const support::SourceText& source, const Item& function,
                           LinkedParamIds& ids);

/// The function whose attribute holds the parameters, as TVM makes it. Nothing where the files have
/// no such array. A parameter without an id in `ids` gets its position.
std::optional<NodePair> linked_params_function(ModuleContext& context, const LinkedParamIds& ids);

}  // namespace mlf::tir::c
