// The members that instrumenting adds to an archive.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mlf::profile {

struct AddedMember {
  std::string name;
  std::string text;
};

/// The name of the header, as main includes it.
std::string instrument_header(std::string_view module);
/// The header, the C without an effect, and the example for boards, for this number of calls.
std::vector<AddedMember> instrument_members(std::string_view module, std::size_t calls);

}  // namespace mlf::profile
