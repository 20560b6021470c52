// Bundled archives that tests of this directory change.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "mlf/deployment.h"

namespace mlf::test {

inline constexpr std::string_view kWithArrays = "archives/tvm-0.9-qnn_conv-aot-c.tar";
inline constexpr std::string_view kUsmp = "c/tvm-0.9-qnn_conv-aot-c-usmp/module.tar";
/// Members of these archives.
inline constexpr std::string_view kKernels = "codegen/host/src/default_lib1.c";
inline constexpr std::string_view kPools = "codegen/host/src/default_lib0.c";

inline std::string data(std::string_view name) {
  return std::string(MLF_TEST_DATA) + "/" + std::string(name);
}

inline Deployment open_deployment(const std::string& path) {
  auto opened = Deployment::open(path);
  EXPECT_TRUE(opened) << path;
  return std::move(opened).value();
}

}  // namespace mlf::test
