// schemas/tir.schema.json is the one that nodes.def asks for.
#include "unit/tir/json/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace mlf::tir::tir_json {
namespace {

constexpr const char* kSchema = MLF_SOURCE_DIR "/schemas/tir.schema.json";

TEST(TirSchema, IsTheOneOfTheTableOfNodes) {
  const std::string expected = schema_text();
  if (std::getenv("MLF_UPDATE_GOLDEN") != nullptr) std::ofstream(kSchema) << expected;
  std::ifstream stream(kSchema);
  const std::string committed = (std::ostringstream() << stream.rdbuf()).str();
  EXPECT_TRUE(committed == expected)
      << "schemas/tir.schema.json is out of date: run this test with MLF_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace mlf::tir::tir_json
