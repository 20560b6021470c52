// Files that programs write beside archives. Safe to call from several threads.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"

namespace mlf {

/// Writes a file so that everybody sees what was there or all that is new, never a half: into a
/// temporary file of the same directory, which is flushed and renamed. A device or a FIFO is
/// written to as it is. `write` is called once and gives its argument part after part. Errors:
/// `io`, and those of `write`; what was there is still there then.
MLF_API Result<void> write_file(const std::string& path,
                                const std::function<Result<void>(const Sink&)>& write);

/// The same with all of its text at once.
MLF_API Result<void> write_file(const std::string& path, std::string_view text);

/// Refuses to write `output` where it is one of the files `inputs`, which the same command reads:
/// by the same path, a symbolic or a hard link. Also where it is a file in an unpacked archive
/// among `inputs`. "-" is standard output, and standard input among `inputs`. What is not a file,
/// or is not there yet, may be written. Errors: `usage`.
MLF_API Result<void> check_output(const std::string& output, std::span<const std::string> inputs);

}  // namespace mlf
