// Files that programs write beside archives. Safe to call from several threads.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mlf/export.h"
#include "mlf/formats.h"

namespace mlf {

/// Writes a file atomically: readers see the old content or the complete new one. Uses a temporary
/// file in the same directory, which it flushes and renames. Writes directly to a device or a FIFO.
/// Calls `write` once, which passes its output in parts. Throws `io`, and what `write` throws; the
/// old content stays.
MLF_API void write_file(const std::string& path, const std::function<void(const Sink&)>& write);

/// The same with the whole text at once.
MLF_API void write_file(const std::string& path, std::string_view text);

/// Rejects `output` if it is one of the files `inputs` that the same command reads: by the same
/// path, a symbolic link or a hard link. Also rejects a file in an unpacked archive among `inputs`.
/// "-" is standard output, and among `inputs` standard input. Accepts a missing file, and
/// everything that is not a file. Throws `usage`.
MLF_API void check_output(const std::string& output, std::span<const std::string> inputs);

}  // namespace mlf
