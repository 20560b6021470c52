#include "graph/formats/picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "graph/formats/dot_text.h"
#include "support/error.h"
#include "support/lines.h"
#include "support/lookup.h"

namespace mlf::graph {
namespace {

// Kernels of fused operators have names of up to 80 characters and more; this keeps boxes about as
// wide as their neighbours.
constexpr std::size_t kLabelWidth = 26;
// More names would not help: the picture of the whole network has all of them.
constexpr std::uint32_t kMostNames = 6;
// Paths of scopes; they differ at the end.
constexpr std::size_t kLayerWidth = 34;
// Sentences are longer than names, and there are few of them.
constexpr std::size_t kReasonWidth = 40;

// Styles of nodes: attributes that do not depend on the content.
constexpr std::string_view kInputStyle = R"(shape=ellipse, fillcolor="#e6f4ea", color="#188038")";
constexpr std::string_view kOutputStyle = R"(shape=ellipse, fillcolor="#fce8f3", color="#a3307d")";
constexpr std::string_view kConstant = R"(shape=note, fillcolor="#f1f3f4", color="#80868b")";
constexpr std::string_view kKernel = R"(fillcolor="#e8f0fe", color="#3367d6")";
constexpr std::string_view kRepeated =
    R"(shape=box3d, style=filled, fillcolor="#e8f0fe", color="#3367d6")";
constexpr std::string_view kForeign =
    R"(style=filled, peripheries=2, fillcolor="#fef7e0", color="#b06000")";
constexpr std::string_view kCopy =
    R"(style="rounded,filled,dashed", fillcolor="#ffffff", color="#5f6368")";
constexpr std::string_view kWrong = R"(, color="#c5221f", fontcolor="#8c1a17", penwidth=2)";

constexpr std::string_view kHead =
    R"(  graph [rankdir=TB, nodesep=0.35, ranksep=0.4, fontname="Helvetica"];
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.2,0.07"];
  edge [color="#5f6368", fontname="Helvetica", fontsize=9, fontcolor="#3c4043", arrowsize=0.7];
)";

/// Graphviz puts labels close to their lines, and a viewer's font may be wider than Graphviz
/// assumes. The error grows with the length of the text.
std::string padded(std::string_view label) {
  std::string text;
  while (true) {
    const std::string_view line = label.substr(0, label.find('\n'));
    const std::string padding(3 + line.size() / 6, ' ');
    text.append(padding).append(line).append(padding);
    if (line.size() == label.size()) return text;
    text += '\n';
    label.remove_prefix(line.size() + 1);
  }
}

/// As for labels of edges: makes boxes with long lines wider than Graphviz would. Empty if the
/// margin of all boxes is sufficient.
std::string margin_of(std::string_view text) {
  constexpr std::size_t kRoomFor = 24;
  constexpr double kInches = 0.2;
  constexpr double kInchesOfACharacter = 0.012;
  std::size_t longest = 0;
  while (!text.empty()) longest = std::max(longest, support::take_line(text).size());
  if (longest <= kRoomFor) return {};
  const double margin = kInches + kInchesOfACharacter * static_cast<double>(longest - kRoomFor);
  return fmt::format(", margin=\"{:.2f},0.07\"", margin);
}

/// "1.5 KiB"; "at least 1.5 KiB" if a size is unknown.
template <class Items, class BytesOf>
std::string sum_of(const Items& items, BytesOf bytes_of) {
  std::uint64_t sum = 0;
  bool is_known = true;
  for (const auto& item : items) {
    const std::optional<std::uint64_t> bytes = bytes_of(item);
    sum += bytes.value_or(0);
    is_known = is_known && bytes.has_value();
  }
  return (is_known ? "" : "at least ") + byte_count(sum);
}

/// "2 constants, 1.5 KiB"; empty if there are none.
std::string buffers_text(const std::vector<KernelBuffer>& buffers, std::string_view name) {
  if (buffers.empty()) return {};
  return fmt::format("\n{} {}{}, {}", buffers.size(), name, buffers.size() == 1 ? "" : "s",
                     sum_of(buffers, [](const KernelBuffer& buffer) { return buffer.bytes; }));
}

// The functions of another target are in a different TIR from main's.
bool is_foreign(const Topology& topology, const Kernel& kernel) {
  if (kernel.origin == KernelOrigin::external) return true;
  return !kernel.source.empty() && topology.provenance.kind == ProvenanceKind::main_function &&
         kernel.source != topology.provenance.source;
}

// Main does not state the types of tensors between external kernels (CMSIS-NN), only the sizes of
// their allocations. Larger tensors may share an allocation.
std::string size_text(const Topology& topology, const Value& value) {
  if (value.bytes) return byte_count(*value.bytes);
  const std::optional<std::uint64_t> allocated = topology[value.storage].bytes;
  return allocated ? "at most " + byte_count(*allocated) : std::string();
}

/// The id of a node is its kind and position ("call3"), so equal topologies give equal text.
class DotWriter {
 public:
  DotWriter(const Topology& topology, const DotNotes& notes, const Sink& sink)
      : topology_(topology),
        notes_(notes),
        sink_(sink),
        folded_(notes.folded ? *notes.folded : whole_network(topology)),
        names_(short_names(topology)) {}

