#include "commands/check_formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "count_text.h"
#include "mlf/diagnostics.h"
#include "mlf/version.h"
#include "table.h"

namespace mlf::program {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& document) {
  // Names from archives may be any bytes; JSON is UTF-8.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& one : sentences) text += (text.empty() ? "" : "; ") + one;
  return text;
}

std::string table_of(const std::vector<BudgetResult>& results) {
  Table table({"MODULE", "LIMIT", "MOST", "NEEDED", "VERDICT", "WHY"});
  table.align_right({2, 3});
  for (const BudgetResult& result : results) {
    table.add({result.module.empty() ? "-" : result.module,
               std::string(to_string(result.limit.resource)), std::to_string(result.limit.most),
               spelled(result.needed), std::string(to_string(result.verdict)),
               joined(result.remarks)});
  }
  return table.text();
}

std::string json_of(const std::vector<BudgetResult>& results) {
  Json list = Json::array();
  for (const BudgetResult& result : results) {
    list.push_back({{"module", result.module},
                    {"resource", to_string(result.limit.resource)},
                    {"limit", result.limit.most},
                    {"needed", count_json(result.needed)},
                    {"verdict", to_string(result.verdict)},
                    {"remarks", result.remarks}});
  }
  return dumped({{"format", "mlf-check"},
                 {"version", 1},
                 {"generator", "mlf " + std::string(version())},
                 {"results", list}});
}

/// Text between tags and in attributes of XML 1.0, which cannot hold control characters at all.
std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

bool holds(const BudgetResult& result) {
  return result.verdict == Verdict::fits;
}

std::string junit_of(const std::vector<BudgetResult>& results, const std::string& archive) {
  const auto failures =
      results.size() - static_cast<std::size_t>(std::ranges::count_if(results, holds));
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += fmt::format("<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                     xml_text(archive), results.size(), failures);
  for (const BudgetResult& result : results) {
    const std::string head = fmt::format("<testcase classname=\"{}\" name=\"{}\"",
                                         xml_text(result.module), to_string(result.limit.resource));
    if (holds(result)) {
      xml += head + "/>\n";
      continue;
    }
    xml += fmt::format(
        "{}>\n<failure type=\"{}\" message=\"{} needed, at most {}\">{}</failure>\n"
        "</testcase>\n",
        head, to_string(result.verdict), spelled(result.needed), result.limit.most,
        xml_text(joined(result.remarks)));
  }
  return xml + "</testsuite>\n</testsuites>\n";
}

Json sarif_rules() {
  Json rules = Json::array();
  for (const Resource resource : all_resources()) {
    const std::string name(to_string(resource));
    rules.push_back(
        {{"id", "over-" + name},
         {"shortDescription", {{"text", "More " + name + " needed than the budget has"}}}});
  }
  return rules;
}

std::string sarif_of(const std::vector<BudgetResult>& results, const std::string& archive) {
  Json list = Json::array();
  for (const BudgetResult& result : results) {
    if (holds(result)) continue;
    const std::string text =
        fmt::format("{}: {} needs {}, the limit is {}: {}", printable(result.module),
                    to_string(result.limit.resource), spelled(result.needed), result.limit.most,
                    joined(result.remarks));
    list.push_back(
        {{"ruleId", "over-" + std::string(to_string(result.limit.resource))},
         {"level", result.verdict == Verdict::exceeds ? "error" : "warning"},
         {"message", {{"text", text}}},
         {"locations",
          Json::array({{{"physicalLocation", {{"artifactLocation", {{"uri", archive}}}}}}})}});
  }
  const Json driver{{"name", "mlf"}, {"version", version()}, {"rules", sarif_rules()}};
  const Json run{{"tool", {{"driver", driver}}}, {"results", list}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({run})}});
}

}  // namespace

std::string to_text(const std::vector<BudgetResult>& results, const std::string& archive,
                    CheckFormat format) {
  switch (format) {
    case CheckFormat::text:
      return table_of(results);
    case CheckFormat::json:
      return json_of(results);
    case CheckFormat::junit:
      return junit_of(results, archive);
    case CheckFormat::sarif:
      break;
  }
  return sarif_of(results, archive);
}

}  // namespace mlf::program
