#include "report/layers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "report/relay_text.h"
#include "support/lines.h"

namespace mlf::report {
namespace {

/// Operators that TVM does not fuse with one another, as names of kernels have them. Longer ones
/// come before those that are part of them.
constexpr std::array<std::string_view, 19> kAnchors{"conv2d_transpose",
                                                    "conv1d_transpose",
                                                    "conv3d_transpose",
                                                    "conv2d",
                                                    "conv1d",
                                                    "conv3d",
                                                    "batch_matmul",
                                                    "matmul",
                                                    "dense",
                                                    "global_avg_pool2d",
                                                    "global_max_pool2d",
                                                    "adaptive_avg_pool2d",
                                                    "avg_pool2d",
                                                    "max_pool2d",
                                                    "avg_pool1d",
                                                    "max_pool1d",
                                                    "log_softmax",
                                                    "softmax",
                                                    "resize2d"};

constexpr std::string_view kMain = "def @main(";

// No network has an operator with more direct predecessors; larger sets would make the time
// quadratic in the text.
constexpr std::size_t kMostSources = 256;

/// Whether `word` is in `name` between underscores.
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || name[at - 1] == '_' || name[at - 1] == '.';
    if (begins && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

// --- Relay's text ------------------------------------------------------------------------------

/// A variable such as "%12" at the beginning of `text`; empty if there is none.
std::string_view variable_at(std::string_view text) {
  if (text.empty() || text[0] != '%') return {};
  std::size_t end = 1;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  while (end < text.size() && is_part(text[end])) ++end;
  // `%3.1` is an element of a tuple; the operator computed the whole tuple.
  const std::string_view name = text.substr(0, end);
  return name.substr(0, name.find('.'));
}

/// The first parameter of the model behind the data that a call reads: its weights.
std::string weights_of(std::string_view call) {
  const std::vector<std::string_view> arguments = arguments_of(call).arguments;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view variable = variable_at(arguments[i]);
    const bool is_parameter =
        variable.size() > 1 && std::isdigit(static_cast<unsigned char>(variable[1])) == 0;
    if (is_parameter) return std::string(arguments[i].substr(1, arguments[i].find(' ') - 1));
  }
  return {};
}

/// Follows the calls of main to find the anchors that each variable depends on.
class RelayReader {
 public:
  std::vector<RelayAnchor> read(std::string_view text) {
    bool in_main = false;
    for (std::uint32_t line = 1; !text.empty(); ++line) {
      const std::string_view raw = support::take_line(text);
      if (raw.starts_with("def ")) in_main = raw.starts_with(kMain);
      if (raw.starts_with(kMain)) shapes_.add_parameters(raw);
      // Only calls of main: functions inside it have more indentation.
      const bool is_call = in_main && raw.starts_with("  ") && !raw.starts_with("   ");
      if (is_call && !read_call(raw, line)) return {};
    }
    return std::move(anchors_);
  }

 private:
  /// False if an operator has too many predecessors.
  bool read_call(std::string_view raw, std::uint32_t line) {
    const std::string text = without_comments(raw);
    std::string_view rest = text;
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::string_view target = variable_at(rest);
    if (!target.empty()) {
      const std::size_t assigned = rest.find(" = ");
      if (assigned != target.size()) return true;
      rest.remove_prefix(assigned + 3);
    }
    std::set<std::size_t> sources;
    for (std::size_t at = rest.find('%'); at != rest.npos; at = rest.find('%', at + 1)) {
      const auto known = sources_.find(variable_at(rest.substr(at)));
      if (known != sources_.end()) sources.insert(known->second.begin(), known->second.end());
    }
    const std::string_view operation = rest.substr(0, rest.find('('));
    const std::string_view anchor = anchor_in(operation);
    const auto macs = shapes_.add_call(target, operation, raw);
    if (!anchor.empty()) {
      std::string layer = layer_in(raw);
      if (layer.empty()) layer = weights_of(rest);
      anchors_.push_back(
          {std::string(anchor), std::move(layer), line, {sources.begin(), sources.end()}, macs});
      sources = {anchors_.size() - 1};
    }
    const bool is_real = sources.size() <= kMostSources;
    if (!target.empty()) sources_[std::string(target)] = std::move(sources);
    return is_real;
  }