  void write() {
    // Nodes before edges: Graphviz orders a rank by first mention, and this is the order of main.
    sink_("digraph " + dot_string(topology_.module) + " {\n");
    sink_(kHead);
    note_checks();
    inputs();
    constants();
    calls();
    copies();
    for (std::size_t i = 0; i < topology_.values.size(); ++i) edges(static_cast<ValueId>(i));
    block_edges();
    outputs();
    sink_("}\n");
  }

 private:
  // The kernel's short name, the number of the call in main, and the kernel's own memory.
  std::string call_label(CallId id) const {
    const Kernel& kernel = topology_.kernel_of(topology_[id]);
    std::string label = wrapped(names_[index(topology_[id].kernel)], '_', kLabelWidth);
    if (index(id) < notes_.layers.size() && !notes_.layers[index(id)].empty()) {
      label += "\n" + wrapped(notes_.layers[index(id)], '/', kLayerWidth);
    }
    label += fmt::format("\ncall {}", index(id));
    if (is_foreign(topology_, kernel) && !kernel.target.empty()) label += "\n" + kernel.target;
    if (kernel.origin == KernelOrigin::unknown) label += "\nnothing defines it";
    return label + buffers_text(kernel.constants, "constant") +
           buffers_text(kernel.workspaces, "workspace");
  }

  // The kernels of the first repetition, and the constants of all. Workspaces of consecutive calls
  // do not add up.
  std::string block_label(const CallBlock& block) const {
    std::string label = fmt::format("calls {} to {}\n{} times:", index(block.first),
                                    index(block.last()), block.times);
    for (std::uint32_t i = 0; i < std::min(block.calls, kMostNames); ++i) {
      const Call& call = topology_.calls[index(block.first) + i];
      label += "\n" + wrapped(names_[index(call.kernel)], '_', kLabelWidth);
    }
    if (block.calls > kMostNames) label += fmt::format("\nand {} more", block.calls - kMostNames);
    std::set<KernelId> kernels;
    std::vector<KernelBuffer> constants;
    for (std::uint32_t i = index(block.first); i <= index(block.last()); ++i) {
      const Call& call = topology_.calls[i];
      if (!kernels.insert(call.kernel).second) continue;
      const std::vector<KernelBuffer>& more = topology_.kernel_of(call).constants;
      constants.insert(constants.end(), more.begin(), more.end());
    }
    return label + buffers_text(constants, "constant");
  }

