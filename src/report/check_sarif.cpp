// Writes what a check found as SARIF 2.1.0, which tools of CI show beside the sources.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "json/text.h"
#include "json/write_document.h"
#include "mlf/budget.h"
#include "mlf/formats.h"

namespace mlf {
namespace report {
namespace {

using json::Writer;

void write_text(Writer& out, std::string_view key, std::string_view text) {
  out.object(key, [&] { out.member("text", text); });
}

void write_rule(Writer& out, std::string_view id, std::string_view meaning) {
  out.begin_object();
  out.member("id", id);
  write_text(out, "shortDescription", meaning);
  out.end_object();
}

void write_tool(Writer& out) {
  out.object("driver", [&] {
    out.member("name", "mlf");
    out.member("version", version());
    out.array("rules", [&] {
      for (const ResourceInfo& one : resource_infos()) {
        write_rule(out, fmt::format("over-{}", one.name),
                   fmt::format("The network needs more {} than the budget allows", one.name));
      }
      write_rule(out, "over-memory", "The networks need more of a memory than it has");
      write_rule(out, "symbol-clash", "Two archives define a symbol that a program can have once");
      for (const CostFindingInfo& finding : all_cost_findings()) {
        write_rule(out, finding.code, finding.meaning);
      }
    });
  });
}

struct SarifResult {
  std::string rule;
  std::string_view level;
  std::string text;
};

void write_result(Writer& out, const SarifResult& result, std::string_view archive) {
  out.member("ruleId", result.rule);
  out.member("level", result.level);
  write_text(out, "message", result.text);
  out.array("locations", [&] {
    out.begin_object();
    out.object("physicalLocation", [&] {
      // A file name may contain any bytes.
      out.object("artifactLocation", [&] { out.member("uri", json::valid_utf8(archive)); });
    });
    out.end_object();
  });
}

void add_limit(std::vector<SarifResult>& list, const BudgetResult& one) {
  if (one.verdict == Verdict::fits) return;
  list.push_back({fmt::format("over-{}", one.limit.memory ? "memory" : to_string(one.limit)),
                  one.verdict == Verdict::exceeds ? "error" : "warning",
                  fmt::format("{}: {} needs {}, the limit is {}: {}", printable(one.module),
                              printable(to_string(one.limit)), to_string(one.needed),
                              one.limit.most, fmt::join(one.remarks, "; "))});
}

void add_finding(std::vector<SarifResult>& list, const FindingResult& unwanted) {
  const std::string rule(info(unwanted.code).code);
  const std::string module = printable(unwanted.module);
  for (const CostFinding& one : unwanted.found) {
    list.push_back({rule, "error",
                    fmt::format("{}: {}: {} bytes: {}", module, printable(one.where),
                                to_string(one.bytes), printable(one.evidence))});
  }
  if (unwanted.presence() == Presence::undecided) {
    const std::string why = fmt::format("{}", fmt::join(unwanted.unsearched, "; "));
    list.push_back({rule, "warning", fmt::format("{}: undecided: {}", module, printable(why))});
  }
}

}  // namespace
}  // namespace report

std::string to_sarif(const CheckResults& results, std::string_view archive, JsonLayout layout) {
  std::vector<report::SarifResult> list;
  for (const BudgetResult& one : results.limits) report::add_limit(list, one);
  for (const FindingResult& one : results.findings) report::add_finding(list, one);
  for (const SymbolClash& one : results.clashes) {
    list.push_back({"symbol-clash", "error",
                    fmt::format("{} is defined by {}", printable(one.symbol),
                                printable(fmt::format("{}", fmt::join(one.archives, ", "))))});
  }
  return json::object_text(layout, [&](json::Writer& out) {
    out.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    out.member("version", "2.1.0");
    out.array("runs", [&] {
      out.begin_object();
      out.object("tool", [&] { report::write_tool(out); });
      out.objects("results", list, [&](json::Writer&, const report::SarifResult& one) {
        report::write_result(out, one, archive);
      });
      out.end_object();
    });
  });
}

}  // namespace mlf
