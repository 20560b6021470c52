// Text on its way: fixed words, and nodes that are still to be printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::tvmscript {

/// What a node is printed as.
enum class Form : std::uint8_t {
  text,           ///< no node: `text` as it stands
  expr,           ///< an expression
  value,          ///< the value of an attribute or annotation, where lists are lists
  type,           ///< a type annotation
  type_object,    ///< a type as Python's constructors make it
  lambda_begins,  ///< no node: Python itself evaluates what follows
  lambda_ends,
};

/// How tightly an operator has to bind to stand in a place without brackets; 0: anything may.
using Level = std::uint8_t;

struct Piece {
  Form form = Form::text;
  Level level = 0;
  Node node{};
  std::string text{};
};

class Pieces {
 public:
  Pieces& text(std::string_view words) {
    pieces_.push_back({Form::text, 0, {}, std::string(words)});
    return *this;
  }
  Pieces& node(Form form, Node node, Level level = 0) {
    pieces_.push_back({form, level, node, {}});
    return *this;
  }
  Pieces& expr(Node node, Level level = 0) { return this->node(Form::expr, node, level); }
  Pieces& value(Node node) { return this->node(Form::value, node); }
  /// The elements with a comma between them.
  Pieces& list(NodeList nodes, Form form = Form::expr) {
    std::string_view separator;
    for (const Node element : nodes) {
      text(separator).node(form, element);
      separator = ", ";
    }
    return *this;
  }
  Pieces& mark(Form form) {
    pieces_.push_back({form, 0, {}, {}});
    return *this;
  }
  Pieces& append(const Pieces& other) {
    pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
    return *this;
  }

  const std::vector<Piece>& all() const { return pieces_; }
  void clear() { pieces_.clear(); }

 private:
  std::vector<Piece> pieces_;
};

}  // namespace mlf::tir::tvmscript
