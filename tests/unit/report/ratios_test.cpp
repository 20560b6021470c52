// Shares and quotients of the numbers of a profile.
#include <gtest/gtest.h>

#include <array>

#include "mlf/report.h"

namespace mlf {
namespace {

using analysis::Count;

CallReport call_of(std::uint32_t number, const Count& mac, const Count& cycles) {
  CallReport call;
  call.call = static_cast<graph::CallId>(number);
  call.numbers.fill(Count::unknown());
  call.numbers[static_cast<std::size_t>(CallMeasure::mac)] = mac;
  call.numbers[static_cast<std::size_t>(CallMeasure::cycles)] = cycles;
  return call;
}

/// Two calls; `second` cycles of the second one.
ModuleReport measured(const Count& first, const Count& second) {
  ModuleReport module;
  module.calls = {call_of(0, 100, first), call_of(1, 0, second)};
  module.times.emplace();
  module.times->total.cycles = first + second;
  return module;
}

std::string share_text(const ModuleReport& module, std::uint32_t call) {
  return to_string(*share_of(module, std::array{static_cast<graph::CallId>(call)}) * 100);
}

TEST(Ratios, AreTextWithOneDigitBehindThePoint) {
  EXPECT_EQ(to_string(Ratio{6.66, 6.7}), "6.7");
  EXPECT_EQ(to_string(Ratio{6.5, 7.06}), "6.5..7.1");
  EXPECT_EQ(to_string(Ratio{6.5, std::nullopt}), ">=6.5");
}

TEST(Ratios, OfExactNumbersAreExact) {
  const ModuleReport module = measured(300, 100);
  EXPECT_EQ(counted_measure(module), CallMeasure::cycles);
  EXPECT_EQ(share_text(module, 0), "75.0");
  EXPECT_EQ(share_text(module, 1), "25.0");
  EXPECT_EQ(to_string(*per_mac(module, module.calls[0])), "3.0");
}

// One call at its least while the other is at its most, and the reverse.
TEST(Ratios, OfBoundsAreThoseOfAnyRun) {
  const ModuleReport module = measured({100, 300}, {100, 300});
  EXPECT_EQ(share_text(module, 0), "25.0..75.0");
  EXPECT_EQ(to_string(*per_mac(module, module.calls[0])), "1.0..3.0");
  const std::array both{static_cast<graph::CallId>(0), static_cast<graph::CallId>(1)};
  EXPECT_EQ(*share_of(module, both), (Ratio{1, 1}));
}

TEST(Ratios, WithoutAnUpperBoundHaveNone) {
  const ModuleReport module = measured({100, std::nullopt}, 100);
  EXPECT_EQ(share_text(module, 0), "50.0..100.0");
  EXPECT_EQ(share_text(module, 1), "0.0..50.0");
  EXPECT_EQ(to_string(*per_mac(module, module.calls[0])), ">=1.0");
}

TEST(Ratios, AreNothingWithoutAProfileAndWithoutMultiplyAccumulates) {
  ModuleReport module = measured(100, 100);
  EXPECT_FALSE(per_mac(module, module.calls[1]));
  module.calls[0].numbers[static_cast<std::size_t>(CallMeasure::mac)] = {1, 100};
  EXPECT_FALSE(per_mac(module, module.calls[0]));
  module.times.reset();
  EXPECT_FALSE(per_mac(module, module.calls[0]));
  EXPECT_FALSE(share_of(module, std::array{module.calls[0].call}));
}

TEST(Ratios, OfCallsThatTakeNothingAreNumbers) {
  const ModuleReport module = measured(0, 0);
  EXPECT_EQ(share_text(module, 0), "0.0..100.0");
}

}  // namespace
}  // namespace mlf
