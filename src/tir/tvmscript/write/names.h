// What the text calls things: variables and buffers by names that are unique in their scope, and
// objects that TVMScript has no words for by their place in the metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mlf/tir/module.h"
#include "support/name_map.h"

namespace mlf::tir::tvmscript {

class ScopedNames {
 public:
  /// For how long nothing else may have a name: what it refers to ends with its scope anyway.
  enum class Lifetime : std::uint8_t { scope, function };

  /// Names `id` after `hint`; a name that is taken gets a number.
  std::string_view bind(NodeId id, std::string_view hint, Lifetime lifetime = Lifetime::scope);
  /// Lets `text`, which is not a name, refer to `id`: `A.data`.
  void alias(NodeId id, std::string text);
  /// The words for a node; empty where it has none in this scope.
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
  support::NameSet<std::string> taken_;
  support::NameMap<std::string, std::size_t> next_number_;
  std::vector<Undo> undo_;
};

/// Whether a name may be written as it is: an identifier and no word of Python.
bool is_identifier(std::string_view name);

class MetadataObjects {
 public:
  /// `metadata["Runtime"][0]` for an object; the same one for the same object.
  std::string reference(Node object);
  /// The same for an array that is not in the metadata.
  std::string reference_to_left_out(Node array);

  bool empty() const { return objects_.empty(); }
  /// The objects by type key, in the order of their indices.
  const std::map<std::string, std::vector<NodeId>, std::less<>>& objects() const {
    return objects_;
  }
  /// Whether the text refers to objects that its own source had left out.
  bool has_missing() const { return has_missing_; }
  void note_missing() { has_missing_ = true; }

 private:
  std::map<std::string, std::vector<NodeId>, std::less<>> objects_;
  std::vector<NodeId> left_out_;
  bool has_missing_ = false;
};

}  // namespace mlf::tir::tvmscript
