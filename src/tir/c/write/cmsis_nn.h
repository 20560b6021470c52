// Layers of CMSIS-NN, whose arguments are printed as structs.
#pragma once

#include "mlf/tir/module.h"
#include "tir/c/write/expressions.h"

namespace mlf::tir::c {

/// Whether this is a call of a layer that takes structs, with arguments that can be in them.
bool is_cmsis_layer(Node call);

/// The structs, the call and the test of its status.
void write_cmsis_layer(Code& code, ExprWriter& exprs, const Forms& forms, Node call);

}  // namespace mlf::tir::c
