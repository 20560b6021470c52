// Writes what a check found as SARIF 2.1.0, which tools of CI show beside the sources.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "json/text.h"
#include "json/writer.h"
#include "mlf/budget.h"
#include "mlf/formats.h"
#include "support/byte_sink.h"

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

std::string rule_of(Resource resource) {
  return fmt::format("over-{}", to_string(resource));
}

void write_tool(Writer& out) {
  out.object("driver", [&] {
    out.member("name", "mlf");
    out.member("version", version());
    out.array("rules", [&] {
      for (const Resource resource : all_resources()) {
        write_rule(out, rule_of(resource),
                   fmt::format("More {} needed than the budget has", to_string(resource)));
      }
      for (const CostFindingInfo& finding : all_cost_findings()) {
        write_rule(out, finding.code, finding.meaning);
      }
    });
  });
}

class SarifResults {
 public:
  SarifResults(Writer& out, std::string_view archive) : out_(out), archive_(archive) {}

  void write(const CheckResults& results) {
    for (const BudgetResult& one : results.limits) limit(one);
    for (const FindingResult& one : results.findings) finding(one);
  }

 private:
  void result(std::string_view rule, std::string_view level, std::string_view text);
  void limit(const BudgetResult& result);
  void finding(const FindingResult& result);

  Writer& out_;
  std::string_view archive_;
};

void SarifResults::result(std::string_view rule, std::string_view level, std::string_view text) {
  out_.begin_object();
  out_.member("ruleId", rule);
  out_.member("level", level);
  write_text(out_, "message", text);
  out_.array("locations", [&] {
    out_.begin_object();
    out_.object("physicalLocation", [&] {
      // The name of a file may be any bytes.
      out_.object("artifactLocation", [&] { out_.member("uri", json::valid_utf8(archive_)); });
    });
    out_.end_object();
  });
  out_.end_object();
}

void SarifResults::limit(const BudgetResult& one) {
  if (one.verdict == Verdict::fits) return;
  result(rule_of(one.limit.resource), one.verdict == Verdict::exceeds ? "error" : "warning",
         fmt::format("{}: {} needs {}, the limit is {}: {}", printable(one.module),
                     to_string(one.limit.resource), to_string(one.needed), one.limit.most,
                     fmt::join(one.remarks, "; ")));
}

void SarifResults::finding(const FindingResult& unwanted) {
  const std::string_view rule = info(unwanted.code).code;
  const std::string module = printable(unwanted.module);
  for (const CostFinding& one : unwanted.found) {
    result(rule, "error",
           fmt::format("{}: {}: {} bytes: {}", module, printable(one.where), to_string(one.bytes),
                       printable(one.evidence)));
  }
  if (unwanted.presence() == Presence::undecided) {
    const std::string why = fmt::format("{}", fmt::join(unwanted.unsearched, "; "));
    result(rule, "warning", fmt::format("{}: undecided: {}", module, printable(why)));
  }
}

}  // namespace
}  // namespace report

std::string to_sarif(const CheckResults& results, std::string_view archive, JsonLayout layout) {
  support::StringSink sink;
  json::Writer out(sink, layout);
  out.begin_object();
  out.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  out.member("version", "2.1.0");
  out.array("runs", [&] {
    out.begin_object();
    out.object("tool", [&] { report::write_tool(out); });
    out.array("results", [&] { report::SarifResults(out, archive).write(results); });
    out.end_object();
  });
  out.end_object();
  out.end_line();
  out.flush();
  return sink.take();
}

}  // namespace mlf
