// Values of attributes: lists and maps of strings, numbers, targets, and of objects that are
// printed in forms of their own.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
  /// A list, map or object whose end has not come yet.
  struct Open {
    char close;
    std::uint32_t begin;
    Kind kind = Kind::Array;  ///< of an object
    std::vector<NodeId> values{};
    std::vector<std::string> names{};  ///< of fields; of a map, as long as all its keys are strings
    std::vector<NodeId> keys{};        ///< of a map with other keys
  };

  bool opens(char bracket) const;
  std::optional<Kind> object_that_opens() const;
  void open(Open container, std::size_t bytes);
  NodeId one();
  NodeId close();
  void key();
  void field();
  void separator();
  NodeId finish(const Open& container);
  NodeId finish_object(const Open& object);

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
  std::map<std::string_view, std::int64_t> addressed_;        // which one `Type(0x…)` is
  std::unordered_map<std::string_view, NodeId> pools_;        // by their text
};

}  // namespace mlf::tir::repr
