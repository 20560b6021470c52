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

bool holds(const BudgetResult& result) {
  return result.verdict == Verdict::fits;
}

std::string limits_table(const std::vector<BudgetResult>& results, Colours colours) {
  Table table({"MODULE", "LIMIT", "MOST", "NEEDED", "VERDICT", "WHY"});
  table.align_right({2, 3});
  for (const BudgetResult& result : results) {
    table.add(
        {result.module.empty() ? "-" : result.module, std::string(to_string(result.limit.resource)),
         std::to_string(result.limit.most), spelled(result.needed),
         std::string(to_string(result.verdict)), joined(result.remarks)},
        holds(result) ? Emphasis::none : Emphasis::warning);
  }
  return table.empty() ? "" : table.text(colours);
}

std::string_view code_of(const FindingResult& result) {
  return info(result.code).code;
}

/// A line for each finding that there is, and one for a code that there is nothing of.
std::string findings_table(const std::vector<FindingResult>& results, Colours colours) {
  Table table({"MODULE", "FINDING", "WHERE", "BYTES", "EVIDENCE"});
  table.align_right({3});
  for (const FindingResult& result : results) {
    const std::string module = result.module.empty() ? "-" : result.module;
    const std::string code(code_of(result));
    const Presence presence = result.presence();
    if (presence == Presence::absent) table.add({module, code, "none", "", ""});
    if (presence == Presence::undecided) {
      table.add({module, code, "undecided", "", joined(result.unsearched)}, Emphasis::warning);
    }
    for (const CostFinding& one : result.found) {
      table.add({module, code, one.where, spelled(one.bytes), one.evidence}, Emphasis::warning);
    }
  }
  return table.empty() ? "" : table.text(colours);
}

std::string table_of(const CheckResults& results, Colours colours) {
  const std::string limits = limits_table(results.limits, colours);
  const std::string findings = findings_table(results.findings, colours);
  std::string text = limits + (limits.empty() || findings.empty() ? "" : "\n") + findings;
  if (!results.contradictions.empty()) {
    text += "\nThe archive contradicts itself: numbers may be wrong\n";
  }
  for (const auto& [module, one] : results.contradictions) {
    text += fmt::format("  {}: {} [{}]\n", printable(module), printable(one.detail), one.code);
  }
  return text;
}

std::string json_of(const CheckResults& results) {
  Json limits = Json::array();
  for (const BudgetResult& result : results.limits) {
    limits.push_back({{"module", result.module},
                      {"resource", to_string(result.limit.resource)},
                      {"limit", result.limit.most},
                      {"needed", count_json(result.needed)},
                      {"verdict", to_string(result.verdict)},
                      {"remarks", result.remarks}});
  }
  Json findings = Json::array();
  for (const FindingResult& result : results.findings) {
    Json found = Json::array();
    for (const CostFinding& one : result.found) {
      found.push_back(
          {{"where", one.where}, {"bytes", count_json(one.bytes)}, {"evidence", one.evidence}});
    }
    findings.push_back({{"module", result.module},
                        {"code", code_of(result)},
                        {"presence", to_string(result.presence())},
                        {"found", found},
                        {"unsearched", result.unsearched}});
  }
  Json contradictions = Json::array();
  for (const auto& [module, one] : results.contradictions) {
    contradictions.push_back({{"module", module}, {"code", one.code}, {"detail", one.detail}});
  }
  return dumped({{"format", "mlf-check"},
                 {"version", kCheckVersion},
                 {"generator", "mlf " + std::string(version())},
                 {"results", limits},
                 {"findings", findings},
                 {"contradictions", contradictions}});
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

std::string test_case(const std::string& module, std::string_view name, std::string_view failure) {
  const std::string head =
      fmt::format("<testcase classname=\"{}\" name=\"{}\"", xml_text(module), name);
  return failure.empty() ? head + "/>\n" : fmt::format("{}>\n{}</testcase>\n", head, failure);
}

std::string junit_of(const CheckResults& results, const std::string& archive) {
  std::string cases;
  std::size_t failures = 0;
  const auto add = [&](const std::string& module, std::string_view name,
                       const std::string& failure) {
    cases += test_case(module, name, failure);
    if (!failure.empty()) ++failures;
  };
  for (const BudgetResult& result : results.limits) {
    const std::string failure =
        fmt::format("<failure type=\"{}\" message=\"{} needed, at most {}\">{}</failure>\n",
                    to_string(result.verdict), spelled(result.needed), result.limit.most,
                    xml_text(joined(result.remarks)));
    add(result.module, to_string(result.limit.resource), holds(result) ? "" : failure);
  }
  for (const FindingResult& result : results.findings) {
    std::string failure;
    for (const CostFinding& one : result.found) {
      failure += fmt::format("<failure type=\"finding\" message=\"{}: {} bytes\">{}</failure>\n",
                             xml_text(one.where), spelled(one.bytes), xml_text(one.evidence));
    }
    if (result.presence() == Presence::undecided) {
      failure = fmt::format("<failure type=\"undecided\" message=\"not known\">{}</failure>\n",
                            xml_text(joined(result.unsearched)));
    }
    add(result.module, code_of(result), failure);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}</testsuite>\n</testsuites>\n",
      xml_text(archive), results.limits.size() + results.findings.size(), failures, cases);
}