  // Writer and reader may use different shapes for the same bytes: RemoveStandaloneReshapes
  // (v0.10+).
  std::string edge_label(const Value& value, const TensorType& seen) const {
    const std::string size = size_text(topology_, value);
    const bool is_unknown = value.type.dtype.is_void() && !value.type.shape;
    std::string label = type_text(is_unknown ? seen : value.type);
    if (seen.shape && value.type.shape && seen.shape != value.type.shape) {
      label += " \u2192 " + shape_text(seen);
    }
    if (size.empty()) return label;
    const bool says_nothing = is_unknown && seen.dtype.is_void() && !seen.shape;
    return says_nothing ? size : label + "\n" + size;
  }

  std::string id_of(const Box& box) const {
    if (box.kind == EndpointKind::copy) return fmt::format("copy{}", box.at);
    const CallBlock& block = folded_.blocks[box.at];
    if (!is_block(folded_, box)) return fmt::format("call{}", index(block.first));
    return fmt::format("calls{}to{}", index(block.first), index(block.last()));
  }

  // Nodes with errors are red and contain the reason.
  void node(const std::string& id, const std::string& label, std::string_view look,
            const std::string& reason) {
    const std::string text =
        reason.empty() || label.empty() ? label + reason : label + "\n" + reason;
    sink_(fmt::format("  {} [label={}, {}{}{}];\n", id, dot_string(text), look,
                      reason.empty() ? std::string_view() : kWrong, margin_of(text)));
  }

  void edge(const std::string& from, const std::string& to, const std::string& label,
            bool is_wrong) {
    sink_(fmt::format("  {} -> {} [label={}{}];\n", from, to, dot_string(padded(label)),
                      is_wrong ? kWrong : ""));
  }

  // Shows a check about a call or value there, in red; any other check gets its own box.
  void note_checks() {
    std::string others;
    const auto add = [](std::string& to, const std::string& reason) {
      to += (to.empty() ? "" : "\n") + reason;
    };
    for (const Check& check : topology_.checks) {
      if (info(check.code).severity != Severity::error) continue;
      const std::string reason = wrapped(check.detail, ' ', kReasonWidth);
      if (check.call) add(wrong_calls_[*check.call], reason);
      if (check.value) add(wrong_values_[*check.value], reason);
      if (!check.call && !check.value) add(others, reason);
    }
    if (!others.empty()) node("checks", {}, "shape=box, style=solid", others);
  }

  std::string reason_for(ValueId id) const {
    return support::value_at(wrong_values_, id).value_or(std::string());
  }

  void inputs() {
    for (std::size_t i = 0; i < topology_.inputs.size(); ++i) {
      const Port& port = topology_.inputs[i];
      if (port.value) inputs_.emplace(*port.value, i);
      node("input" + std::to_string(i), port.name + "\n" + type_text(port.type), kInputStyle,
           port.value ? reason_for(*port.value) : std::string());
    }
  }

  void constants() {
    for (std::size_t i = 0; i < topology_.values.size(); ++i) {
      const Value& value = topology_.values[i];
      if (value.kind != ValueKind::constant) continue;
      const auto id = static_cast<ValueId>(i);
      node("constant" + std::to_string(i), value.name, kConstant, reason_for(id));
    }
  }

  void calls() {
    for (std::uint32_t i = 0; i < folded_.blocks.size(); ++i) {
      const CallBlock& block = folded_.blocks[i];
      const Box box{EndpointKind::call, i};
      const bool is_note = i < notes_.boxes.size() && !notes_.boxes[i].empty();
      const std::string note = is_note ? "\n" + notes_.boxes[i] : std::string();
      if (is_block(folded_, box)) {
        node(id_of(box), block_label(block) + note, kRepeated, {});
        continue;
      }
      node(id_of(box), call_label(block.first) + note,
           is_foreign(topology_, topology_.kernel_of(topology_[block.first])) ? kForeign : kKernel,
           support::value_at(wrong_calls_, block.first).value_or(std::string()));
    }
  }

