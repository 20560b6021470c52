// schemas/tir.md and schemas/losses.md: their tables come from those of the code, and their
// examples are read.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/error.h"
#include "tir/json/format.h"
#include "tir/reader.h"
#include "unit/all_rows.h"
#include "unit/tir/json/documents.h"

namespace mlf::tir::tir_json {
namespace {

constexpr const char* kDocumentPath = MLF_SOURCE_DIR "/schemas/tir.md";
constexpr const char* kLossesPath = MLF_SOURCE_DIR "/schemas/losses.md";

std::string text_of(const char* path) {
  std::ifstream stream(path);
  return (std::ostringstream() << stream.rdbuf()).str();
}

struct Example {
  std::string info;  // what follows the fence: "json", or "json read"
  std::string text;
};

std::vector<Example> examples() {
  std::vector<Example> found;
  std::istringstream lines(text_of(kDocumentPath));
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      found.back().text += line + "\n";
    } else if (line.starts_with("```json")) {
      inside = true;
      found.push_back({line.substr(3), {}});
    }
  }
  return found;
}

std::string type_of(const FieldInfo& field) {
  constexpr std::string_view kTypes[] = {"",
                                         "list of ",
                                         "map of names to ",
                                         "list of pairs of value and ",
                                         "string",
                                         "integer",
                                         "real",
                                         "boolean",
                                         "dtype",
                                         "",
                                         "list of integer",
                                         "bytes"};
  constexpr std::string_view kExpects[] = {"",
                                           "value",
                                           "expr",
                                           "variable id",
                                           "buffer id",
                                           "stmt",
                                           "Range",
                                           "IterVar",
                                           "BufferRegion",
                                           "MatchBufferRegion",
                                           "CommReducer",
                                           "type",
                                           "value",
                                           "value",
                                           "DictAttrs",
                                           "value",
                                           "operator or function",
                                           "constant id",
                                           "constant id",
                                           "",
                                           "",
                                           "for kind",
                                           "iter type",
                                           "buffer type"};
  std::string text(kTypes[static_cast<std::size_t>(field.type)]);
  if (field.type == FieldType::enumeration) {
    std::size_t number = 0;  // TVM's own, which save_json has
    for (const std::string_view name : enum_names(field.expects)) {
      if (!name.empty()) text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", name, number);
      ++number;
    }
    return text;
  }
  return text + std::string(kExpects[static_cast<std::size_t>(field.expects)]);
}

// The versions of TVM that have a field which not all have.
std::string versions_of(const FieldInfo& field) {
  if (field.until == kStillThere) return fmt::format("v0.{}+", field.since);
  return fmt::format("v0.{} to v0.{}", field.since, field.until);
}

std::string fields_of(const KindInfo& kind) {
  std::string text;
  for (std::uint8_t i = 0; i < kind.fields.size(); ++i) {
    const FieldInfo& field = kind.fields[i];
    if (scoped_field(kind.kind) == i) {
      text += text.empty() ? "`scope`" : ", `scope`";
      continue;
    }
    text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", key_of(kind.kind, field),
                        type_of(field));
    if (may_be_absent(kind.kind, field)) {
      text += " optional";
      if (field.since != kStillThere) text += fmt::format(" ({})", versions_of(field));
    } else if (field.nullable) {
      text += "?";
    }
  }
  return text;
}

std::string kinds_table() {
  constexpr std::string_view kCategories[] = {"expression", "statement", "buffer", "part",
                                              "function",   "module",    "type",   "value",
                                              "constant",   "object"};
  std::string table = "| node | TVM's type key | what | fields |\n|---|---|---|---|\n";
  for (const KindInfo& kind : all_kinds()) {
    table += fmt::format("| {} | {} | {} | {} |\n", kind.name, kind.type_key,
                         kCategories[static_cast<std::size_t>(kind.category)], fields_of(kind));
  }
  return table;
}

