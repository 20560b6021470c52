#include "commands/check_formats.h"

#include <fmt/core.h>

#include "table.h"

namespace mlf::program {
namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& one : sentences) text += (text.empty() ? "" : "; ") + one;
  return text;
}

bool holds(const BudgetResult& result) {
  return result.verdict == Verdict::fits;
}

std::string limits_table(const std::vector<BudgetResult>& results, const Screen& screen) {
  Table table({"MODULE", "LIMIT", "MOST", "NEEDED", "VERDICT", "WHY"});
  table.align_right({2, 3});
  table.wrap({5});
  for (const BudgetResult& result : results) {
    table.add(
        {result.module.empty() ? "-" : result.module, std::string(to_string(result.limit.resource)),
         std::to_string(result.limit.most), to_string(result.needed),
         std::string(to_string(result.verdict)), joined(result.remarks)},
        holds(result) ? Emphasis::none : Emphasis::warning);
  }
  return table.empty() ? "" : table.text(screen);
}

std::string_view code_of(const FindingResult& result) {
  return info(result.code).code;
}

/// A line for each finding that there is, and one for a code that there is nothing of.
std::string findings_table(const std::vector<FindingResult>& results, const Screen& screen) {
  Table table({"MODULE", "FINDING", "WHERE", "BYTES", "EVIDENCE"});
  table.align_right({3});
  table.wrap({4});
  for (const FindingResult& result : results) {
    const std::string module = result.module.empty() ? "-" : result.module;
    const std::string code(code_of(result));
    const Presence presence = result.presence();
    if (presence == Presence::absent) table.add({module, code, "none", "", ""});
    if (presence == Presence::undecided) {
      table.add({module, code, "undecided", "", joined(result.unsearched)}, Emphasis::warning);
    }
    for (const CostFinding& one : result.found) {
      table.add({module, code, one.where, to_string(one.bytes), one.evidence}, Emphasis::warning);
    }
  }
  return table.empty() ? "" : table.text(screen);
}

std::string table_of(const CheckResults& results, const Screen& screen) {
  const std::string limits = limits_table(results.limits, screen);
  const std::string findings = findings_table(results.findings, screen);
  std::string text = limits + (limits.empty() || findings.empty() ? "" : "\n") + findings;
  if (!results.contradictions.empty()) {
    text += "\nThe archive contradicts itself: numbers may be wrong\n";
  }
  for (const auto& [module, one] : results.contradictions) {
    const std::string line =
        fmt::format("  {}: {} [{}]", printable(module), printable(one.detail), one.code);
    text += folded(line, screen, 4) + "\n";
  }
  return text;
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
                    to_string(result.verdict), to_string(result.needed), result.limit.most,
                    xml_text(joined(result.remarks)));
    add(result.module, to_string(result.limit.resource), holds(result) ? "" : failure);
  }
  for (const FindingResult& result : results.findings) {
    std::string failure;
    for (const CostFinding& one : result.found) {
      failure += fmt::format("<failure type=\"finding\" message=\"{}: {} bytes\">{}</failure>\n",
                             xml_text(one.where), to_string(one.bytes), xml_text(one.evidence));
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

}  // namespace

std::string to_text(const CheckResults& results, const std::string& archive, CheckFormat format,
                    const Screen& screen) {
  switch (format) {
    case CheckFormat::text:
      return table_of(results, screen);
    case CheckFormat::json:
      return to_json(results, JsonLayout::pretty);
    case CheckFormat::junit:
      return junit_of(results, archive);
    case CheckFormat::sarif:
      break;
  }
  return to_sarif(results, archive, JsonLayout::pretty);
}

}  // namespace mlf::program
