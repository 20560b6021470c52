// Values of attributes: lists and maps of strings, numbers, targets, and of objects that are
// printed in forms of their own.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tir/repr/expressions.h"

namespace mlf::tir::repr {

class ValueReader {
 public:
  ValueReader(Context& context, text::Lexer& lexer, ExprReader& exprs)
      : context_(context), lexer_(lexer), exprs_(exprs) {}

  /// Reads the value at the lexer's token and leaves the lexer behind it. `(nullptr)` is none.
  NodeId read();
  /// The same for a map with names as keys.
  std::vector<NamedNode> entries();

 private:
  /// A list or map whose end has not come yet.
  struct Open {
    char close;
    std::uint32_t begin;
    std::vector<NodeId> values;
    std::vector<std::string> names;  ///< of a map, as long as all of its keys are strings
    std::vector<NodeId> keys;        ///< of a map with other keys
  };

  bool opens(char bracket) const;
  void open(char bracket);
  NodeId one();
  NodeId close();
  void key();
  void separator();
  NodeId finish(const Open& container);

  NodeId scalar();
  std::optional<NodeId> target();
  NodeId target_kind(std::string_view kind);
  std::optional<NodeId> object();
  std::optional<NodeId> printed_function();
  NodeId missing(std::string_view printed_type, std::string_view printed);

  Context& context_;
  text::Lexer& lexer_;
  ExprReader& exprs_;
  std::vector<Open> open_;
  std::map<std::string, std::int64_t, std::less<>> missing_;  // how many of a type
  std::map<std::string_view, NodeId> addressed_;              // by `Type(0x…)`
};

}  // namespace mlf::tir::repr
