// The TIR of a kernel as text, and what each of its lines costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "mlf/deployment.h"
#include "mlf/export.h"
#include "mlf/report.h"
#include "report/code_lines.h"

namespace mlf::report {

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
