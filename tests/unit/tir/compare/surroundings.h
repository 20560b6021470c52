// The role of a node among the nodes around it: the buffer of a variable, the sequence of a
// statement.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::compare_detail {

class Roles {
 public:
  explicit Roles(const Module& module);

  /// The first buffer whose data pointer, offset or stride this Var is; undefined if none.
  Node buffer_with_part(Node var) const { return find(parts_, var); }
  /// The first buffer whose data pointer this Var is.
  Node buffer_with_data(Node var) const { return find(data_, var); }
  /// The buffer that a parameter is bound to.
  Node buffer_of_param(Node var) const { return find(params_, var); }
  /// Whether a DeclBuffer or a block defines this buffer.
  bool is_stated(Node buffer) const { return stated_.contains(index(buffer.id())); }
  /// Whether an Allocate or AllocateConst sets this Var.
  bool is_allocated(Node var) const { return allocated_.contains(index(var.id())); }
  /// The first function that contains a node; 0 outside of functions.
  std::uint32_t scope_of(Node node) const;
  /// Whether this Block is the outermost of a function.
  bool is_root_block(Node block) const { return roots_.contains(index(block.id())); }

 private:
  using NodeById = std::unordered_map<std::uint32_t, NodeId>;

  void add(Node node);
  void add_buffer(Node buffer);
  void add_function(Node function);
  void add_block(Node block);
  static Node find(const NodeById& ids, Node key);

  std::unordered_map<std::uint32_t, std::uint32_t> scopes_;
  NodeById parts_;
  NodeById data_;
  NodeById params_;
  std::unordered_set<std::uint32_t> stated_;
  std::unordered_set<std::uint32_t> allocated_;
  std::unordered_set<std::uint32_t> roots_;
};

/// The list of statements after sequences are spliced in. For a statement that is not a sequence, a
/// list of that statement.
std::vector<Node> spliced(Node stmt);

/// Whether two statements are nested in sequences in the same way.
bool has_same_sequences(Node left, Node right);

/// The statement in a sequence of one; the node itself otherwise.
Node unwrapped(Node stmt);

}  // namespace mlf::tir::compare_detail
