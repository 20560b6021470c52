// What generated C says of the arrays that are pools.
#include <gtest/gtest.h>

#include "tir/c/c.h"

namespace mlf {
namespace {

const std::string kArray =
    "#ifdef A\n#endif\n__attribute__((section(\".bss.noinit.tvm\"), aligned(16)))\n"
    "static uint8_t global_workspace[1440];\n";

/// Of the only array in a text.
std::optional<std::uint64_t> alignment_in(const std::string& text) {
  const std::vector<tir::CArray> arrays = tir::describe_c(text).arrays;
  EXPECT_EQ(arrays.size(), 1u) << text;
  return arrays.size() == 1 ? arrays.front().alignment : std::nullopt;
}

TEST(PoolAlignment, IsThatOfTheArraysAttribute) {
  EXPECT_EQ(tir::describe_c(kArray).arrays.at(0).name, "global_workspace");
  EXPECT_EQ(alignment_in(kArray), 16u);
  EXPECT_EQ(alignment_in("static uint8_t pool[64] __attribute__((aligned(8)));\n"), 8u);
}

TEST(PoolAlignment, IsNotKnownWithoutANumberThatIsOne) {
  for (const std::string attribute :
       {"", "packed", "aligned()", "aligned(12)", "aligned(0)", "aligned(99999999999999999999)"}) {
    EXPECT_EQ(alignment_in("__attribute__((" + attribute + "))\nstatic uint8_t pool[4];\n"),
              std::nullopt)
        << attribute;
  }
  EXPECT_EQ(alignment_in("static uint8_t pool[4];\n"), std::nullopt);
}

}  // namespace
}  // namespace mlf
