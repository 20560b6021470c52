// Statements of a function body that are outside of the grammar.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "mlf/diagnostics.h"
#include "support/name_map.h"
#include "tir/c/read/context.h"

namespace mlf::tir::c {

/// A statement that keeps its text.
struct UnknownStatement {
  NodeId statement = NodeId::none;  ///< OpaqueStmt of type key "c"
  bool returns = false;             ///< it may leave the function
};

/// Makes OpaqueStmts of the statements that the reader does not understand.
class UnknownStatements {
 public:
  explicit UnknownStatements(FunctionContext& context) : context_(context) {}

  /// Skips the statement at the cursor and makes an OpaqueStmt, with the loss unknown-construct
  /// unless it only writes values or compares them.
  /// Fields: `text`, `is_inert`, and `calls` if a call of this function is its only possible
  /// effect. Returns nullopt if no statement begins here, or if there are too many of them: then
  /// the whole function is not understood.
  std::optional<UnknownStatement> pass(const Diagnostic& reason);

  /// Whether people add statements with this function, which write values or compare them, and
  /// keep no address.
  static bool may_only_read(std::string_view callee);

 private:
  // Users instrument each call. With more statements than this, TVM did not generate the function.
  static constexpr std::size_t kMost = 4096;

  /// The effect of a statement without names of this function.
  struct Effects {
    bool only_reads = false;    ///< it writes values or compares them
    bool is_harmless = false;   ///< it only computes values and calls functions
    std::string_view callee{};  ///< of its first call; empty: none
  };
  Effects effects_of(std::size_t begin, std::size_t end) const;
  bool is_of_function(std::string_view name) const;
  void taint(std::size_t begin, std::size_t end);

  FunctionContext& context_;
  std::size_t count_ = 0;
  /// Names that statements with an unknown effect use: they may refer to anything that the function
  /// knows.
  support::NameSet<std::string_view> tainted_;
};

}  // namespace mlf::tir::c
