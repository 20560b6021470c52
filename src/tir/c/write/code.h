// The text of one function as it grows: lines, blocks, names, and the temporaries that expressions
// need before the statement they are in.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/name_map.h"
#include "tir/c/write/spelling.h"

namespace mlf::tir::c {

/// Names of one function, made unique as TVM's CodeGenSourceBase makes them.
class NameSupply {
 public:
  explicit NameSupply(const Forms& forms);

  /// `hint` as a name of C, with a number behind it where it is taken.
  std::string fresh(std::string_view hint);
  bool contains(const std::string& name) const { return counters_.contains(name); }

 private:
  std::string_view separator_;
  support::NameMap<std::string, int> counters_;
};

class Code {
 public:
  explicit Code(const Forms& forms) : names_(forms), stem_(temporary_stem(forms)) {}

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    indent();
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  /// A line that already is one text.
  void plain_line(std::string_view text);

  using Scope = std::size_t;
  Scope begin_scope();
  void end_scope(Scope scope);

  std::string fresh(std::string_view hint) { return names_.fresh(hint); }

  /// A literal that never needs a temporary.
  void mark_constant(const std::string& literal);
  /// A name for the value of `source`: its own name where it is a variable or a marked constant,
  /// that of the temporary which holds the same text, or a new temporary of type `type`.
  std::string temporary(const std::string& source, std::string_view type);

  std::size_t size() const { return text_.size(); }
  std::string take() && { return std::move(text_); }

 private:
  struct Entry {
    std::string name;
    Scope scope;
  };
  static std::string_view temporary_stem(const Forms& forms);
  void indent();

  std::string text_;
  std::size_t indent_ = 0;
  NameSupply names_;
  std::string_view stem_;
  std::vector<bool> is_open_;                         // by scope, in the order of their beginning
  support::NameMap<std::string, Entry> temporaries_;  // by text
};

}  // namespace mlf::tir::c
