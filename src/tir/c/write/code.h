// The text of one function during printing: lines, blocks, names, and temporaries that expressions
// need before their statement.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/module.h"
#include "support/name_map.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {

/// Throws support::Error: "… cannot be printed as C".
[[noreturn]] void cannot_print(std::string_view what);

/// `int32_t`, `float`, `void*`. Throws for a type that the generator cannot print.
std::string type_text(DType dtype);
/// The type of a Var; for a pointer, the element type and a star.
std::string type_text(Node var);
/// The element type that the type of a pointer states; void for other variables.
DType pointee_of_var(Node var);

/// The 64-bit type in which packed functions receive a value.
DType api_type(DType dtype);

/// An integer: bare for int32, otherwise after its type.
std::string integer_text(DType dtype, std::int64_t value);
/// A float with seven digits, as `%e`.
std::string float_text(DType dtype, double value);

/// The full name of the operator of a Call; empty for a call of something else.
std::string_view operator_of(Node call);

class Forms {
 public:
  /// If the range leaves a choice, the last version that prints a `?:` as the reader reads it:
  /// other differences would have narrowed the range.
  explicit Forms(const VersionRange& version);

  /// Whether C has a feature, one of the rows `c_…` of tvm_versions.def.
  bool has(TvmFeature feature) const;

 private:
  std::uint8_t minor_;
  bool is_between_11_and_12_;
  bool is_between_15_and_16_;
};

/// Names of one function, made unique as TVM's CodeGenSourceBase makes them.
class NameSupply {
 public:
  explicit NameSupply(const Forms& forms);

  /// `hint` as a name of C, with a number if it is taken.
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
  /// A line that is already complete.
  void plain_line(std::string_view text) {
    indent();
    text_ += text;
    text_ += '\n';
  }

  using Scope = std::size_t;
  Scope begin_scope() {
    is_open_.push_back(true);
    indent_ += kIndent;
    return is_open_.size() - 1;
  }
  void end_scope(Scope scope) {
    is_open_[scope] = false;
    indent_ -= kIndent;
  }
  /// Prints what `print()` does in a scope of its own.
  template <class Print>
  void in_scope(Print&& print) {
    const Scope scope = begin_scope();
    print();
    end_scope(scope);
  }
  /// `return -1;` and the end of its block.
  void return_error() {
    in_scope([&] { line("return -1;"); });
    line("}}");
  }

  std::string fresh(std::string_view hint) { return names_.fresh(hint); }

  /// A literal, which never needs a temporary.
  void mark_constant(const std::string& literal) {
    temporaries_.try_emplace(literal, ScopedName{literal, 0});
  }
  /// A name for the value of `source`: its own name if it is a variable or a marked constant, the
  /// name of the temporary with the same text, or of a new temporary of type `type`.
  std::string temporary(const std::string& source, std::string_view type);

  std::size_t size() const { return text_.size(); }
  std::string take() && { return std::move(text_); }

 private:
  static constexpr std::size_t kIndent = 2;
  // Deeper statements are not indented further: a thousand levels would need a million blanks.
  static constexpr std::size_t kMostIndented = 256;
  struct ScopedName {
    std::string name;
    Scope scope;
  };
  static std::string_view temporary_stem(const Forms& forms) {
    return forms.has(TvmFeature::c_temporaries_v) ? "v_" : "_";
  }
  void indent() { text_.append(std::min(indent_, kMostIndented), ' '); }

  std::string text_;
  std::size_t indent_ = 0;
  NameSupply names_;
  std::string_view stem_;
  std::vector<bool> is_open_;  // by scope, in the order in which they began
  support::NameMap<std::string, ScopedName> temporaries_;  // by text
};

}  // namespace mlf::tir::c
