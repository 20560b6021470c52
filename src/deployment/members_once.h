// Members in the order of their first use.
#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "mlf/archive.h"

namespace mlf::deployment {

/// Collects members, each once. Several TIR sources share generated C and parameters.
class MembersOnce {
 public:
  void add(const archive::Member* member) {
    if (seen_.insert(member).second) members_.push_back(member);
  }
  std::vector<const archive::Member*> take() && { return std::move(members_); }

 private:
  std::unordered_set<const archive::Member*> seen_;
  std::vector<const archive::Member*> members_;
};

}  // namespace mlf::deployment
