// Constants as generated C prints them: arrays, and pools of the static memory planner.
#pragma once

#include <cstdint>
#include <string_view>

#include "mlf/tir/module.h"
#include "mlf/tir/write.h"
#include "tir/c/write/forms.h"

namespace mlf::tir::c {

/// `static const T … name[N] = {…};` for an NDArray. Throws where its data are not known, and for
/// elements that the generator cannot print.
void write_array(const Sink& sink, std::string_view name, Node data, std::int64_t alignment);

/// `struct P {…} P = {…};` for a ConstantPoolInfo, its size stated in bytes.
void write_constant_pool(const Sink& sink, const Forms& forms, Node info, std::int64_t bytes);
/// `static uint8_t P[N];` for a WorkspacePoolInfo.
void write_workspace_pool(const Sink& sink, Node info, std::int64_t bytes);

}  // namespace mlf::tir::c
