// Names in Python for variables and buffers, unique in their scope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::tvmscript {

class ScopedNames {
 public:
  /// For how long nothing else may have a name: what it stands for ends with its scope anyway.
  enum class Lifetime : std::uint8_t { scope, function };

  /// Names `id` after `hint`; a name that is taken gets a number.
  std::string_view bind(NodeId id, std::string_view hint, Lifetime lifetime = Lifetime::scope);
  /// Lets `id` stand for `text`, which is no name: `A.data`.
  void alias(NodeId id, std::string text);
  /// What stands for a node; empty where it has no name in this scope.
  std::string_view find(NodeId id) const;
  /// A name that nothing has, which is taken from now on.
  std::string fresh(std::string_view hint);

  /// Where a scope begins; `release` takes back what was named since.
  std::size_t mark() const { return undo_.size(); }
  void release(std::size_t mark);
  /// Where a function ends.
  void clear();

 private:
  struct Undo {
    NodeId id;           // none where only the name was taken
    std::string name;    // empty where nothing was taken
    std::string before;  // what stood for the node
    Lifetime lifetime = Lifetime::scope;
  };

  std::unordered_map<std::uint32_t, std::string> texts_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> next_number_;
  std::vector<Undo> undo_;
};

/// Whether a name may be written as it is: an identifier and no word of Python.
bool is_identifier(std::string_view name);

}  // namespace mlf::tir::tvmscript
