// Decompressing gzip (RFC 1952), with its checks.
#pragma once

#include "archive/filter.h"
#include "support/file.h"

namespace mlf::archive {

/// Decompresses `file`, all members of it, and hands what comes out to `take`. Throws
/// `invalid_input` where the data is damaged or cut off, does not have the checksum or the length
/// that it says, or where anything but another member follows; `io` where it cannot be read.
///
/// zlib rather than libarchive, which up to 3.7 skips the checksum and the length.
void decompress_gzip(const support::File& file, const TakeBytes& take);

}  // namespace mlf::archive