Json sarif_rules() {
  Json rules = Json::array();
  const auto add = [&](std::string id, std::string_view text) {
    rules.push_back({{"id", std::move(id)}, {"shortDescription", {{"text", text}}}});
  };
  for (const Resource resource : all_resources()) {
    const std::string name(to_string(resource));
    add("over-" + name, "More " + name + " needed than the budget has");
  }
  for (const CostFindingInfo& finding : all_cost_findings()) {
    add(std::string(finding.code), finding.meaning);
  }
  return rules;
}

std::string sarif_of(const CheckResults& results, const std::string& archive) {
  Json list = Json::array();
  const Json place{{"physicalLocation", {{"artifactLocation", {{"uri", archive}}}}}};
  const auto add = [&](std::string rule, std::string_view level, const std::string& text) {
    list.push_back({{"ruleId", std::move(rule)},
                    {"level", level},
                    {"message", {{"text", text}}},
                    {"locations", Json::array({place})}});
  };
  for (const BudgetResult& result : results.limits) {
    if (holds(result)) continue;
    add("over-" + std::string(to_string(result.limit.resource)),
        result.verdict == Verdict::exceeds ? "error" : "warning",
        fmt::format("{}: {} needs {}, the limit is {}: {}", printable(result.module),
                    to_string(result.limit.resource), spelled(result.needed), result.limit.most,
                    joined(result.remarks)));
  }
  for (const FindingResult& result : results.findings) {
    for (const CostFinding& one : result.found) {
      add(std::string(code_of(result)), "error",
          fmt::format("{}: {}: {} bytes: {}", printable(result.module), printable(one.where),
                      spelled(one.bytes), printable(one.evidence)));
    }
    if (result.presence() == Presence::undecided) {
      add(std::string(code_of(result)), "warning",
          fmt::format("{}: undecided: {}", printable(result.module),
                      printable(joined(result.unsearched))));
    }
  }
  const Json driver{{"name", "mlf"}, {"version", version()}, {"rules", sarif_rules()}};
  const Json run{{"tool", {{"driver", driver}}}, {"results", list}};
  return dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({run})}});
}

}  // namespace

bool CheckResults::all_hold() const {
  return std::ranges::all_of(limits, holds) &&
         std::ranges::all_of(findings, [](const FindingResult& result) {
           return result.presence() == Presence::absent;
         });
}

std::string to_text(const CheckResults& results, const std::string& archive, CheckFormat format,
                    Colours colours) {
  switch (format) {
    case CheckFormat::text:
      return table_of(results, colours);
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
