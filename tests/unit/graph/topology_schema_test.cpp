// schemas/topology.schema.json lists the words that the program writes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "mlf/graph/topology.h"
#include "mlf/graph/write.h"
#include "unit/all_rows.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = MLF_SOURCE_DIR "/schemas/topology.schema.json";

template <class Enum>
Json names_up_to(Enum last) {
  Json names = Json::array();
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    names.push_back(to_string(static_cast<Enum>(i)));
  }
  return names;
}

Json or_null(Json names) {
  names.push_back(nullptr);
  return names;
}

Json codes_of_checks() {
  Json codes = Json::array();
  for (const CheckInfo& check : all_checks()) codes.push_back(check.code);
  return codes;
}

Json decisions() {
  Json codes = Json::array();
#define MLF_DECISION(name, code, meaning) codes.push_back(code);
#include "mlf/graph/decisions.def"
#undef MLF_DECISION
  return codes;
}

/// The schema with every enumeration as the program has it.
Json with_our_words(Json schema) {
  const auto set = [&](const char* part, const char* key, Json names) {
    schema["$defs"][part]["properties"][key]["enum"] = std::move(names);
  };
  schema["properties"]["version"]["const"] = kTopologyVersion;
  set("provenance", "kind", names_up_to(ProvenanceKind::relay));
  set("provenance", "call_form", or_null(names_up_to(CallForm::packed)));
  set("provenance", "argument_form", or_null(names_up_to(ArgumentForm::stack)));
  set("kernel", "origin", names_up_to(KernelOrigin::unknown));
  set("argument", "direction", names_up_to(Direction::unknown));
  set("argument", "decided_by", decisions());
  set("argument", "certainty", names_up_to(Certainty::assumed));
  set("value", "kind", names_up_to(ValueKind::computed));
  set("storage", "kind", names_up_to(StorageKind::lookup));
  set("pool", "kind", names_up_to(PoolKind::constant));
  set("hook", "phase", names_up_to(HookPhase::other));
  set("check", "code", codes_of_checks());
  set("check", "severity", names_up_to(Severity::note));
  return schema;
}

TEST(TopologySchema, HasTheWordsOfTheTables) {
  const std::string committed = read_file(kSchema);
  const std::string expected = with_our_words(Json::parse(committed)).dump(2) + "\n";
  if (std::getenv("MLF_UPDATE_GOLDEN") != nullptr) std::ofstream(kSchema) << expected;
  EXPECT_TRUE(committed == expected)
      << "schemas/topology.schema.json is out of date: run this test with MLF_UPDATE_GOLDEN=1";
}

TEST(TopologySchema, KnowsTheDialects) {
  const Json schema = Json::parse(read_file(kSchema));
  const Json& names = schema["$defs"]["provenance"]["properties"]["dialect"]["enum"];
  for (const auto dialect : {tir::Dialect::save_json, tir::Dialect::tvmscript,
                             tir::Dialect::legacy_text, tir::Dialect::tir_json}) {
    EXPECT_NE(std::find(names.begin(), names.end(), to_string(dialect)), names.end());
  }
}

/// Every object of the schema is closed and lists all of its keys as required, but for `gaps`.
void expect_closed(const Json& part, const std::string& path) {
  if (!part.is_structured()) return;
  if (part.is_object() && part.value("type", Json()) == "object") {
    EXPECT_EQ(part.value("additionalProperties", true), false) << path;
    std::vector<std::string> keys;
    for (const auto& [key, value] : part["properties"].items()) {
      if (key != "gaps") keys.push_back(key);
    }
    EXPECT_EQ(part["required"].get<std::vector<std::string>>(), keys) << path;
  }
  for (const auto& [key, value] : part.items()) expect_closed(value, path + "/" + key);
}

TEST(TopologySchema, NamesEveryKeyAndNoOther) {
  expect_closed(Json::parse(read_file(kSchema)), "");
}

}  // namespace
}  // namespace mlf::graph
