// The correspondence between two modules: one to one for nodes with an identity, and for entries of
// maps.
#pragma once

#include <cstdint>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::compare_detail {

/// Whether the identity of a node is significant: for Var, Buffer, constants and objects. Spans are
/// objects in TVM, but only their content matters.
bool has_identity(Node node);

class Pairing {
 public:
  Pairing(const Module& left, const Module& right)
      : right_of_(left.size()), left_of_(right.size()) {}

  enum class Match : std::uint8_t {
    paired,      ///< these two correspond, now or since an earlier call
    left_split,  ///< left has another partner, right has none: one node became several
    conflict,    ///< right has another partner
  };
  Match pair(Node left, Node right);
  /// Gives another partner to a left node that has one.
  void add_copy(Node left, Node right);

  /// Partners; `NodeId::none` if there is none yet.
  NodeId left_of(Node right) const { return left_of_[index(right.id())]; }
  NodeId right_of(Node left) const { return right_of_[index(left.id())]; }

 private:
  std::vector<NodeId> right_of_;
  std::vector<NodeId> left_of_;
};

constexpr std::uint32_t kUnmatched = UINT32_MAX;

/// For each entry on the left its position on the right, or kUnmatched.
using Matching = std::vector<std::uint32_t>;

/// Matches by the names of a string_map.
Matching match_names(const NodeMap& left, const NodeMap& right);

/// Matches by the keys of a node_map: GlobalVars by name, constants by value, paired keys by their
/// pairs, the rest by position. Matches no position twice.
Matching match_keys(const NodeMap& left, const NodeMap& right, const Pairing& pairing);
/// The equal element for each element of a list of constants; empty if they are not the same ones.
Matching match_arrays(const NodeList& left, const NodeList& right);

/// Positions on the right without a counterpart on the left.
std::vector<std::uint32_t> unmatched_on_right(const Matching& matching, std::size_t right_size);

/// Whether matched entries are in the same order on both sides.
bool is_in_order(const Matching& matching);

}  // namespace mlf::tir::compare_detail
