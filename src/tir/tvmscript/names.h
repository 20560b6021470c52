// Names in a script: the prefixes of its modules, and what the others refer to, by scope.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/module.h"
#include "support/name_map.h"

namespace mlf::tir::tvmscript {

/// The word before the dot of a builtin; users may choose their own.
struct Prefixes {
  std::string_view ir = "I";
  std::string_view tir = "T";
  std::string_view relax = "R";
};

/// Takes a comment such as `# from tvm.script import tir as T`; others are passed over. False where
/// it imports `tirx`, the language of v0.24 and later.
bool read_import(std::string_view comment, Prefixes& prefixes);

/// What follows the prefix and the dot in `path`; empty where it starts otherwise.
std::string_view after_prefix(std::string_view path, std::string_view prefix);

/// Whether a comment is the `# with T.block("root"):` of an implied root block.
bool is_root_block(std::string_view comment);

/// Names are released when their scope ends, so one name may refer to several objects in turn.
/// The names themselves are parts of the source, which outlives the table.
class NameTable {
 public:
  NodeId find(std::string_view name) const {
    const auto found = bound_.find(name);
    return found == bound_.end() ? NodeId::none : found->second;
  }

  void bind(std::string_view name, NodeId node) {
    NodeId& bound = bound_[name];
    undo_.emplace_back(name, bound);
    bound = node;
  }

  /// Where a scope begins; `release` takes back what was bound since.
  std::size_t mark() const { return undo_.size(); }
  void release(std::size_t mark) {
    for (; undo_.size() > mark; undo_.pop_back()) {
      bound_[undo_.back().first] = undo_.back().second;
    }
  }

 private:
  support::NameMap<std::string_view, NodeId> bound_;
  std::vector<std::pair<std::string_view, NodeId>> undo_;
};

}  // namespace mlf::tir::tvmscript
