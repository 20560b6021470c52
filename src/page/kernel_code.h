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
#include "report/constants.h"
#include "report/kernel_text.h"

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
std::vector<StatementPlace> statements_of(tir::Node function, const report::StatementLines& lines);

/// Returns the line of TIR for each line of C. TVM's code generator prints statements in their
/// order; if their numbers differ, there is no match.
std::map<std::uint32_t, std::uint32_t> matching_lines(const std::vector<StatementPlace>& tir,
                                                      const std::vector<StatementPlace>& c);

// --- Kernels -------------------------------------------------------------------------------------

/// Reads code and constants; each file of C is read once.
class CodeCollector {
 public:
  explicit CodeCollector(const Deployment& deployment) : deployment_(deployment) {}

  /// `module` is its position in the archive; `known` is what its network has of the kernel, or
  /// null.
  KernelCode code_of(const KernelReport& kernel, std::size_t module, const graph::Kernel* known);

 private:
  /// A file of C and its TIR, which is null if it cannot be read.
  struct CFile {
    std::shared_ptr<const tir::Document> document;
    std::map<std::string_view, tir::Node> functions;  ///< of the document
  };

  const CFile& read_c(const std::string& file, std::size_t module);
  const report::LineTable* line_table(const archive::Member* member);
  std::string lines(const std::optional<CodeLines>& place);
  std::map<std::uint32_t, std::uint32_t> matches_of(const KernelReport& kernel, std::size_t module,
                                                    const report::KernelText& text);

  const Deployment& deployment_;
  std::map<const tir::Document*, report::PooledConstants> constants_;
  std::map<std::string, CFile, std::less<>> c_;  // by member
  std::map<const archive::Member*, report::LineTable> line_tables_;
};

}  // namespace mlf::page
