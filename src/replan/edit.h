// Numbers of a text in exchange for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlf::replan {

/// The digits at `offset`, which are a number of `length` digits, become `value`.
struct Edit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::uint64_t value = 0;
};

/// The text with all edits made, in whatever order they are given. Two at one place must agree;
/// throws `Error` otherwise. What has its value already stays as it is, byte for byte.
std::string apply(std::string_view text, std::vector<Edit> edits);

/// Ends the attempt: the archive cannot be changed for certain. `where` is a member, or empty.
[[noreturn]] void refuse(std::string message, std::string_view where = {});

}  // namespace mlf::replan
