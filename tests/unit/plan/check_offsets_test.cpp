// The proof of a plan finds every way in which it can be wrong.
#include <gtest/gtest.h>

#include "mlf/plan/problem.h"

namespace mlf::plan {
namespace {

std::string verdict(std::vector<Buffer> buffers, const std::vector<std::uint64_t>& offsets) {
  const auto size = check_offsets({.buffers = std::move(buffers)}, offsets);
  return size ? std::to_string(*size) : size.error().message;
}

const Buffer kEarly{.id = "early", .lower = 0, .upper = 4, .size = 8};
const Buffer kLate{.id = "late", .lower = 3, .upper = 9, .size = 8};

TEST(CheckOffsets, SaysTheSizeOfAPlan) {
  EXPECT_EQ(verdict({kEarly, kLate}, {0, 8}), "16");
  EXPECT_EQ(verdict({kEarly, kLate}, {100, 8}), "108");
  EXPECT_EQ(verdict({}, {}), "0");
}

TEST(CheckOffsets, FindsOneByteThatTwoBuffersShare) {
  EXPECT_EQ(verdict({kEarly, kLate}, {0, 7}),
            "buffers 'early' [0, 8) and 'late' [7, 15) overlap at step 3");
  EXPECT_EQ(verdict({kLate, kEarly}, {7, 0}),
            "buffers 'early' [0, 8) and 'late' [7, 15) overlap at step 3");
}

TEST(CheckOffsets, KnowsThatNothingIsInABufferInItsGaps) {
  Buffer with_gap = kLate;
  with_gap.gaps = {{2, 5}};
  EXPECT_EQ(verdict({kEarly, with_gap}, {0, 0}), "8");
  with_gap.gaps = {{2, 3}, {4, 5}};
  EXPECT_EQ(verdict({kEarly, with_gap}, {0, 0}),
            "buffers 'early' [0, 8) and 'late' [0, 8) overlap at step 3");
}

TEST(CheckOffsets, FindsWhatIsNotAlignedOrNotWhereItIsFixed) {
  Buffer buffer = kEarly;
  buffer.alignment = 16;
  EXPECT_EQ(verdict({buffer}, {8}), "buffer 'early' at 8 is not aligned to 16");
  buffer.fixed_offset = 32;
  EXPECT_EQ(verdict({buffer}, {16}), "buffer 'early' at 16 is fixed at 32");
  EXPECT_EQ(verdict({buffer}, {32}), "40");
}

TEST(CheckOffsets, FindsOffsetsThatAreMissingOrTooLarge) {
  EXPECT_EQ(verdict({kEarly}, {}), "0 offsets for 1 buffers");
  EXPECT_EQ(verdict({kEarly}, {UINT64_MAX - 3}),
            "buffer 'early' at 18446744073709551612 ends beyond 2^64");
}

}  // namespace
}  // namespace mlf::plan
