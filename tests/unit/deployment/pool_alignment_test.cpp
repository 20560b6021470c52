// What the generated C says of the arrays that are pools.
#include "deployment/pool_alignment.h"

#include <gtest/gtest.h>

namespace mlf {
namespace {

const std::string kArray =
    "#endif\n__attribute__((section(\".bss.noinit.tvm\"), aligned(16)))\n"
    "static uint8_t global_workspace[1440];\n";

TEST(PoolAlignment, IsThatOfTheArraysAttribute) {
  EXPECT_EQ(pool_alignment(kArray, "global_workspace"), 16u);
}

TEST(PoolAlignment, IsNotKnownOfAnotherPool) {
  EXPECT_EQ(pool_alignment(kArray, "global"), std::nullopt);
  EXPECT_EQ(pool_alignment(kArray, "sram"), std::nullopt);
  EXPECT_EQ(pool_alignment("", "sram"), std::nullopt);
}

TEST(PoolAlignment, IsNotKnownWhereTwoArraysHaveTheName) {
  EXPECT_EQ(pool_alignment(kArray + kArray, "global_workspace"), std::nullopt);
}

TEST(PoolAlignment, IsNotKnownWithoutANumberThatIsOne) {
  for (const std::string attribute : {"", "packed", "aligned()", "aligned(16", "aligned(12)",
                                      "aligned(0)", "aligned(99999999999999999999)"}) {
    EXPECT_EQ(pool_alignment(attribute + "\nstatic uint8_t pool[4];", "pool"), std::nullopt)
        << attribute;
  }
  EXPECT_EQ(pool_alignment("static uint8_t pool[4];", "pool"), std::nullopt);
}

}  // namespace
}  // namespace mlf