std::string losses_table() {
  std::string table = "| code | severity | subject | what | fields |\n|---|---|---|---|---|\n";
  for (const LossInfo& loss : all_losses()) {
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", loss.code, to_string(loss.severity),
                         to_string(loss.subject).value_or(""), loss.meaning,
                         loss.fields == "*" ? "any" : loss.fields);
  }
  return table;
}

// What every text of a dialect loses, a row a dialect.
std::string dialects_table() {
  std::string table = "| dialect | lost in every text of it |\n|---|---|\n";
  const auto codes = [](Dialect dialect) {
    LossLog log;
    log.add_all(dialect);
    std::string words;
    for (const Loss& loss : log.finish()) {
      words += fmt::format("{}`{}`", words.empty() ? "" : " ", info(loss.code).code);
    }
    return words.empty() ? std::string("nothing") : words;
  };
  for (const Dialect dialect :
       {Dialect::save_json, Dialect::tvmscript, Dialect::old_tvmscript, Dialect::legacy_text,
        Dialect::c, Dialect::tir_json}) {
    table += fmt::format("| `{}` | {} |\n", to_string(dialect), codes(dialect));
  }
  return table;
}

// The text between `<!-- name -->` and `<!-- /name -->` replaced.
std::string with_section(std::string text, std::string_view name, std::string_view content) {
  const std::string begin = fmt::format("<!-- {} -->\n", name);
  const std::size_t first = text.find(begin) + begin.size();
  const std::size_t last = text.find(fmt::format("<!-- /{} -->", name));
  return text.replace(first, last - first, content);
}

void expect_current(const char* path, const std::string& expected) {
  if (std::getenv("MLF_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << expected;
  EXPECT_TRUE(text_of(path) == expected)
      << path << " is out of date: run this test with MLF_UPDATE_GOLDEN=1";
}

TEST(TirSpecification, ListsEveryKind) {
  const std::string committed = text_of(kDocumentPath);
  ASSERT_NE(committed.find("<!-- kinds -->"), std::string::npos);
  expect_current(kDocumentPath, with_section(committed, "kinds", kinds_table()));
}

TEST(TirSpecification, ListsEveryLoss) {
  const std::string committed = text_of(kLossesPath);
  ASSERT_NE(committed.find("<!-- losses -->"), std::string::npos);
  ASSERT_NE(committed.find("<!-- losses of dialects -->"), std::string::npos);
  const std::string expected = with_section(committed, "losses", losses_table());
  expect_current(kLossesPath, with_section(expected, "losses of dialects", dialects_table()));
}

using Json = nlohmann::ordered_json;

/// `part` in a whole: keys that it leaves out are those of `whole`.
Json completed(Json whole, const Json& part) {
  for (const auto& [key, value] : part.items()) whole[key] = value;
  return whole;
}

/// Examples after the first leave out what is empty, and the source.
Json whole_document(const Json& first, const Json& example) {
  Json document = first;
  for (const char* key : {"target", "attrs"}) document[key] = nullptr;
  for (const char* key : {"losses", "objects"}) document[key] = Json::array();
  Json function = first["functions"][0];
  function["global_symbol"] = nullptr;
  function["attrs"] = Json::object();
  document = completed(document, example);
  for (Json& one : document["functions"]) one = completed(function, one);
  return document;
}

TEST(TirSpecification, GivesExamplesThatComeBackTheSame) {
  const auto all = examples();
  ASSERT_GE(all.size(), 10u);
  const Json first = Json::parse(all.front().text);
  for (const Example& example : all) {
    SCOPED_TRACE(example.text);
    const Json part = Json::parse(example.text);
    const Json whole = part.contains("format") ? part : whole_document(first, part);
    std::string back;
    try {
      back = json_of(document_of(whole.dump()));
    } catch (const support::Error& error) {
      ADD_FAILURE() << to_string(error.diagnostic());
      continue;
    }
    // The example for a table entry that mlf itself would not make is only read.
    if (example.info == "json read") continue;
    EXPECT_EQ(Json::parse(back).dump(1), whole.dump(1));
  }
}

}  // namespace
}  // namespace mlf::tir::tir_json
