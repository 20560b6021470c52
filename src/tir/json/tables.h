// The tables of tir-N.json while it is read.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/document.h"
#include "mlf/tir/builder.h"

namespace mlf::tir::tir_json {

/// Names the tables of one function, or of the module outside its functions (0).
using ScopeId = std::uint32_t;

enum class TableId : std::uint8_t { vars, buffers, exprs };

/// An entry that becomes a node when something first refers to it.
struct TableEntry {
  json::Value json;
  ScopeId scope;
  NodeId made = NodeId::none;
  bool open = false;  // being made: a reference to it now is a circle
};

/// What the whole document shares. Ids are positions.
struct Tables {
  std::vector<TableEntry> vars;
  std::vector<TableEntry> buffers;
  std::vector<std::vector<TableEntry>> exprs;  // by scope
  std::vector<std::uint32_t> exprs_end;        // by scope: what stands behind in the JSON
  std::vector<NodeId> constants;
  std::vector<NodeId> objects;
  std::unordered_map<std::string_view, NodeId> ops;
  std::unordered_map<std::string_view, NodeId> global_vars;
  /// Nodes of the module's functions; undefined until something needs them.
  std::unordered_map<std::string_view, NodeId> functions;

  std::vector<TableEntry>& table(TableId id, ScopeId scope) {
    if (id == TableId::exprs) return exprs[scope];
    return id == TableId::vars ? vars : buffers;
  }
};

/// A PrimFunc without content, to be filled in later.
NodeId make_empty_function(Builder& builder);

}  // namespace mlf::tir::tir_json
