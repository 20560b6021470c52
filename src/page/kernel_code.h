// The code of kernels on a page: TIR as TVMScript beside the generated C, and the lines of both
// that are the same statement.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/deployment.h"
#include "page/page.h"
#include "report/code_lines.h"
#include "report/constants.h"

namespace mlf::page {

// --- Lines that are the same statement -----------------------------------------------------------

/// A loop, a store or a condition, and the line that it begins on.
struct StatementPlace {
  tir::Kind kind{};
  std::uint32_t depth = 0;  ///< statements of these kinds around it
  std::uint32_t line = 0;   ///< counted from 1
};

/// Returns the loops, stores and conditions of a function in their order. Empty if one of them has
/// no place in the text.
std::vector<StatementPlace> statements_of(tir::Node function, const report::LineTable& lines);

/// Returns the line of TIR for each line of C. TVM's code generator prints statements in their
/// order; if their numbers differ, there is no match.
std::map<std::uint32_t, std::uint32_t> matching_lines(const std::vector<StatementPlace>& tir,
                                                      const std::vector<StatementPlace>& c);

// --- TVMScript, function by function -------------------------------------------------------------

/// Writes the whole module once and splits it at its functions: a module for each function would
/// require a copy each time.
class ScriptFunctions {
 public:
  explicit ScriptFunctions(std::string_view script);

  struct Function {
    std::string text;
    std::uint32_t first_line = 1;  ///< in the whole script
  };
  /// Returns null if there is no function of this name.
  const Function* find(std::string_view name) const;

 private:
  std::map<std::string, Function, std::less<>> by_name_;
};

// --- Kernels -------------------------------------------------------------------------------------

/// A text and its TIR.
class ReadText {
 public:
  /// The document is null if the text cannot be read.
  ReadText(std::shared_ptr<const tir::Document> document, std::string_view text);

  /// Statements of a function; none if it is not in the text.
  std::vector<StatementPlace> statements_of(std::string_view function) const;

 private:
  std::shared_ptr<const tir::Document> document_;
  std::map<std::string_view, tir::Node> functions_;  // of the document
  report::LineTable lines_;
};

/// Reads code and constants; each TIR is written as a script once, each file of C read once.
class CodeCollector {
 public:
  explicit CodeCollector(const Deployment& deployment) : deployment_(deployment) {}

  /// `module` is its position in the archive; `known` is what its network has of the kernel, or
  /// null.
  KernelCode code_of(const KernelReport& kernel, std::size_t module, const graph::Kernel* known);

 private:
  struct Source {
    std::shared_ptr<const tir::Document> document;
    ScriptFunctions functions;
    ReadText text;  ///< the script, or the archive's own text if there is no script
    report::PooledConstants constants;
    std::map<tir::NodeId, std::string_view> names;  ///< of functions of the document
  };

  std::string whole_script(const KernelReport& kernel) const;
  Source read(const KernelReport& kernel) const;
  const Source& source_of(const KernelReport& kernel);
  std::string lines(const std::optional<CodeLines>& place);
  std::vector<StatementPlace> statements_of_c(const KernelReport& kernel, std::size_t module);
  std::map<std::uint32_t, std::uint32_t> matches_of(const KernelReport& kernel, std::size_t module,
                                                    const KernelCode& code);

  const Deployment& deployment_;
  std::map<const tir::Document*, Source> sources_;
  std::map<std::string, ReadText, std::less<>> c_;  // by member
  std::map<const archive::Member*, report::LineTable> line_tables_;
};

}  // namespace mlf::page
