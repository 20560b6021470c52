// Statements around others: what `with T.…` opens, or the rest of a suite behind the same call.
#pragma once

#include <string_view>

#include "tir/tvmscript/forms.h"
#include "tir/tvmscript/function.h"
#include "tir/tvmscript/lines.h"

namespace mlf::tir::tvmscript {

/// Opens a frame for the scope that a call of `form` makes; `name` will refer to what the call
/// gives.
void open_scope(FunctionContext& fn, const Form& form, std::string_view name, text::SyntaxId call,
                Reach reach);
void add_assert(FunctionContext& fn, NodeId condition, NodeId message);

}  // namespace mlf::tir::tvmscript
