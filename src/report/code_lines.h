// Finds the member and the lines of a function.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/report.h"

namespace mlf::report {

/// Converts places in one text to lines, in any order. Counts the lines of the text once.
class LineTable {
 public:
  explicit LineTable(std::string_view text);
  /// Counted from 1.
  std::uint32_t line_of(std::uint32_t offset) const;
  /// The text of these lines, with their line breaks; no more than there is. `text` is that of the
  /// table.
  std::string_view lines_of(std::string_view text, const CodeLines& lines) const;

 private:
  std::vector<std::uint32_t> starts_;  // of each line
};

/// LineTable::lines_of for one place in a text.
MLF_API std::string_view lines_of(std::string_view text, const CodeLines& lines);

/// The functions that generated C of one module defines, by symbol. Throws `Error`.
std::map<std::string, CodeLines, std::less<>> c_functions(const archive::Archive& archive,
                                                          const Module& module);

/// The text of the same TIR as a lossless twin that has one. Throws `Error`.
TirSource text_beside(const archive::Archive& archive, const TirSource& twin);

/// Returns the bytes of copies of constants in the metadata of one module's generated C: since
/// v0.9, the `TVMConstantInfo` of `get_c_metadata` contain every constant of the memory planner's
/// pools as a string, serialised as an NDArray. If one of the module's files is missing there may
/// be more. Throws `Error`.
analysis::Count copied_constants(const archive::Archive& archive, const Module& module);

}  // namespace mlf::report
