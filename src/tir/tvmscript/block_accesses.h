// What blocks read and write where a script does not say it, as TVM's parser completes it
// (src/tir/analysis/block_access_region_detector.cc).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

/// Where a text defines a buffer that blocks may access: those of parameters and of the root block
/// come first, with the order 0.
struct BufferDefinition {
  std::uint32_t order;
  NodeId buffer;
};
using AccessibleBuffers = std::unordered_map<NodeId, BufferDefinition>;  // by data pointer

/// A block whose T.reads or T.writes are not in the text.
struct IncompleteBlock {
  NodeId block;
  std::uint32_t first_definition;  ///< order of the first buffer that is defined inside of it
  bool states_reads;
  bool states_writes;
};

/// Sets the reads and writes of a block that are not stated. Blocks inside of it are complete.
/// A region that TVM would narrow further is the whole dimension, and a loss.
void complete_block(Context& c, const AccessibleBuffers& buffers, const IncompleteBlock& block);

}  // namespace mlf::tir::tvmscript
