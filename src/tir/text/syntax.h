// The syntax of one expression as a flat array in post-order: every part comes before its whole,
// so an expression becomes IR in one loop over the array with a stack of results.
#pragma once

#include <cstdint>
#include <vector>

#include "tir/text/lexer.h"

namespace mlf::tir::text {

enum class SyntaxKind : std::uint8_t {
  // No children. `name_*` is the token.
  name,
  integer,
  real,
  string,
  absent,         ///< left out: a bound of a slice, the value of `dtype=`
  lambda_params,  ///< names between `lambda` and `:`; before the body, so that it can define them
  // One child.
  unary,       ///< sign
  attribute,   ///< value; `name_*` is the word after the dot
  keyword,     ///< value; `name_*` is the word before `=`
  annotation,  ///< name; `name_*` is the text of the type behind the colon
  load_cast,   ///< value; `name_*` is the dtype in `(float32*)`
  // Two children.
  binary,  ///< left, right; sign
  lambda,  ///< lambda_params, body
  // Any number.
  call,       ///< callee, arguments
  subscript,  ///< value, indices
  slice,      ///< two or three bounds, maybe absent
  list,
  tuple,
  dict,  ///< key, value, key, value, …
};

struct Syntax {
  SyntaxKind kind;
  Sign sign = Sign::none;   ///< unary and binary: the operator
  std::uint32_t arity = 0;  ///< number of children
  std::uint32_t first = 0;  ///< index at which the subtree begins
  std::uint32_t begin = 0;  ///< source bytes of the whole
  std::uint32_t end = 0;
  std::uint32_t name_begin = 0;  ///< source bytes of its own name or operator
  std::uint32_t name_end = 0;
};

/// Index of a node in a SyntaxTree.
using SyntaxId = std::uint32_t;

/// Expressions one after another; `clear` when their statement is done.
class SyntaxTree {
 public:
  const Syntax& operator[](SyntaxId id) const { return nodes_[id]; }
  SyntaxId size() const { return static_cast<SyntaxId>(nodes_.size()); }
  SyntaxId push(const Syntax& node) {
    nodes_.push_back(node);
    return size() - 1;
  }
  void pop() { nodes_.pop_back(); }
  void clear() { nodes_.clear(); }

  /// The last child of a node is right before it, the one before in front of its subtree.
  SyntaxId last_child(SyntaxId id) const { return id - 1; }
  SyntaxId previous_sibling(SyntaxId id) const { return nodes_[id].first - 1; }
  /// The children of a node in order, into a buffer of the caller.
  void children(SyntaxId id, std::vector<SyntaxId>& into) const {
    into.resize(nodes_[id].arity);
    SyntaxId child = id;
    for (std::size_t i = into.size(); i > 0; --i) {
      child = i == into.size() ? last_child(id) : previous_sibling(child);
      into[i - 1] = child;
    }
  }

 private:
  std::vector<Syntax> nodes_;
};

}  // namespace mlf::tir::text
