// Limits that several readings of an archive share, and with them what is written.
#pragma once

#include <cstdint>
#include <string>

#include "mlf/archive.h"

namespace mlf::archive {

// All three throw `invalid_input` where the limit is exceeded.
void check_member_count(std::uint64_t members, const Limits& limits);
void check_member_size(std::uint64_t size, const std::string& member, const Limits& limits);
void check_total_size(std::uint64_t bytes, const Limits& limits);

}  // namespace mlf::archive
