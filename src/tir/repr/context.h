// What all parts of the reader of repr text share while one text is read.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tir/repr/buffers.h"
#include "tir/repr/names.h"
#include "tir/text/losses.h"
#include "tir/text/reader_context.h"

namespace mlf::tir::repr {

/// What is known of variables when they are defined, by node.
struct Definitions {
  /// The value of what a let defines.
  std::unordered_map<std::uint32_t, NodeId> values;
  /// First value and number of values of what a loop or a domain counts.
  std::unordered_map<std::uint32_t, std::pair<NodeId, NodeId>> domains;
  /// The extents of what an allocation defines.
  std::unordered_map<std::uint32_t, std::vector<NodeId>> extents;
  /// Numbers that the text implies: their dtype is that of what they are beside.
  std::vector<NodeId> implied;
};

struct Context : text::ReaderContext {
  using ReaderContext::ReaderContext;

  /// A variable of which the text has the name alone: `n`, or `{n|n>=0}`, a SizeVar.
  NodeId var(std::string_view printed);
  /// A pointer to what an allocation holds.
  NodeId pointer(std::string_view name, DType element, std::string_view scope);

  text::MissingObjects missing{builder, losses};

  // Of the function that is being read:
  NameTable names;
  BufferTable buffers{make, names};
  Definitions definitions;
};

}  // namespace mlf::tir::repr
