// The member and the lines of a function, the TIR of a kernel as text, and what each of its lines
// costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/export.h"
#include "mlf/report.h"

namespace mlf::report {

/// Converts places in one text to lines, in any order. Counts the lines of the text once; it must
/// outlive this.
class MLF_API LineTable {
 public:
  explicit LineTable(std::string_view text);
  /// Counted from 1.
  std::uint32_t line_of(std::uint32_t offset) const;
  /// The text of these lines, with their line breaks; no more than there is.
  std::string_view lines_of(const CodeLines& lines) const;

 private:
  std::string_view text_;
  std::vector<std::uint32_t> starts_;  // of each line
};

/// The lines of the generated C of one module, by name.
struct CLines {
  std::map<std::string, CodeLines, std::less<>> functions{};
  /// Arrays with values, and members of pools. Not those with a name that the C has twice.
  std::map<std::string, CodeLines, std::less<>> constants{};
};

/// Throws `Error`.
CLines c_lines(const archive::Archive& archive, const Module& module);

/// The text of the same TIR as a lossless twin that has one. Throws `Error`.
TirSource text_beside(const archive::Archive& archive, const TirSource& twin);

/// Returns the bytes of copies of constants in the metadata of one module's generated C: since
/// v0.9, the `TVMConstantInfo` of `get_c_metadata` contain every constant of the memory planner's
/// pools as a string, serialised as an NDArray. If one of the module's files is missing there may
/// be more. Throws `Error`.
analysis::Count copied_constants(const archive::Archive& archive, const Module& module);

/// The lines, counted from 1, on which statements begin.
using StatementLines = std::map<tir::NodeId, std::uint32_t>;

/// The lines of a function's statements in the text that it was read from, of which line `first` is
/// counted as 1.
StatementLines statement_lines(tir::Node function, const LineTable& lines, std::uint32_t first);

struct LineCost {
  std::optional<std::size_t> loop{};     ///< of a loop: position in KernelCost::loops
  std::optional<std::uint64_t> bytes{};  ///< of an allocation with constant extents
};

struct KernelText {
  std::string text{};
  bool is_tvmscript = false;
  StatementLines lines{};
  std::map<std::uint32_t, LineCost> costs{};  ///< by line
};

/// Writes a kernel that has a document as TVMScript. If that cannot express it, returns the text
/// that it was read from, or nothing if the archive does not contain it. Throws `Error`.
MLF_API KernelText kernel_text(const Deployment& deployment, const KernelReport& kernel);

}  // namespace mlf::report
