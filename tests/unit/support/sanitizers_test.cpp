// The sanitized build reports the faults of mlf's own code, whatever ubsan_ignorelist.txt leaves out.
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && __has_feature(undefined_behavior_sanitizer)
#define MLF_IS_SANITIZED
#endif
#endif

#ifdef MLF_IS_SANITIZED
namespace {

struct Echo {
  [[gnu::noinline]] std::int32_t with(std::int32_t other) const { return other; }
};

volatile std::int32_t sink = 0;

TEST(SanitizersDeathTest, ReportAnUnalignedRead) {
  alignas(std::int32_t) const std::array<char, 8> bytes{};
  const void* odd = bytes.data() + 1;
  EXPECT_DEATH(sink = *static_cast<const std::int32_t*>(odd), "misaligned address");
}

TEST(SanitizersDeathTest, ReportACallOfANullObjectThatReadsNothingOfIt) {
  const Echo* const none = nullptr;
  EXPECT_DEATH(sink = none->with(1), "null pointer");
}

TEST(SanitizersDeathTest, ReportThatTheStandardLibraryReadsBehindTheLastElement) {
  const std::vector<std::int32_t> one(1);
  EXPECT_DEATH(sink = one[one.size()], "heap-buffer-overflow");
}

}  // namespace
#endif
