// The member `c` of functions: where the archive's generated C defines them.
#include <gtest/gtest.h>

#include "support/error.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir {
namespace {

Document document_with_place() {
  SmallModule module;
  Document document = module.document(module.evaluate());
  document.c_places = {
      {"f", {.member = "codegen/host/src/a.c", .line = 7, .column = 3, .last_line = 9}}};
  return document;
}

constexpr std::string_view kPlace =
    R"("c":{"member":"codegen/host/src/a.c","line":7,"column":3,"last_line":9})";

TEST(PlacesInC, AreWrittenAndComeBack) {
  const Document document = document_with_place();
  const std::string text = json_of(document);
  EXPECT_NE(text.find(kPlace), std::string::npos) << text;
  EXPECT_EQ(document_of(text).c_places, document.c_places);
}

TEST(PlacesInC, AreLeftOutWhereTheyAreNotKnown) {
  Document document = document_with_place();
  document.c_places = {{"g", document.c_places.at("f")}};
  const std::string text = json_of(document);
  EXPECT_EQ(text.find(R"("c":)"), std::string::npos) << text;
  EXPECT_TRUE(document_of(text).c_places.empty());
}

TEST(PlacesInC, CountFromOne) {
  const std::string good = json_of(document_with_place());
  for (const std::string_view position : {R"("line":7)", R"("column":3)", R"("last_line":9)"}) {
    for (const std::string_view wrong : {"0", "-1", "4294967296"}) {
      std::string bad = good;
      const std::string_view key = position.substr(0, position.size() - 1);
      bad.replace(bad.find(position), position.size(), std::string(key).append(wrong));
      try {
        document_of(bad);
        ADD_FAILURE() << "accepted: " << key << wrong;
      } catch (const support::Error& error) {
        EXPECT_EQ(error.diagnostic().message, "expected a number from 1 on");
      }
    }
  }
}

}  // namespace
}  // namespace mlf::tir
