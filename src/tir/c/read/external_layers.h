// Reads kernels of other code generators. CMSIS-NN: structs that describe a layer, one call, and a
// test of its status. Arm's Ethos-U: addresses in arrays, and one call of the driver.
#pragma once

#include <optional>

#include "tir/c/read/context.h"
#include "tir/c/read/expressions.h"

namespace mlf::tir::c {

/// Reads a layer, from its first struct to the test of its status, as a call of the IR; nullopt if
/// the structs of a layer do not begin here. Fails if the text differs from TVM's form, because
/// then its meaning is unknown.
std::optional<NodeId> read_cmsis_layer(FunctionContext& context, ExprReader& exprs);

/// Reads the whole body of a function for an Ethos-U as the return of a call; nullopt if this is no
/// such body. Fails if the text differs from TVM's form.
std::optional<NodeId> read_ethos_u_launch(FunctionContext& context, ExprReader& exprs);

}  // namespace mlf::tir::c
