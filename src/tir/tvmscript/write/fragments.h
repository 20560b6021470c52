// Text on its way: fixed words, and nodes that are still to be printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::tvmscript {

/// What a node is printed as.
enum class PrintAs : std::uint8_t {
  text,           ///< no node: `text` as it is
  expr,           ///< an expression
  value,          ///< the value of an attribute or annotation, where lists are lists
  type,           ///< a type annotation
  type_object,    ///< a type as Python's constructors make it
  lambda_begins,  ///< no node: Python itself evaluates what follows
  lambda_ends,
};

/// How tightly an operator has to bind to be in a place without brackets; 0: anything may.
using Level = std::uint8_t;

struct TextFragment {
  PrintAs as = PrintAs::text;
  Level level = 0;
  Node node{};
  std::string text{};
};

class TextFragments {
 public:
  TextFragments& text(std::string_view words) {
    fragments_.push_back({PrintAs::text, 0, {}, std::string(words)});
    return *this;
  }
  TextFragments& node(PrintAs as, Node node, Level level = 0) {
    fragments_.push_back({as, level, node, {}});
    return *this;
  }
  TextFragments& expr(Node node, Level level = 0) { return this->node(PrintAs::expr, node, level); }
  TextFragments& value(Node node) { return this->node(PrintAs::value, node); }
  /// The elements with a comma between them.
  TextFragments& list(NodeList nodes, PrintAs as = PrintAs::expr) {
    std::string_view separator;
    for (const Node element : nodes) {
      text(separator).node(as, element);
      separator = ", ";
    }
    return *this;
  }
  TextFragments& mark(PrintAs as) {
    fragments_.push_back({as, 0, {}, {}});
    return *this;
  }
  TextFragments& append(const TextFragments& other) {
    fragments_.insert(fragments_.end(), other.fragments_.begin(), other.fragments_.end());
    return *this;
  }

  const std::vector<TextFragment>& all() const { return fragments_; }
  void clear() { fragments_.clear(); }

 private:
  std::vector<TextFragment> fragments_;
};

}  // namespace mlf::tir::tvmscript
