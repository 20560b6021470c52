// Words of the members with code that are not C of a module, such as headers and files of users.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/deployment.h"
#include "optimize/edited_archive.h"

namespace mlf::optimize {

/// An index of these words: an archive may have many modules, and each asks for its own names.
class OtherCode {
 public:
  /// The texts of the members must not change while this is in use.
  OtherCode(const Deployment& deployment, const EditedMembers& edited);

  /// Occurrences of a word in members that are not in `except`.
  std::size_t count(std::string_view word, const std::set<const archive::Member*>& except) const;
  /// The first type of constants that one of these members defines as a macro; empty if none does.
  std::string_view type_macro(const std::set<const archive::Member*>& except) const;

 private:
  using Counts = std::vector<std::pair<const archive::Member*, std::size_t>>;

  std::unordered_map<std::string_view, Counts> words_;
  std::vector<std::pair<const archive::Member*, std::string_view>> type_macros_;
};

}  // namespace mlf::optimize