  void copies() {
    for (std::size_t i = 0; i < topology_.copies.size(); ++i) {
      const Copy& copy = topology_.copies[i];
      node(fmt::format("copy{}", i), "copy", kCopy,
           copy.reads ? "" : "reads what nothing has written");
    }
  }

  void outputs() {
    for (std::size_t i = 0; i < topology_.outputs.size(); ++i) {
      const Port& port = topology_.outputs[i];
      const std::string output = "output" + std::to_string(i);
      node(output, port.name + "\n" + type_text(port.type), kOutputStyle,
           port.value ? "" : "nothing writes it");
      if (!port.value) continue;
      const Value& value = topology_[*port.value];
      // Outputs are consumers too, though not Endpoints: nothing in main reads them.
      edge(producer(*port.value), output, edge_label(value, port.type),
           wrong_values_.contains(*port.value));
    }
  }

  std::string producer(ValueId id) const {
    const Value& value = topology_[id];
    if (value.producer) return id_of(box_of(folded_, *value.producer));
    if (value.kind == ValueKind::constant) return fmt::format("constant{}", index(id));
    return fmt::format("input{}", inputs_.at(id));
  }

  void edges(ValueId id) {
    const Value& value = topology_[id];
    const std::string from = producer(id);
    std::set<Box> blocks;
    for (const Endpoint& end : value.consumers) {
      const bool is_into_block = is_block(folded_, box_of(folded_, end));
      const bool is_out_of_block =
          value.producer && is_block(folded_, box_of(folded_, *value.producer));
      if (value.producer && (is_into_block || is_out_of_block)) {
        block_edge(id, end);
        continue;
      }
      // Draws one edge from an input or constant to a block, even if several of its calls read it.
      if (is_into_block && !blocks.insert(box_of(folded_, end)).second) continue;
      edge(from, id_of(box_of(folded_, end)), edge_label(value, topology_.type_at(end, id)),
           wrong_values_.contains(id));
    }
  }

  void block_edge(ValueId id, const Endpoint& end) {
    const Box from = box_of(folded_, *topology_[id].producer);
    const Box to = box_of(folded_, end);
    if (from == to) return;
    into_or_out_of_blocks_.try_emplace({from, to}, Tensors{end}).first->second.values.insert(id);
  }

  void block_edges() {
    for (const auto& [ends, tensors] : into_or_out_of_blocks_) {
      const ValueId first = *tensors.values.begin();
      std::string label =
          edge_label(topology_[first], topology_.type_at(tensors.first_reader, first));
      if (tensors.values.size() > 1) {
        label =
            fmt::format("{} tensors\n{}", tensors.values.size(),
                        sum_of(tensors.values, [&](ValueId id) { return topology_[id].bytes; }));
      }
      const bool is_wrong = std::ranges::any_of(
          tensors.values, [&](ValueId id) { return wrong_values_.contains(id); });
      edge(id_of(ends.first), id_of(ends.second), label, is_wrong);
    }
  }

  const Topology& topology_;
  const DotNotes& notes_;
  const Sink& sink_;
  FoldedNetwork folded_;
  std::vector<std::string> names_;  // by kernel
  // Errors of the calls, one line or more each.
  std::map<CallId, std::string> wrong_calls_;
  std::map<ValueId, std::string> wrong_values_;
  std::map<ValueId, std::size_t> inputs_;  // positions among the inputs
  // The tensors from one box to another, if one of them is a repeated part, and their readers.
  struct Tensors {
    Endpoint first_reader;
    std::set<ValueId> values{};
  };
  std::map<std::pair<Box, Box>, Tensors> into_or_out_of_blocks_;
};

}  // namespace

Result<void> write_dot(const Topology& topology, const Sink& sink) {
  return write_dot(topology, DotNotes{}, sink);
}

Result<void> write_dot(const Topology& topology, const DotNotes& notes, const Sink& sink) {
  return support::to_result([&] { DotWriter(topology, notes, sink).write(); });
}

}  // namespace mlf::graph
