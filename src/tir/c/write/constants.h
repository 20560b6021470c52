// Prints constants as generated C: arrays, and pools of the static memory planner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mlf/tir/module.h"
#include "mlf/tir/write.h"
#include "tir/c/write/code.h"

namespace mlf::tir::c {

/// `static const T … name[N] = {…};` for an NDArray. Throws if its data are unknown, and for
/// elements that the generator cannot print.
void write_array(const Sink& sink, std::string_view name, Node data, std::int64_t alignment);

/// The rows between the braces of an array. Throws as above.
void write_data(const Sink& sink, DType dtype, std::span<const std::byte> data);

/// Throws if an NDArray cannot be printed: its data are unknown, or C has no type for its elements.
void require_printable(Node array, std::string_view name);

/// A pool of USMP, with its size in bytes.
struct NamedPool {
  Node info;
  std::string_view name;
  std::int64_t bytes = 0;
};

/// `struct P {…} P = {…};` for a ConstantPoolInfo, with its size in bytes.
void write_constant_pool(const Sink& sink, const Forms& forms, const NamedPool& pool);
/// `static uint8_t P[N];` for a pool of workspaces.
void write_workspace_pool(const Sink& sink, const NamedPool& pool);

}  // namespace mlf::tir::c
