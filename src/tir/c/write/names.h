// Names of one function, made unique as TVM's generator makes them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "tir/c/write/forms.h"

namespace mlf::tir::c {

class NameSupply {
 public:
  explicit NameSupply(const Forms& forms);

  /// `hint` as a name of C, with a number behind it where it is taken.
  std::string fresh(std::string_view hint);
  bool contains(const std::string& name) const { return counters_.contains(name); }

 private:
  std::string_view separator_;
  std::unordered_map<std::string, int> counters_;
};

}  // namespace mlf::tir::c
