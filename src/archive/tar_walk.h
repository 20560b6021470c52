// Our own walk over the headers of a tar: where every byte of it belongs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mlf/archive.h"

namespace mlf::archive {

struct TarLayout {
  std::vector<Member> members;       ///< in the order of the archive
  std::uint64_t end_of_members = 0;  ///< where the end-of-archive blocks start
};

/// Walks an uncompressed tar (ustar, PAX, GNU, V7). Throws `invalid_input` for everything the
/// public header lists as refused, except the agreement with libarchive and duplicate names.
TarLayout walk_tar(std::string_view bytes, const Limits& limits);

}  // namespace mlf::archive
