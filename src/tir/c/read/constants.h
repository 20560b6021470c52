// Constants at the top level of generated C: arrays in the files with kernels, and pools of the
// static memory planner (USMP) in the file with the entry point. Source: codegen_params.cc of TVM
// for the rows, source_module.cc for the pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "support/name_map.h"
#include "support/source_text.h"
#include "tir/c/read/context.h"
#include "tir/c/read/directives.h"
#include "tir/c/read/file_items.h"

namespace mlf::tir::c {

/// `struct P {T name[N] __attribute__((aligned(16))); …} P = {.name = {…}, …};`
Pool read_constant_pool(ModuleContext& context, const support::SourceText& source,
                        const Item& item);
/// `static uint8_t P[N];`
std::optional<Pool> read_workspace_pool(const support::SourceText& source, const Item& item,
                                        const Directives& directives);
/// `static const T name[N] = {…};`
ConstantArray read_array(ModuleContext& context, const support::SourceText& source,
                         const Item& item);

/// The variable that a function has for an array.
NodeId array_variable(ModuleContext& context, const ConstantArray& array);

/// The pool of a parameter `<pool>_<k>_var`; null for another name, or if no file defines the pool.
const Pool* pool_of_param(const ModuleFacts& facts, std::string_view param);

/// The PoolInfo of a pool; made once.
NodeId pool_info(ModuleContext& context, Pool& pool);

/// The storage ids of the graph executor, by parameter name.
using LinkedParamIds = support::NameMap<std::string_view, std::int64_t>;

/// Adds the ids in the switch of `_lookup_linked_param`.
void read_linked_param_ids(const support::SourceText& source, const Item& function,
                           LinkedParamIds& ids);

/// The function whose attribute holds the parameters, as TVM makes it. Returns an undefined node if
/// the files have no such array. A parameter without an id in `ids` gets its position.
std::optional<NodePair> linked_params_function(ModuleContext& context, const LinkedParamIds& ids);

/// Decodes the `count` numbers in `rows` as little-endian elements. Integers are hexadecimal or
/// decimal, floats hexadecimal (or INFINITY, NAN), float16 the bits of each element.  Throws for
/// any other number of elements or any other text.
std::vector<std::byte> decode_rows(const support::SourceText& source, Bytes rows, DType element,
                                   std::uint64_t count);

/// The bytes of `"\x01\x02…"`, including quotes in `text`.  Throws for any other number of bytes
/// than `count`, or any other text.
std::vector<std::byte> decode_text(const support::SourceText& source, Bytes text,
                                   std::uint64_t count);

}  // namespace mlf::tir::c
