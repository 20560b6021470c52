// schemas/topology.md and schemas/graph.md: their tables come from those of the code, and their
// examples are what mlf makes of the TIR above them.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "mlf/graph/write.h"
#include "unit/all_rows.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTopologyPage = MLF_SOURCE_DIR "/schemas/topology.md";
constexpr const char* kGraphPage = MLF_SOURCE_DIR "/schemas/graph.md";

// The rules, by which comments name them too.
constexpr std::string_view kRules[] = {
    "main-function", "pointers",    "statements",       "calls",
    "arguments",     "directions",  "values",           "intermediate-outputs",
    "copies",        "edge-shapes", "constants",        "external-functions",
    "storage",       "names",       "reads-and-writes", "several-targets",
    "module-name"};

struct Block {
  std::string heading;  // of the section that it is in
  std::string info;     // "python", "python frame", "js", "js graph"
  std::string text;
};

/// The fenced blocks of both specifications.
std::vector<Block> blocks() {
  std::istringstream lines(read_file(kTopologyPage) + read_file(kGraphPage));
  std::vector<Block> found;
  std::string heading;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!inside && line.starts_with("#")) heading = line;
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      found.back().text += line + "\n";
    } else if (line.starts_with("```")) {
      inside = true;
      found.push_back({heading, line.substr(3), {}});
    }
  }
  return found;
}

/// Statements in the place of `...`, indented like it.
std::string in_frame(const std::string& frame, const std::string& statements) {
  const std::size_t dots = frame.find("...");
  const std::size_t line = frame.rfind('\n', dots) + 1;
  const std::string indent = frame.substr(line, dots - line);
  std::string body;
  std::istringstream lines(statements);
  for (std::string one; std::getline(lines, one);) body += indent + one + "\n";
  return frame.substr(0, line) + body + frame.substr(frame.find('\n', dots) + 1);
}

std::string module_of(const std::string& frame, const std::string& text) {
  const std::string header =
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n";
  return header + (text.starts_with("@I.ir_module") ? text : in_frame(frame, text));
}

/// Whether `whole` has what `part` says. Lists have all their elements, but for checks.
bool has_part(const Json& whole, const Json& part, std::string_view key = {}) {
  if (part.is_object()) {
    const auto members = part.items();
    return whole.is_object() && std::all_of(members.begin(), members.end(), [&](const auto& one) {
             return whole.contains(one.key()) && has_part(whole[one.key()], one.value(), one.key());
           });
  }
  if (!part.is_array()) return whole == part;
  if (key == "checks") {
    return std::all_of(part.begin(), part.end(), [&](const Json& wanted) {
      return std::any_of(whole.begin(), whole.end(),
                         [&](const Json& one) { return has_part(one, wanted); });
    });
  }
  return whole.is_array() &&
         std::equal(whole.begin(), whole.end(), part.begin(), part.end(),
                    [](const Json& a, const Json& b) { return has_part(a, b); });
}

Json written(const Topology& topology, bool as_graph) {
  std::string text;
  const auto sink = [&](std::string_view part) { text += part; };
  const auto done = as_graph ? write_graph_json(topology, JsonLayout::compact, sink)
                             : write_topology_json(topology, JsonLayout::compact, sink);
  if (!done) throw std::runtime_error(to_string(done.error()));
  return Json::parse(text);
}

TEST(TopologyWords, GiveExamplesThatAreTrue) {
  std::string frame;
  std::vector<std::string> modules;
  std::size_t examples = 0;
  for (const Block& block : blocks()) {
    SCOPED_TRACE(block.heading);
    if (block.info == "python frame") {
      frame = block.text;
    } else if (block.info == "python") {
      modules.push_back(module_of(frame, block.text));
    } else {
      ASSERT_FALSE(modules.empty());
      const auto topologies = topologies_of(modules);
      ASSERT_EQ(topologies.size(), 1u);
      const bool is_graph = block.info == "js graph";
      const Json whole = written(topologies[0], is_graph);
      const Json part = Json::parse(block.text);
      EXPECT_TRUE(is_graph ? whole == part : has_part(whole, part)) << whole.dump(1);
      modules.clear();
      ++examples;
    }
  }
  EXPECT_TRUE(modules.empty());
  EXPECT_GE(examples, 19u);
}

TEST(TopologyWords, HaveASectionWithAnExampleForEveryRule) {
  const std::vector<Block> all = blocks();
  for (const std::string_view rule : kRules) {
    const std::string heading = fmt::format("### Rule {}", rule);
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Block& block) {
      return block.info == "js" && block.heading == heading;
    })) << heading;
  }
}

TEST(TopologyWords, AnExampleThatIsNotTrueIsNoticed) {
  const Json whole = Json::parse(R"({"a": [{"b": 1, "c": 2}], "checks": [{"code": "x"}]})");
  EXPECT_TRUE(has_part(whole, Json::parse(R"({"a": [{"b": 1}], "checks": []})")));
  for (const char* wrong : {R"({"a": [{"b": 2}]})", R"({"a": []})", R"({"d": 1})",
                            R"({"checks": [{"code": "y"}]})", R"({"a": [{"b": null}]})"}) {
    EXPECT_FALSE(has_part(whole, Json::parse(wrong))) << wrong;
  }
}

std::string with_section(std::string text, std::string_view name, std::string_view content) {
  const std::string begin = fmt::format("<!-- {} -->\n", name);
  const std::size_t first = text.find(begin) + begin.size();
  const std::size_t last = text.find(fmt::format("<!-- /{} -->", name));
  return text.replace(first, last - first, content);
}

std::string checks_table() {
  std::string table = "| code | severity | meaning |\n|---|---|---|\n";
  for (const CheckInfo& check : all_checks()) {
    table +=
        fmt::format("| `{}` | {} | {} |\n", check.code, to_string(check.severity), check.meaning);
  }
  return table;
}

std::string decisions_table() {
  std::string table = "| `decided_by` | what decided |\n|---|---|\n";
#define MLF_DECISION(name, code, meaning) table += fmt::format("| `{}` | {} |\n", code, meaning);
#include "mlf/graph/decisions.def"
#undef MLF_DECISION
  return table;
}

TEST(TopologyWords, ListEveryCheckAndEveryDecision) {
  const std::string committed = read_file(kTopologyPage);
  ASSERT_NE(committed.find("<!-- checks -->"), std::string::npos);
  const std::string expected = with_section(with_section(committed, "checks", checks_table()),
                                            "decisions", decisions_table());
  if (std::getenv("MLF_UPDATE_GOLDEN") != nullptr) std::ofstream(kTopologyPage) << expected;
  EXPECT_TRUE(committed == expected)
      << "schemas/topology.md is out of date: run this test with MLF_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace mlf::graph
