// The fields that losses.def says a loss makes assumptions: they exist, and none is missing that a
// comparison tolerates because of it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "support/error.h"
#include "tir/json/format.h"
#include "unit/all_rows.h"
#include "unit/tir/c/normalization_rules.h"
#include "unit/tir/compare/text_tolerance.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir::tir_json {
namespace {

std::set<std::string> fields_of(const LossInfo& loss) {
  std::istringstream words{std::string(loss.fields)};
  return {std::istream_iterator<std::string>(words), {}};
}

// The field as a document spells it; without one, the kind.
std::string name_of_row(Kind kind, std::optional<std::uint8_t> field) {
  const KindInfo& row = info(kind);
  return field ? fmt::format("{}.{}", row.name, key_of(kind, row.fields[*field]))
               : std::string(row.name);
}

std::string name_of_row(const ToleranceRow& row) {
  if (row.aspect == Aspect::span) return "*.span";
  if (!row.kind) return "*";
  return name_of_row(*row.kind,
                     row.aspect == Aspect::field ? std::optional(row.field) : std::nullopt);
}

std::set<std::string> all_names() {
  std::set<std::string> names{"*", "*.span"};
  for (const KindInfo& kind : all_kinds()) {
    names.emplace(kind.name);
    for (std::uint8_t i = 0; i < kind.fields.size(); ++i) names.insert(name_of_row(kind.kind, i));
  }
  return names;
}

TEST(FieldsOfLosses, NameFieldsOfTheTable) {
  const std::set<std::string> names = all_names();
  for (const LossInfo& loss : all_losses()) {
    for (const std::string& field : fields_of(loss)) {
      EXPECT_TRUE(names.contains(field)) << loss.code << ": " << field;
    }
  }
}

TEST(FieldsOfLosses, HaveWhatComparingTolerates) {
  for (const ToleranceRow& row : all_tolerances()) {
    EXPECT_TRUE(fields_of(info(row.loss)).contains(name_of_row(row)))
        << info(row.loss).code << " lacks " << to_string(row);
  }
}

TEST(FieldsOfLosses, HaveWhatComparingWithGeneratedCLeavesOut) {
  for (const c::NormalizationRule& row : c::kNormalizationRules) {
    EXPECT_TRUE(fields_of(info(row.loss)).contains(name_of_row(row.kind, row.field)))
        << info(row.loss).code << " lacks " << to_string(row);
  }
}

constexpr std::string_view kLosses =
    R"("losses":[{"code":"span","severity":"cosmetic","scope":"everywhere","fields":["*.span"],)"
    R"("subject":null,"places":[]},{"code":"call-dtype","severity":"approximate",)"
    R"("scope":"function","fields":["Call.dtype"],"subject":"callee",)"
    R"("places":[{"function":"f","name":"tir.exp","count":2},)"
    R"({"function":"g","name":"tir.exp","count":1}]}])";

TEST(LossesOfADocument, AreOneEntryForEachCodeAndScopeAndComeBack) {
  SmallModule module;
  Document document = module.document(module.evaluate());
  document.losses = {{LossCode::span, LossScope::everywhere, "", ""},
                     {LossCode::call_dtype, LossScope::function, "f", "tir.exp", 2},
                     {LossCode::call_dtype, LossScope::function, "g", "tir.exp"}};
  const std::string text = json_of(document);
  EXPECT_NE(text.find(kLosses), std::string::npos) << text;
  EXPECT_EQ(document_of(text).losses, document.losses);
}

struct Refused {
  std::string_view from;
  std::string_view to;
  std::string_view message;
};

TEST(LossesOfADocument, ThatContradictThemselvesAreRefused) {
  SmallModule module;
  Document document = module.document(module.evaluate());
  document.losses = {{LossCode::opaque_fields, LossScope::everywhere, "", "my.Node"}};
  const std::string good = json_of(document);
  const Refused cases[] = {
      {R"("code":"opaque-fields")", R"("code":"spam")", R"("spam" is not a code of a loss)"},
      {R"("code":"opaque-fields")", R"("code":"span")", "losses of this code name nothing"},
      {R"("everywhere")", R"("here")", R"("here" is not a scope of a loss)"},
      {R"("function":null)", R"("function":"f")",
       R"(losses of scope "function" name their functions, others do not)"},
      {R"("count":1)", R"("count":0)", "expected a positive number"},
  };
  for (const Refused& refused : cases) {
    std::string bad = good;
    bad.replace(bad.find(refused.from), refused.from.size(), refused.to);
    try {
      document_of(bad);
      ADD_FAILURE() << "accepted: " << refused.to;
    } catch (const support::Error& error) {
      EXPECT_EQ(error.diagnostic().message, refused.message);
    }
  }
}

TEST(VersionsOfADocument, AreAMinorNumberOfOneByte) {
  SmallModule module;
  const std::string good = json_of(module.document(module.evaluate()));
  const std::string_view key = R"("first":")";
  const std::size_t begin = good.find(key) + key.size();
  for (const std::string_view version : {"0.", "0.999", "0.16.dev0", "1.16", "16"}) {
    std::string bad = good;
    bad.replace(begin, bad.find('"', begin) - begin, version);
    try {
      document_of(bad);
      ADD_FAILURE() << "accepted: " << version;
    } catch (const support::Error& error) {
      EXPECT_EQ(error.diagnostic().message, "expected a TVM version such as \"0.16\"");
    }
  }
}

// An entry of a text whose functions are many is as long as one of a text with few.
TEST(LossesOfADialect, AreOneEntryWithoutPlaces) {
  LossLog log;
  log.add_all(Dialect::tvmscript);
  log.add_all(Dialect::tvmscript);
  const std::vector<Loss> losses = log.finish();
  for (const LossCode code :
       {LossCode::span, LossCode::shared_var, LossCode::map_order, LossCode::checked_type}) {
    const Loss expected{code, LossScope::everywhere, "", ""};
    EXPECT_EQ(std::ranges::count(losses, expected), 1);
  }
}

}  // namespace
}  // namespace mlf::tir::tir_json
