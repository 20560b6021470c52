// Modules with other constants: numbers that several functions share.
#include "optimize/tir_changes.h"

#include <gtest/gtest.h>

#include "mlf/tir/builder.h"
#include "support/error.h"

namespace mlf::test {
namespace {

using optimize::ModuleConstants;
using optimize::NewConstants;
namespace f = tir::f;

/// A module whose root is one number, which is the size of pool "p" in all functions.
class SharedSize : public ::testing::Test {
 protected:
  /// The size afterwards, if two modules of the archive change it.
  static std::int64_t changed(std::uint64_t first, std::uint64_t second) {
    tir::Builder builder;
    const tir::NodeId size =
        builder.make(tir::Kind::IntImm, {tir::DType::Int(64), std::int64_t{64}});
    ModuleConstants constants;
    constants.sites.emplace_back().sizes.push_back({"p", size, 64});
    NewConstants a;
    NewConstants b;
    a.pool_sizes.emplace("p", edit::NumberChange{64, first});
    b.pool_sizes.emplace("p", edit::NumberChange{64, second});
    optimize::TirChanges changes;
    changes.add(constants, a);
    changes.add(constants, b);
    return changes.made_in(std::move(builder).finish(size)).root().integer(f::IntImm::value);
  }
};

TEST_F(SharedSize, ChangesOnceToOneValue) {
  EXPECT_EQ(changed(32, 32), 32);
}

TEST_F(SharedSize, IsRefusedWithTwoValues) {
  try {
    changed(32, 48);
    FAIL() << "a number has two values";
  } catch (const support::Error& error) {
    EXPECT_EQ(error.diagnostic().kind, ErrorKind::check_failed);
    EXPECT_EQ(error.diagnostic().message, "one number would need two new values: 32 and 48");
  }
}

}  // namespace
}  // namespace mlf::test
