// Compression around a tar: gzip through zlib, xz and zstd through libarchive.
#pragma once

#include <functional>
#include <string_view>

#include "mlf/archive.h"
#include "support/file.h"

namespace mlf::archive {

/// Takes the output, in order.
using TakeBytes = std::function<void(std::string_view)>;

/// How a file is stored, by its first bytes.
Storage storage_of(const support::File& file);

/// Writes the uncompressed content of `file` into an unnamed temporary file, under the limits on
/// total bytes and expansion of the output. Throws `invalid_input` for damaged or doubly compressed
/// input (also for wrong checksums) and for data behind the compressed stream; `io` if the file
/// cannot be read.
support::File decompress(const support::File& file, Storage storage, const Limits& limits);

/// Appends `tar` to `out`, compressed as `storage`. The same input gives the same output: it stores
/// no time and no name.
void compress(const support::File& tar, Storage storage, const support::File& out);

/// Throws `invalid_input` if `tar` expands from `compressed` beyond the limits of `decompress`.
void check_expansion(const support::File& tar, const support::File& compressed,
                     const Limits& limits);

}  // namespace mlf::archive
