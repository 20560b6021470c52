// The second opinion on a tar: libarchive's.
#pragma once

#include <string_view>
#include <vector>

#include "mlf/archive.h"

namespace mlf::archive {

/// Throws `invalid_input` unless libarchive reads the same members, in the same order, with the
/// same name, size and data offset from the uncompressed tar `bytes`.
void check_agreement(std::string_view bytes, const std::vector<Member>& members);

}  // namespace mlf::archive
