// A function of a script while it is read, line by line.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/builder.h"
#include "tir/tvmscript/frames.h"

namespace mlf::tir::tvmscript {

enum class Visibility : std::uint8_t { exported, hidden };

/// A function between its text and its node: what it lacks may follow from the rest of the module.
struct FunctionDraft {
  std::string_view name;
  Visibility visibility = Visibility::exported;
  std::uint32_t name_offset = 0;
  SourceRange range;
  std::vector<NodeId> params;
  std::vector<NodePair> buffer_map;
  std::vector<NodePair> preflattened_buffer_map;
  std::vector<NamedNode> attrs;
  EntryNames attr_names;
  bool states_attrs = false;  ///< has a T.func_attr, be it empty
  NodeId ret_type = NodeId::none;
  NodeId body = NodeId::none;
};

struct LoopRange {
  NodeId min;
  NodeId extent;
};

/// What the readers of statements share.
struct FunctionContext {
  FunctionContext(Context& context, FunctionDraft& function)
      : c(context), draft(function), frames(context) {}

  Context& c;
  FunctionDraft& draft;
  Frames frames;
  std::uint32_t line_begin = 0;  ///< of the line that is read
  std::uint32_t line_end = 0;    ///< of the last line
  bool expects_suite = false;    ///< the last line opened a frame whose indentation is to come
  std::unordered_map<std::uint32_t, LoopRange> loop_ranges;         ///< by loop variable
  std::unordered_map<std::uint32_t, std::string_view> thread_tags;  ///< by env_thread variable
  std::unordered_set<std::uint32_t> parameters;                     ///< once one is asked for
  /// What loops declared before its turn, by line.
  std::unordered_map<std::uint32_t, NodeId> declared_ahead;
  /// Variables and buffers that no statement has set yet.
  std::unordered_set<std::uint32_t> declared;
};

/// Reads a function from `def` to the last line of its body.
void read_function(Context& c, FunctionDraft& draft);

}  // namespace mlf::tir::tvmscript
