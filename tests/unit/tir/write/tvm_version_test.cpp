#include <gtest/gtest.h>

#include "mlf/tir/write.h"

namespace mlf::tir {
namespace {

TEST(TvmVersion, IsNamedWithOrWithoutItsLastPart) {
  EXPECT_EQ(tvm_version_named("0.9"), (VersionRange{9, 9, "0.9.0"}));
  EXPECT_EQ(tvm_version_named("0.18.0"), (VersionRange{18, 18, "0.18.0"}));
  EXPECT_EQ(tvm_version_named("0.16.dev0"), (VersionRange{16, 16, "0.16.dev0"}));
}

TEST(TvmVersion, IsOneOfThoseThatAreKnown) {
  for (const char* text : {"", "0", "0.", "0.7", "0.19", "1.16", "0.16.", "0.x", "v0.16", "0.-9"}) {
    EXPECT_FALSE(tvm_version_named(text)) << text;
  }
}

}  // namespace
}  // namespace mlf::tir