  std::vector<RelayAnchor> anchors_;
  RelayShapes shapes_;
  std::map<std::string, std::set<std::size_t>, std::less<>> sources_;  // by variable
};

// --- Matching ----------------------------------------------------------------------------------

/// What a call reads data from.
struct CallSources {
  std::set<std::size_t> reduced;  ///< by its operator
  std::set<std::size_t> others;   ///< by operators that are fused behind it
};

CallSources sources_of(const graph::Call& call, const std::optional<std::set<std::size_t>>& reduced,
                       const std::vector<std::set<std::size_t>>& of_values) {
  CallSources sources;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (!call.arguments[i].reads) continue;
    const auto& more = of_values[index(*call.arguments[i].reads)];
    const bool is_reduced = !reduced || reduced->contains(i);
    (is_reduced ? sources.reduced : sources.others).insert(more.begin(), more.end());
  }
  return sources;
}

/// The calls of kernels with an anchor in their names, as anchors, and which calls these are.
std::pair<std::vector<RelayAnchor>, std::vector<std::size_t>> anchors_of(
    const graph::Topology& network, const ReducedArguments& reduced) {
  std::vector<RelayAnchor> anchors;
  std::vector<std::size_t> calls;
  std::vector<std::set<std::size_t>> sources(network.values.size());
  std::size_t copy = 0;
  const auto copies_until = [&](std::uint32_t position) {
    for (; copy < network.copies.size() && network.copies[copy].position < position; ++copy) {
      const graph::Copy& one = network.copies[copy];
      if (one.reads) sources[index(one.writes)] = sources[index(*one.reads)];
    }
  };
  for (std::size_t i = 0; i < network.calls.size(); ++i) {
    const graph::Call& call = network.calls[i];
    copies_until(call.position);
    auto [read, others] = sources_of(call, reduced[index(call.kernel)], sources);
    if (read.size() + others.size() > kMostSources) return {};
    const std::string_view anchor = anchor_in(network.kernel_of(call).symbol);
    if (!anchor.empty()) {
      anchors.push_back({.operation = std::string(anchor), .reads = {read.begin(), read.end()}});
      read = {calls.size()};
      calls.push_back(i);
    }
    read.merge(others);
    for (const graph::Argument& argument : call.arguments) {
      if (argument.writes) sources[index(*argument.writes)] = read;
    }
  }
  return {std::move(anchors), std::move(calls)};
}

/// Equal keys of both graphs get equal numbers.
using Numbers = std::map<std::vector<std::size_t>, std::size_t>;

std::size_t number_of(Numbers& numbers, std::string_view operation,
                      std::vector<std::size_t> neighbours) {
  std::ranges::sort(neighbours);
  const auto at = std::ranges::find(kAnchors, operation) - kAnchors.begin();
  neighbours.push_back(static_cast<std::size_t>(at));
  return numbers.try_emplace(std::move(neighbours), numbers.size()).first->second;
}

/// A pair of numbers for each anchor: one for the anchor and everything before it, one for the
/// anchor and everything after it.
std::vector<std::pair<std::size_t, std::size_t>> keys_of(const std::vector<RelayAnchor>& anchors,
                                                         Numbers& before, Numbers& behind) {
  const std::size_t count = anchors.size();
  std::vector<std::pair<std::size_t, std::size_t>> keys(count);
  std::vector<std::vector<std::size_t>> readers(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::size_t> read;
    for (const std::size_t source : anchors[i].reads) {
      read.push_back(keys[source].first);
      readers[source].push_back(i);
    }
    keys[i].first = number_of(before, anchors[i].operation, std::move(read));
  }
  for (std::size_t i = count; i-- > 0;) {
    std::vector<std::size_t> read_by;
    for (const std::size_t reader : readers[i]) read_by.push_back(keys[reader].second);
    keys[i].second = number_of(behind, anchors[i].operation, std::move(read_by));
  }
  return keys;
}

}  // namespace

