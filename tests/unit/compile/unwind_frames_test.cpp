// Frames from the tables that unwinders read. tests/e2e/objects.py compares them with compilers.
#include "compile/unwind_frames.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlf::compile {
namespace {

using Table = std::vector<std::uint8_t>;

/// An entry: its length, then its bytes.
void add(Table& table, const std::vector<std::uint8_t>& entry) {
  const auto length = static_cast<std::uint32_t>(entry.size());
  for (int i = 0; i < 4; ++i) table.push_back(static_cast<std::uint8_t>(length >> 8 * i));
  table.insert(table.end(), entry.begin(), entry.end());
}

/// .debug_frame of a 32-bit target: one CIE (version 1, stack pointer 13, offset 0), then a
/// function at 0x40 of section 2 with these instructions.
Table debug_frame(const std::vector<std::uint8_t>& instructions) {
  Table table;
  add(table, {0xff, 0xff, 0xff, 0xff, 1, 0, 2, 0x7c, 14, 0x0c, 13, 0});
  std::vector<std::uint8_t> function{0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0};
  function.insert(function.end(), instructions.begin(), instructions.end());
  add(table, function);
  return table;
}

constexpr std::size_t kBegin = 16 + 4 + 4;  // of the field with the function's address
const SectionPlace kFunction{2, 0x40};

std::optional<std::uint64_t> frame_of(const Table& table) {
  const auto frames = unwind_frames({.bytes = std::as_bytes(std::span(table)),
                                     .is_eh_frame = false,
                                     .address_bytes = 4,
                                     .relocations = {{kBegin, kFunction}}});
  const auto found = frames.find(kFunction);
  return found == frames.end() ? std::nullopt : found->second;
}

TEST(UnwindFrames, AreTheLargestOffset) {
  EXPECT_EQ(frame_of(debug_frame({})), 0U);
  // def_cfa_offset 20, advance, def_cfa_offset 304, restore.
  EXPECT_EQ(frame_of(debug_frame({0x0e, 20, 0x42, 0x8e, 1, 0x0e, 0xb0, 0x02, 0xce, 0x0e, 0})),
            304U);
}

TEST(UnwindFrames, AreUnknownBehindAFramePointer) {
  EXPECT_EQ(frame_of(debug_frame({0x0e, 8, 0x0d, 7})), std::nullopt);
  EXPECT_EQ(frame_of(debug_frame({0x0c, 7, 8})), std::nullopt);
}

TEST(UnwindFrames, AreUnknownBehindAnExpression) {
  EXPECT_EQ(frame_of(debug_frame({0x0f, 1, 0x77})), std::nullopt);
  EXPECT_EQ(frame_of(debug_frame({0x3f})), std::nullopt);
}

TEST(UnwindFrames, OfATableThatIsCutAreUnknownOrThose) {
  const Table whole = debug_frame({0x0e, 0xb0, 0x02, 0x10, 3, 2, 1, 1});
  ASSERT_EQ(frame_of(whole), 304U);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(frame_of(Table(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))),
              std::nullopt);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\x00', '\x7f', '\x80', '\xff'}) {
      Table other = whole;
      other[at] = static_cast<std::uint8_t>(byte);
      frame_of(other);
    }
  }
}

}  // namespace
}  // namespace mlf::compile
