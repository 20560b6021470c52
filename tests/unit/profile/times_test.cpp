#include "profile/numbers.h"

#include <gtest/gtest.h>

#include "run/boards.h"

namespace mlf::profile {
namespace {

/// A program whose hooks take 7 inside and 20 outside, with calls of 100 and 5 and 30 in main.
std::vector<std::uint64_t> run_of(std::uint64_t begin) {
  const auto at = [&](std::uint64_t time) { return begin + time; };
  return {// Call 0, call 1, the network.
          at(1000), at(1106), at(1200), at(1211), at(900), at(900 + 2 + 100 + 5 + 30 + 40),
          // Around a hook, around a direct call, inside of the hook; of both calls.
          at(0), at(25), at(30), at(8), at(15), at(40), at(65), at(70), at(48), at(55),
          // Nothing.
          at(80), at(82)};
}

TEST(ProfileTimes, HaveNoOverheadOfHooks) {
  ASSERT_EQ(run_of(0).size(), times_of_run(2));
  const auto runs = run_times(run_of(5000), 2, 1);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].calls, (std::vector<std::uint64_t>{100, 5}));
  EXPECT_EQ(runs[0].network, 135U);
}

TEST(ProfileTimes, OfSeveralRunsHaveTheLeastOverhead) {
  std::vector<std::uint64_t> times = run_of(0);
  std::vector<std::uint64_t> second = run_of(9000);
  second[10] += 50;  // the hook of call 0 was interrupted
  times.insert(times.end(), second.begin(), second.end());
  const auto runs = run_times(times, 2, 1);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].calls, runs[1].calls);
}

TEST(ProfileCounter, TellsEachInstructionFromTheNext) {
  // Quarters of nanoseconds of a tick: 25, 20 and 32 MHz.
  for (const std::uint32_t tick : {160U, 200U, 125U}) {
    for (std::uint64_t instruction = 1; instruction < 5000; ++instruction) {
      // The counter begins one tick late.
      const std::uint64_t time = instruction * 1024 / tick - 1;
      EXPECT_EQ(run::instructions_at({.tick = tick, .shift = 8}, time), instruction) << tick;
    }
  }
  // After 2^24 ticks of 40 ns its interrupt has taken five instructions.
  const std::uint64_t wrapped = std::uint64_t{1} << 24;
  EXPECT_EQ(run::instructions_at({.tick = 160, .shift = 8}, wrapped), (wrapped + 1) * 40 / 256 - 5);
  EXPECT_EQ(run::instructions_at({.tick = 0, .shift = 0}, 12345), 12345U);
}

TEST(ProfileBoards, HaveEachProcessorButThisComputer) {
  const std::vector<std::string> names = processors();
  EXPECT_EQ(names.size(), run::boards().size() + 1);
  for (const run::Board& board : run::boards()) {
    EXPECT_NE(std::ranges::find(names, board.cpu), names.end()) << board.cpu;
    for (const run::Layout& layout : board.layouts) {
      EXPECT_NE(linker_script(board, layout).find("mlf_heap_end"), std::string::npos);
      EXPECT_LT(layout.stack, layout.data.bytes);
    }
  }
}

}  // namespace
}  // namespace mlf::profile
