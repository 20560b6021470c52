// Standard output, with the errors that a plain stream swallows.
#pragma once

#include <string_view>

#include "mlf/diagnostics.h"

namespace mlf::program {

/// Writes in pieces. After a failure nothing more is written; `finish` says what happened.
class OutputStream {
 public:
  void write(std::string_view bytes);
  /// Errors: `io`, what the system refused first.
  Result<void> finish();

 private:
  int error_ = 0;
};

/// Writes everything. Errors: `io`.
Result<void> print(std::string_view text);

bool standard_output_is_terminal();

}  // namespace mlf::program
