// Files that programs write beside archives. Safe to call from several threads.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "mlf/diagnostics.h"
#include "mlf/export.h"

namespace mlf {

/// Takes a text part after part.
using Writer = std::function<void(std::string_view bytes)>;

/// Writes a file so that everybody sees what was there or all that is new, never a half: into a
/// temporary file of the same folder, which is flushed and renamed. A device or a FIFO is written
/// to as it is. `write` is called once and gives its argument part after part. Errors: `io`, and
/// those of `write`; what was there is still there then.
MLF_API Result<void> write_file(const std::string& path,
                                const std::function<Result<void>(const Writer&)>& write);

}  // namespace mlf
