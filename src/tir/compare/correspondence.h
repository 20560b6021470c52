// The correspondence of two modules: of nodes with an identity, one to one, and of entries of maps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::compare_detail {

/// Whether identity of such a node is meaning: Var, Buffer, constants and objects. Spans are
/// objects for TVM, but what they say is all there is to them.
bool has_identity(Node node);

class Pairing {
 public:
  Pairing(const Module& left, const Module& right)
      : right_of_(left.size()), left_of_(right.size()), scope_of_(left.size()) {}

  enum class Match : std::uint8_t {
    paired,      ///< these two correspond, now or since an earlier call
    left_split,  ///< left has another partner, right has none: one node became several
    conflict,    ///< right has another partner
  };
  /// Pairs two nodes, and records `scope` as the place.
  Match pair(Node left, Node right, std::uint32_t scope);
  /// Gives a left node that has a partner another one.
  void add_copy(Node left, Node right, std::uint32_t scope);
  /// The scope in which a left node was paired last.
  std::uint32_t scope_of(Node left) const { return scope_of_[index(left.id())]; }

  /// Partners; `NodeId::none` where there is none yet.
  NodeId left_of(Node right) const { return left_of_[index(right.id())]; }
  NodeId right_of(Node left) const { return right_of_[index(left.id())]; }

  /// Pairs an object with a reference into a metadata section that is not there; false if the
  /// reference was paired with another object before.
  bool pair_missing(Node left, Node reference);

 private:
  std::vector<NodeId> right_of_;
  std::vector<NodeId> left_of_;
  std::vector<std::uint32_t> scope_of_;
  std::map<std::pair<std::string, std::int64_t>, NodeId> missing_;
};

constexpr std::uint32_t kUnmatched = UINT32_MAX;

/// For each entry on the left its position on the right, or kUnmatched.
using Matching = std::vector<std::uint32_t>;

/// By the names of a string_map.
Matching match_names(const NodeMap& left, const NodeMap& right);

/// By the keys of a node_map: GlobalVars by name, constants by value, other keys that are known to
/// correspond by that, the rest by position. No position is matched twice.
Matching match_keys(const NodeMap& left, const NodeMap& right, const Pairing& pairing);

/// Positions on the right without a counterpart on the left.
std::vector<std::uint32_t> unmatched_on_right(const Matching& matching, std::size_t right_size);

/// Whether matched entries are in the same order on both sides.
bool is_in_order(const Matching& matching);

}  // namespace mlf::tir::compare_detail
