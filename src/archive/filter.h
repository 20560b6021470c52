// Compression around a tar: gzip through zlib, xz and zstd through libarchive.
#pragma once

#include <functional>
#include <string_view>

#include "mlf/archive.h"
#include "support/file.h"

namespace mlf::archive {

/// Takes the bytes that come out, in order.
using TakeBytes = std::function<void(std::string_view)>;

/// How a file is stored, by its first bytes.
Storage storage_of(const support::File& file);

/// Writes the uncompressed content of `file` into an unnamed temporary file, under the limits on
/// total bytes and expansion, which count what comes out. Throws `invalid_input` for damaged or
/// doubly compressed input (checksums count) and for data behind the compressed stream; `io` where
/// the file cannot be read.
support::File decompress(const support::File& file, Storage storage, const Limits& limits);

/// Appends `tar`, compressed the way `storage` says, to `out`. The same bytes in give the same
/// bytes out: no time and no name is stored.
void compress(const support::File& tar, Storage storage, const support::File& out);

/// Throws `invalid_input` where `decompress` would refuse `compressed` for how much `tar` is.
void check_expansion(const support::File& tar, const support::File& compressed,
                     const Limits& limits);

}  // namespace mlf::archive
