// Statements outside of the grammar of generated C: people add hooks, counters and checks.
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

/// Makes OpaqueStmts of the statements of one function that are not understood.
class UnknownStatements {
 public:
  explicit UnknownStatements(FunctionContext& context) : context_(context) {}

  /// Passes over the statement at the cursor and makes an OpaqueStmt with the fields `text` and
  /// `is_inert`, and `calls` where a call of this function is all that it may do, under the loss
  /// unknown-construct. Nothing where no statement begins here or where
  /// there are too many of them: then the function as a whole is not understood.
  std::optional<UnknownStatement> pass(const Diagnostic& reason);

 private:
  // People instrument each call. Beyond this the function is not one that TVM generated.
  static constexpr std::size_t kMost = 4096;

  /// What a statement does that names nothing of this function.
  struct Effects {
    bool is_harmless = false;   ///< it computes values and calls functions, no more
    std::string_view callee{};  ///< of its first call; empty: none
  };
  Effects effects_of(std::size_t begin, std::size_t end) const;
  bool is_of_function(std::string_view name) const;
  void taint(std::size_t begin, std::size_t end);
  bool mentions(std::size_t begin, std::size_t end, std::string_view word) const;

  FunctionContext& context_;
  std::size_t count_ = 0;
  /// Names that statements with an unknown effect use: they may refer to what the function knows.
  support::NameSet<std::string_view> tainted_;
};

}  // namespace mlf::tir::c