// In the comment at the end of a line: "span=NAME:0:0", before v0.10
// "span=location: 0, output_name: NAME".
std::string layer_in(std::string_view line) {
  const std::size_t comment = line.rfind("/*");
  if (comment == line.npos) return {};
  constexpr std::string_view kSpan = "span=";
  constexpr std::string_view kName = "output_name: ";
  std::size_t begin = line.find(kSpan, comment);
  if (begin == line.npos) return {};
  begin += kSpan.size();
  std::string_view name = line.substr(begin, line.find(" */", begin) - begin);
  if (const std::size_t at = name.find(kName); at != name.npos) {
    name.remove_prefix(at + kName.size());
  }
  // Removes line and column, which have no meaning for the model's file.
  for (int i = 0; i < 2; ++i) {
    const std::size_t colon = name.rfind(':');
    const bool is_number = colon != name.npos && colon + 1 < name.size() &&
                           name.find_first_not_of("0123456789", colon + 1) == name.npos;
    if (is_number) name = name.substr(0, colon);
  }
  return std::string(name);
}

std::string without_comments(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const std::size_t begin = line.find("/*");
    text += line.substr(0, begin);
    if (begin == line.npos) break;
    const std::size_t end = line.find("*/", begin);
    if (end == line.npos) break;
    line.remove_prefix(end + 2);
  }
  return text;
}

std::string_view main_of_relay(std::string_view text) {
  // It may begin the text, where no line ends before it.
  std::size_t begin = 0;
  while (!text.substr(begin).starts_with(kMain)) {
    begin = text.find('\n', begin);
    if (begin == text.npos) return {};
    ++begin;
  }
  constexpr std::string_view kEnd = "\n}\n";
  const std::size_t end = text.find(kEnd, begin);
  return text.substr(begin, end == text.npos ? end : end + kEnd.size() - begin);
}

std::string_view anchor_in(std::string_view name) {
  const auto found = std::ranges::find_if(
      kAnchors, [&](std::string_view anchor) { return has_word(name, anchor); });
  return found == kAnchors.end() ? std::string_view() : *found;
}

std::vector<RelayAnchor> relay_anchors(std::string_view text) {
  return RelayReader().read(text);
}

LayerMatches match_layers(const graph::Topology& network, const ReducedArguments& reduced,
                          const std::vector<RelayAnchor>& anchors) {
  Numbers before;
  Numbers behind;
  const auto [calls, positions] = anchors_of(network, reduced);
  const auto call_keys = keys_of(calls, before, behind);
  const auto anchor_keys = keys_of(anchors, before, behind);
  // By key, the calls and the anchors that have it.
  std::map<std::pair<std::size_t, std::size_t>, std::array<std::vector<std::size_t>, 2>> by_key;
  for (std::size_t i = 0; i < call_keys.size(); ++i) by_key[call_keys[i]][0].push_back(i);
  for (std::size_t i = 0; i < anchor_keys.size(); ++i) by_key[anchor_keys[i]][1].push_back(i);
  LayerMatches matches{
      .groups = {}, .group_of_call = std::vector<std::optional<std::size_t>>(network.calls.size())};
  for (auto& [key, alike] : by_key) {
    if (alike[0].size() != alike[1].size()) continue;
    for (const std::size_t call : alike[0]) {
      matches.group_of_call[positions[call]] = matches.groups.size();
    }
    matches.groups.push_back(std::move(alike[1]));
  }
  return matches;
}

}  // namespace mlf::report
