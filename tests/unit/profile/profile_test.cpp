#include "mlf/profile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace mlf {
namespace {

ProfiledCall call_of(std::size_t call, std::string kernel, std::uint64_t instructions) {
  return {.call = call,
          .kernel = std::move(kernel),
          .layer = {},
          .numbers = {.instructions = instructions},
          .mac = 18432,
          .loaded = {10, 72},
          .divisions = analysis::Count::unknown()};
}

Profile emulated() {
  return {.module = "default",
          .source = ProfileSource::emulated,
          .cpu = "cortex-m4",
          .machine = "mps2-an386",
          .emulator = "qemu-system-arm",
          .compiler = "arm-none-eabi-gcc",
          .compiler_version = "gcc version 12",
          .flags = {"-O2", "-DX=\"1\""},
          .calls = {call_of(0, "add", 800), call_of(1, "conv", 100000), call_of(2, "add", 900)},
          .total = {.instructions = 101700},
          .network = ProfileNumbers{.instructions = 101750},
          .outputs = {{"output", std::string(64, 'a')}},
          .code = std::string(64, 'c')};
}

TEST(ProfileJson, IsReadAsItWasWritten) {
  Profile profile = emulated();
  ASSERT_TRUE(set_clock(profile, 80'000'000));
  profile.calls[0].numbers.cycles = {.min = 1, .median = 2, .max = 3};
  profile.calls[1].layer = "conv\x1b";
  for (const JsonLayout layout : {JsonLayout::compact, JsonLayout::pretty}) {
    const std::string text = to_json(profile, layout);
    const auto read = read_profile(text);
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(to_json(*read, layout), text);
  }
}

TEST(ProfileJson, OfEarlierVersionsHasNoCode) {
  std::string text = to_json(emulated(), JsonLayout::compact);
  text.replace(text.find("\"code\""), 6, "\"other\"");
  const auto read = read_profile(text);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->code, "");
}

TEST(ProfileJson, OfAnotherFormIsAnError) {
  const std::string text = to_json(emulated(), JsonLayout::compact);
  ASSERT_TRUE(read_profile(text));
  for (const auto& [old, wrong] : {std::pair("mlf-profile", "mlf-report"),
                                   {"\"version\":1", "\"version\":2"},
                                   {"\"emulated\"", "\"guessed\""},
                                   {"\"instructions\":800", "\"instructions\":-1"},
                                   {"\"instructions\":800", "\"instructions\":1e999"},
                                   {"\"calls\"", "\"call\""},
                                   {"\"min\":10", "\"most\":10"},
                                   {"{", "["}}) {
    std::string edited = text;
    edited.replace(edited.find(old), std::string_view(old).size(), wrong);
    const auto read = read_profile(edited);
    ASSERT_FALSE(read) << wrong;
    EXPECT_EQ(read.error().kind, ErrorKind::invalid_input) << wrong;
  }
}

TEST(ProfileJson, WithATotalBelowItsCallsIsAnError) {
  Profile profile = emulated();
  profile.total.instructions = 101699;
  EXPECT_FALSE(read_profile(to_json(profile, JsonLayout::compact)));
  profile = emulated();
  ASSERT_TRUE(set_clock(profile, 80'000'000));
  ASSERT_TRUE(read_profile(to_json(profile, JsonLayout::compact)));
  profile.total.nanoseconds->max = profile.total.nanoseconds->min;
  EXPECT_FALSE(read_profile(to_json(profile, JsonLayout::compact)));
}

TEST(ProfileJson, WithASumOfMoreThan63BitsIsAnError) {
  Profile profile = emulated();
  for (ProfiledCall& call : profile.calls) {
    call.numbers.instructions = std::numeric_limits<std::int64_t>::max();
  }
  profile.total.instructions = 0;
  const auto read = read_profile(to_json(profile, JsonLayout::compact));
  ASSERT_FALSE(read);
  EXPECT_NE(to_string(read.error()).find("63 bits"), std::string::npos);
}

