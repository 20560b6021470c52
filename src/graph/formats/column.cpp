#include "graph/formats/picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/formats/dot_text.h"
#include "support/characters.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

// Pixels.
constexpr std::size_t kColumnWidth = 900;
constexpr std::size_t kLineHeight = 18;
constexpr std::size_t kRowGap = 8;

// Longer lines would exceed the picture.
constexpr std::size_t kMostCharacters = 110;
constexpr std::size_t kMostMakers = 6;

/// Text of an XML element, truncated to a line. Names come from untrusted files.
std::string xml_line(std::string_view text) {
  std::string out;
  for (std::size_t taken = 0; !text.empty(); ++taken) {
    if (taken == kMostCharacters) return out + "\u2026";
    const std::string_view before = text;
    const char32_t c = support::take_character(text);
    if (c == U'&') {
      out += "&amp;";
    } else if (c == U'<') {
      out += "&lt;";
    } else if (c == U'>') {
      out += "&gt;";
    } else if (c == support::kNotUtf8 || support::is_unsafe_to_show(c)) {
      out += "\uFFFD";
    } else {
      out += before.substr(0, before.size() - text.size());
    }
  }
  return out;
}

class ColumnWriter {
 public:
  ColumnWriter(const Topology& topology, const Sink& sink)
      : topology_(topology), sink_(sink), names_(short_names(topology)) {
    for (std::size_t i = 0; i < topology.inputs.size(); ++i) {
      if (topology.inputs[i].value) inputs_.emplace(*topology.inputs[i].value, i);
    }
    for (const Check& check : topology.checks) {
      if (check.call && info(check.code).severity == Severity::error) {
        wrong_[*check.call].push_back(check.detail);
      }
    }
  }

  void write() {
    head();
    for (std::size_t i = 0; i < topology_.calls.size(); ++i) row(static_cast<CallId>(i));
    sink_("</svg>\n");
  }

 private:
  // A line for the name, a line for the inputs, and a line for each reason.
  std::size_t row_height(CallId id) const {
    const auto wrong = wrong_.find(id);
    return kLineHeight * (2 + (wrong == wrong_.end() ? 0 : wrong->second.size())) + 8;
  }

  void head() {
    std::size_t height = 2 * kLineHeight + kRowGap;
    for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
      height += row_height(static_cast<CallId>(i)) + kRowGap;
    }
    sink_(fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}")"
        R"( font-family="Helvetica,sans-serif" font-size="12">)"
        "\n",
        kColumnWidth, height));
    text(kLineHeight, "#3c4043",
         fmt::format("{}: {} calls in the order of main. Too many edges to draw them.",
                     topology_.module, topology_.calls.size()));
    y_ = 2 * kLineHeight;
  }

  void text(std::size_t y, std::string_view color, std::string_view line) {
    sink_(fmt::format("<text x=\"16\" y=\"{}\" fill=\"{}\">{}</text>\n", y, color, xml_line(line)));
  }

  void row(CallId id) {
    const auto wrong = wrong_.find(id);
    const bool is_wrong = wrong != wrong_.end();
    const std::size_t height = row_height(id);
    sink_(fmt::format(R"(<rect x="8" y="{}" width="{}" height="{}" rx="6" fill="#e8f0fe")"
                      R"( stroke="{}"/>)"
                      "\n",
                      y_, kColumnWidth - 16, height, is_wrong ? "#c5221f" : "#3367d6"));
    std::size_t line = y_ + kLineHeight;
    text(line, "#202124",
         fmt::format("call {}: {}", index(id), names_[index(topology_[id].kernel)]));
    text(line += kLineHeight, "#3c4043", makers(topology_[id]));
    if (is_wrong) {
      for (const std::string& reason : wrong->second) text(line += kLineHeight, "#a50e0e", reason);
    }
    y_ += height + kRowGap;
  }

  /// "reads call 3, call 7, input x and 290 more".
  std::string makers(const Call& call) const {
    std::string list;
    std::size_t count = 0;
    for (const Argument& argument : call.arguments) {
      if (!argument.reads || ++count > kMostMakers) continue;
      list += (list.empty() ? "reads " : ", ") + maker(*argument.reads);
    }
    if (count > kMostMakers) list += fmt::format(" and {} more", count - kMostMakers);
    return list.empty() ? "reads nothing" : list;
  }

  std::string maker(ValueId id) const {
    const Value& value = topology_[id];
    if (value.producer) {
      const bool is_call = value.producer->kind == EndpointKind::call;
      return fmt::format("{} {}", is_call ? "call" : "copy", value.producer->step);
    }
    const auto input = inputs_.find(id);
    return input == inputs_.end() ? value.name : "input " + topology_.inputs[input->second].name;
  }

  const Topology& topology_;
  const Sink& sink_;
  std::vector<std::string> names_;  // by kernel
  std::map<ValueId, std::size_t> inputs_;
  std::map<CallId, std::vector<std::string>> wrong_;
  std::size_t y_ = 0;
};

}  // namespace

std::uint64_t layout_effort(const Topology& topology) {
  return layout_effort(topology, whole_network(topology));
}

std::uint64_t layout_effort(const Topology& topology, const FoldedNetwork& folded) {
  Ranks ranks = ranks_of(topology, folded);
  std::uint64_t effort = topology.inputs.size() + topology.outputs.size() + folded.blocks.size() +
                         topology.copies.size();
  const auto rank = [&](const Endpoint& end) { return ranks[box_of(folded, end)]; };
  std::set<std::pair<Box, Box>> block_edges;
  std::set<std::pair<const Value*, Box>> block_inputs;
  // Draws several edges between a block and another box as one, and edges within a block not at
  // all.
  const auto is_drawn = [&](const Value& value, const Endpoint& end) {
    const Box to = box_of(folded, end);
    if (!value.producer) return !is_block(folded, to) || block_inputs.emplace(&value, to).second;
    const Box from = box_of(folded, *value.producer);
    if (!is_block(folded, from) && !is_block(folded, to)) return true;
    return from != to && block_edges.emplace(from, to).second;
  };
  for (const Value& value : topology.values) {
    if (value.kind == ValueKind::constant) ++effort;
    if (value.consumers.empty()) continue;
    // Graphviz puts inputs and constants as near to their first reader as it can.
    std::uint64_t from = rank(value.producer ? *value.producer : value.consumers[0]);
    if (!value.producer) {
      for (const Endpoint& end : value.consumers) from = std::min(from, rank(end));
      --from;
    }
    for (const Endpoint& end : value.consumers) {
      // In a damaged network, an edge to an update in place may go backwards.
      if (is_drawn(value, end)) effort += std::max(rank(end), from + 1) - from;
    }
  }
  return effort;
}

void write_column_svg(const Topology& topology, const Sink& sink) {
  ColumnWriter(topology, sink).write();
}

}  // namespace mlf::graph
