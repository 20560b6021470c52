// mlf's own reader of the headers of a tar: it assigns every byte to a member.
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

/// Reads an uncompressed tar (ustar, PAX, GNU, V7). Throws `invalid_input` for everything that the
/// public header lists as rejected, except disagreement with libarchive and duplicate names.
TarLayout walk_tar(std::string_view bytes, const Limits& limits);

}  // namespace mlf::archive