TEST(ProfileClock, MakesAnIntervalOfInstructions) {
  Profile profile = emulated();
  ASSERT_TRUE(set_clock(profile, 80'000'000, CyclesPerInstruction{1.25, 1.5, "a board"}));
  const auto time = profile.calls[0].numbers.nanoseconds;
  ASSERT_TRUE(time);
  EXPECT_EQ(time->min, 12500U);
  EXPECT_EQ(time->max, 15000U);
  EXPECT_FALSE(time->median);
  EXPECT_EQ(profile.network->nanoseconds->max, 1907813U);  // rounded up from 1907812.5
}

TEST(ProfileClock, HasNoUpperBoundWithoutASource) {
  Profile profile = emulated();
  profile.cpu = "cortex-m7";
  ASSERT_TRUE(set_clock(profile, 1'000'000'000));
  EXPECT_EQ(profile.calls[0].numbers.nanoseconds->min, 400U);
  EXPECT_FALSE(profile.calls[0].numbers.nanoseconds->max);
  profile.cpu = "rv32imc";
  const auto refused = set_clock(profile, 1'000'000'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
}

TEST(ProfileClock, MakesTimesOfCycles) {
  Profile profile = emulated();
  profile.source = ProfileSource::measured;
  profile.total = {.cycles = ProfileSpread{.min = 80, .median = 160, .max = 320}};
  ASSERT_TRUE(set_clock(profile, 80'000'000));
  EXPECT_EQ(profile.total.nanoseconds->min, 1000U);
  EXPECT_EQ(profile.total.nanoseconds->median, 2000U);
  EXPECT_EQ(profile.total.nanoseconds->max, 4000U);
  profile.source = ProfileSource::timed;
  EXPECT_FALSE(set_clock(profile, 80'000'000));
}

TEST(ProfileKernels, AreSumsOfTheirCalls) {
  Profile profile = emulated();
  profile.calls[0].numbers.cycles = {.min = 1, .median = 2, .max = 3};
  profile.calls[2].numbers.cycles = {.min = 10, .median = 20, .max = std::nullopt};
  const std::vector<ProfiledKernel> kernels = kernels_of(profile);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].sum.kernel, "add");
  EXPECT_EQ(kernels[0].calls, 2U);
  EXPECT_EQ(kernels[0].sum.numbers.instructions, 1700U);
  EXPECT_EQ(kernels[0].sum.numbers.cycles->min, 11U);
  EXPECT_EQ(kernels[0].sum.numbers.cycles->median, 22U);
  EXPECT_FALSE(kernels[0].sum.numbers.cycles->max);
  EXPECT_EQ(kernels[0].sum.mac, analysis::Count(36864));
  EXPECT_EQ(kernels[0].sum.loaded, analysis::Count(20, 144));
  EXPECT_EQ(kernels[1].calls, 1U);
  EXPECT_FALSE(kernels[1].sum.numbers.cycles);
}

using Pairs = std::vector<std::pair<int, int>>;

Pairs pairs_of(const Profile& before, const Profile& after) {
  Pairs pairs;
  const std::vector<ProfileDifference> found = compare_profiles(before, after).value();
  for (const ProfileDifference& one : found) {
    pairs.emplace_back(one.before ? static_cast<int>(*one.before) : -1,
                       one.after ? static_cast<int>(*one.after) : -1);
  }
  return pairs;
}

TEST(ProfileComparison, PairsCallsByKernelThenByPosition) {
  const Profile before = emulated();
  Profile after = emulated();
  EXPECT_EQ(pairs_of(before, after), (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  after.calls[1].kernel = "conv_2";
  EXPECT_EQ(pairs_of(before, after), (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  std::swap(after.calls[0], after.calls[1]);
  EXPECT_EQ(pairs_of(before, after), (Pairs{{-1, 0}, {0, 1}, {2, 2}, {1, -1}}));
  after.calls.pop_back();
  EXPECT_EQ(pairs_of(before, after), (Pairs{{-1, 0}, {0, 1}, {1, -1}, {2, -1}}));
  after.source = ProfileSource::measured;
  EXPECT_FALSE(compare_profiles(before, after));
}

}  // namespace
}  // namespace mlf
