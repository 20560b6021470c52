// What `name = T.…(…)` defines: variables, buffers, axes of blocks.
#pragma once

#include <string_view>
#include <vector>

#include "tir/tvmscript/function.h"

namespace mlf::tir::tvmscript {

/// Whether `name = value` declares, as `T.int32()` and `T.Buffer(…)` do.
bool is_declaration(FunctionContext& fn, text::SyntaxId value);
NodeId read_declaration(FunctionContext& fn, std::string_view name, text::SyntaxId value);
/// `T.Var("x", "bfloat16")`, `T.SizeVar(…)`: of a type that has no function of its own.
NodeId constructed_var(FunctionContext& fn, std::string_view name, const Arguments& args);
/// Of a parameter it binds the parameter, of a region it is a buffer of the block.
NodeId define_match_buffer(FunctionContext& fn, std::string_view name, const Arguments& args);
/// `vi, vj, vk = T.axis.remap("SSR", [i, j, k])`: each axis has the range of its loop.
void define_remap(FunctionContext& fn, const std::vector<text::SyntaxId>& names,
                  const Arguments& args);

}  // namespace mlf::tir::tvmscript
