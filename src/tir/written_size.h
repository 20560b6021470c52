// How much a module takes where shared nodes are spelled out, found without writing it.
#pragma once

#include <cstdint>

#include "mlf/tir/module.h"

namespace mlf::tir {

/// What a writer that expands sharing may write of `module`: `most` nodes, and always a few times
/// the nodes that the module has, so that no limit is too low for a module without much sharing.
std::uint64_t written_limit(const Module& module, std::uint64_t most);

/// Throws `invalid_input` if the statements and expressions of all functions take more than
/// `written_limit` nodes as trees. 40 chained `x + x` are 41 nodes here and 2^40 as text: writers
/// count first, or they find out when the disk is full.
void check_written_size(const Module& module, std::uint64_t most);

/// The same for one function.
void check_written_size(Node function, std::uint64_t most);

[[noreturn]] void refuse_written_size(std::uint64_t limit);

}  // namespace mlf::tir
