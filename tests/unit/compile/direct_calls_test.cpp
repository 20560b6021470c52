// Calls in machine code. The encodings are those of llvm-mc.
#include "compile/direct_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace mlf::test {
namespace {

using compile::DirectCall;
using compile::InstructionSet;

constexpr std::uint64_t kBegin = 0x1000;

/// Targets relative to the first of these bytes.
std::vector<std::int64_t> targets(InstructionSet set, std::initializer_list<int> bytes,
                                  const std::set<std::uint64_t>& relocated = {}) {
  std::vector<std::byte> code(bytes.size());
  std::ranges::transform(bytes, code.begin(), [](int one) { return static_cast<std::byte>(one); });
  std::vector<std::int64_t> result;
  for (const DirectCall& call : compile::direct_calls(code, kBegin, set, relocated)) {
    result.push_back(static_cast<std::int64_t>(call.target - kBegin));
  }
  return result;
}

using Targets = std::vector<std::int64_t>;

TEST(DirectCalls, OfThumbAreRelativeToTheInstructionAfterNext) {
  EXPECT_EQ(targets(InstructionSet::thumb, {0x00, 0xf0, 0x80, 0xf8}), Targets{4 + 256});
  EXPECT_EQ(targets(InstructionSet::thumb, {0xff, 0xf7, 0x00, 0xb8}), Targets{4 - 4096});
  // nop; bl #-4; movw r0, #0
  EXPECT_EQ(
      targets(InstructionSet::thumb, {0x00, 0xbf, 0xff, 0xf7, 0xfe, 0xff, 0x40, 0xf2, 0x00, 0x00}),
      Targets{2 + 4 - 4});
}

TEST(DirectCalls, OfArmAreWords) {
  EXPECT_EQ(targets(InstructionSet::arm, {0x40, 0x00, 0x00, 0xeb, 0xfc, 0xff, 0xff, 0xea}),
            (Targets{8 + 256, 4 + 8 - 16}));
}

TEST(DirectCalls, OfAArch64AreWords) {
  EXPECT_EQ(targets(InstructionSet::aarch64, {0x04, 0x00, 0x00, 0x94, 0xfe, 0xff, 0xff, 0x17}),
            (Targets{16, 4 - 8}));
}

TEST(DirectCalls, OfRiscVHaveThreeForms) {
  EXPECT_EQ(targets(InstructionSet::riscv32, {0xef, 0x00, 0xc0, 0x00}), Targets{12});
  EXPECT_EQ(targets(InstructionSet::riscv32, {0x97, 0x10, 0x00, 0x00, 0xe7, 0x80, 0x00, 0xff}),
            Targets{4096 - 16});
  EXPECT_EQ(targets(InstructionSet::riscv32, {0x11, 0x20, 0xed, 0xbf, 0x01, 0x30}),
            (Targets{4, 2 - 6, 4 - 2048}));
}

TEST(DirectCalls, OfRiscV64HaveNoShortCall) {
  // C.ADDIW has the code of C.JAL.
  EXPECT_EQ(targets(InstructionSet::riscv64, {0x11, 0x20, 0xed, 0xbf}), Targets{2 - 6});
}

TEST(DirectCalls, OfThumbMayBeShortJumps) {
  EXPECT_EQ(targets(InstructionSet::thumb, {0x00, 0xbf, 0xfd, 0xe7}), Targets{2 + 4 - 6});
}

TEST(DirectCalls, OfX86HaveAllBytesOfTheirTargets) {
  EXPECT_EQ(targets(InstructionSet::x86_64, {0x8b, 0x44, 0x24, 0xe8, 0xc3}), Targets{});
}

TEST(DirectCalls, OfX86MayBeginAtEveryByte) {
  EXPECT_EQ(targets(InstructionSet::x86_64, {0x90, 0xe8, 0x10, 0x00, 0x00, 0x00}),
            Targets{1 + 5 + 16});
}

TEST(DirectCalls, ThatTheLinkerWillFillInAreLeftOut) {
  EXPECT_EQ(targets(InstructionSet::x86_64, {0xe8, 0x00, 0x00, 0x00, 0x00}, {kBegin + 1}),
            Targets{});
  EXPECT_EQ(targets(InstructionSet::thumb, {0xff, 0xf7, 0xfe, 0xff}, {kBegin}), Targets{});
}

TEST(DirectCalls, EndWithTheCode) {
  EXPECT_EQ(targets(InstructionSet::thumb, {0x00, 0xf0}), Targets{});
  EXPECT_EQ(targets(InstructionSet::riscv32, {0x97}), Targets{});
  EXPECT_EQ(targets(InstructionSet::x86_64, {}), Targets{});
}

}  // namespace
}  // namespace mlf::test
