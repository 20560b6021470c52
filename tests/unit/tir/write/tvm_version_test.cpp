#include <gtest/gtest.h>

#include "mlf/tir/write.h"

namespace mlf::tir {
namespace {

TEST(TvmVersion, IsNamedWithOrWithoutItsLastPart) {
  EXPECT_EQ(tvm_version_named("0.9"), (VersionRange{9, 9, "0.9.0"}));
  EXPECT_EQ(tvm_version_named("0.18.0"), (VersionRange{18, 18, "0.18.0"}));
  EXPECT_EQ(tvm_version_named("0.16.dev0"), (VersionRange{16, 16, "0.16.dev0"}));
}

TEST(TvmVersion, MayBeThatOfAnyBuild) {
  for (const char* text : {"0.12.1", "0.12.1.dev3", "0.12.dev387+g0123abc", "0.12.0rc1"}) {
    EXPECT_EQ(tvm_version_named(text), (VersionRange{12, 12, text}));
  }
}

TEST(TvmVersion, IsOneOfThoseThatAreKnown) {
  for (const char* text : {"", "0", "0.", "0.7", "0.19", "1.16", "0.x", "v0.16", "0.-9"}) {
    EXPECT_FALSE(tvm_version_named(text)) << text;
  }
}

TEST(TvmVersion, HasNothingBehindItThatNoVersionHas) {
  for (const char* text :
       {"0.16.", "0.16.abc", "0.16.dev", "0.16.1.", "0.16.1.2", "0.16-1", "0.16.1+", "0.16 ",
        "0.16.1rc", "0.16.dev0x", "0.16.1+a/b", "0.16x", "0.16.1\n"}) {
    EXPECT_FALSE(tvm_version_named(text)) << text;
  }
}

}  // namespace
}  // namespace mlf::tir
