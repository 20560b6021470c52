// Blocks, and the calls that are lines of a block or a function.
#pragma once

#include "tir/tvmscript/forms.h"
#include "tir/tvmscript/function.h"

namespace mlf::tir::tvmscript {

/// Reads a line that is a call of `form`.
void read_line(FunctionContext& fn, const Form& form, const Arguments& args);

/// The innermost block; fails at the call outside of any.
text::BlockDraft& block_of(FunctionContext& fn, const Arguments& args);
/// `with T.block("name"):`
void open_block(FunctionContext& fn, const Arguments& args);
/// `with T.init():`
void open_init(FunctionContext& fn, const Arguments& args);
/// The rest of the function under the comment `# with T.block("root"):`.
void open_root_block(FunctionContext& fn);

}  // namespace mlf::tir::tvmscript
