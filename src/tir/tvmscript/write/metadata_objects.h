// Objects that TVMScript has no words for: they stand as save_json in front of the text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::tvmscript {

class MetadataObjects {
 public:
  /// `metadata["Runtime"][0]` for an object; the same one for the same object.
  std::string reference(Node object);

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
  bool has_missing_ = false;
};

}  // namespace mlf::tir::tvmscript
