#include "mlf/graph/dot.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>

#include "graph/formats/dot_text.h"
#include "graph/formats/ranks.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

// Kernels of fused operators have names of up to 80 characters and more; this keeps boxes about as
// wide as their neighbours.
constexpr std::size_t kLabelWidth = 26;
// Sentences are longer than names, and there are few of them.
constexpr std::size_t kReasonWidth = 40;

// What a node looks like: attributes that do not depend on what it shows.
constexpr std::string_view kInputStyle = R"(shape=ellipse, fillcolor="#e6f4ea", color="#188038")";
constexpr std::string_view kOutputStyle = R"(shape=ellipse, fillcolor="#fce8f3", color="#a3307d")";
constexpr std::string_view kConstant = R"(shape=note, fillcolor="#f1f3f4", color="#80868b")";
constexpr std::string_view kKernel = R"(fillcolor="#e8f0fe", color="#3367d6")";
constexpr std::string_view kForeign =
    R"(style=filled, peripheries=2, fillcolor="#fef7e0", color="#b06000")";
constexpr std::string_view kCopy =
    R"(style="rounded,filled,dashed", fillcolor="#ffffff", color="#5f6368")";
constexpr std::string_view kWrong = R"(, color="#c5221f", fontcolor="#c5221f", penwidth=2)";

constexpr std::string_view kHead =
    R"(  graph [rankdir=TB, nodesep=0.35, ranksep=0.4, fontname="Helvetica"];
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.2,0.07"];
  edge [color="#5f6368", fontname="Helvetica", fontsize=9, fontcolor="#3c4043", arrowsize=0.7];
)";

/// Graphviz puts labels close to their lines, and a viewer's font may be wider than it thinks.
std::string padded(std::string_view label) {
  constexpr std::string_view kPadding = "   ";
  std::string text(kPadding);
  for (const char c : label) {
    if (c == '\n') text += kPadding;
    text += c;
    if (c == '\n') text += kPadding;
  }
  return text += kPadding;
}

/// Ids of nodes are kind and position ("call3"), so that equal topologies give equal text.
class DotWriter {
 public:
  DotWriter(const Topology& topology, const DotNotes& notes, const tir::Sink& sink)
      : topology_(topology),
        notes_(notes),
        sink_(sink),
        names_(short_names(topology)),
        columns_(picture_columns(topology)),
        nodes_(columns_.count),
        tops_(columns_.count) {}

  void write();

 private:
  void note_checks();
  void inputs();
  void constants();
  void calls();
  void copies();
  void outputs();
  void edges(ValueId id);
  struct Place {
    std::string id;
    std::uint32_t column = 0;
  };

  void node(const Place& place, const std::string& label, std::string_view look,
            const std::string& reason);
  void edge(const Place& from, const Place& to, const std::string& label, bool is_wrong);
  void wrapped_columns();
  std::uint32_t column_of_reader(ValueId id) const;
  std::string call_label(CallId id, std::uint32_t nth) const;
  std::string reason_for(ValueId id) const;
  std::string size_text(const Value& value) const;
  std::string edge_label(const Value& value, const TensorType& seen) const;
  Place producer(ValueId id) const;
  bool is_foreign(const Kernel& kernel) const;
  Place step(const Endpoint& end) const {
    const std::string_view kind = end.kind == Endpoint::Kind::call ? "call" : "copy";
    return {fmt::format("{}{}", kind, end.step), columns_.columns.of(end)};
  }

  const Topology& topology_;
  const DotNotes& notes_;
  const tir::Sink& sink_;
  std::vector<std::string> names_;  // by kernel
  PictureColumns columns_;
  // Of pictures of several columns, what each has; one column is written as it comes.
  std::vector<std::string> nodes_;
  std::vector<std::string> tops_;  // the first node of each
  std::string edges_;
  // What is wrong with them, a line or more each.
  std::map<CallId, std::string> wrong_calls_;
  std::map<ValueId, std::string> wrong_values_;
  std::map<ValueId, std::size_t> inputs_;  // positions among the inputs
};

// What is wrong is red and says why.
void DotWriter::node(const Place& place, const std::string& label, std::string_view look,
                     const std::string& reason) {
  const std::string text = reason.empty() || label.empty() ? label + reason : label + "\n" + reason;
  const std::string line = fmt::format("  {} [label={}, {}{}];\n", place.id, dot_string(text), look,
                                       reason.empty() ? std::string_view() : kWrong);
  if (columns_.count == 1) return sink_(line);
  nodes_[place.column] += line;
  if (tops_[place.column].empty()) tops_[place.column] = place.id;
}

// An edge to another column says nothing about which of its ends is higher.
void DotWriter::edge(const Place& from, const Place& to, const std::string& label, bool is_wrong) {
  const std::string line =
      fmt::format("  {} -> {} [label={}{}{}];\n", from.id, to.id, dot_string(padded(label)),
                  from.column == to.column ? "" : ", constraint=false", is_wrong ? kWrong : "");
  if (columns_.count == 1) return sink_(line);
  edges_ += line;
}

// Clusters keep columns apart; a chain of edges that nobody sees keeps them in order, at one
// height.
void DotWriter::wrapped_columns() {
  sink_("  newrank=true;\n");
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    sink_(fmt::format("  subgraph cluster_{} {{\n  style=invis;\n{}  }}\n", i, nodes_[i]));
  }
  sink_(edges_);
  sink_(fmt::format("  {{ rank=same; {} [style=invis]; }}\n", fmt::join(tops_, " -> ")));
}

/// Inputs and constants are drawn where they are read first.
std::uint32_t DotWriter::column_of_reader(ValueId id) const {
  const Value& value = topology_[id];
  return value.consumers.empty() ? 0 : columns_.columns.of(value.consumers.front());
}

// What is about a call or a value is shown there, in red; the rest gets a box of its own.
void DotWriter::note_checks() {
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
  if (!others.empty()) node({"checks"}, {}, "shape=box, style=solid", others);
}

std::string DotWriter::reason_for(ValueId id) const {
  const auto found = wrong_values_.find(id);
  return found == wrong_values_.end() ? std::string() : found->second;
}

void DotWriter::inputs() {
  for (std::size_t i = 0; i < topology_.inputs.size(); ++i) {
    const Port& port = topology_.inputs[i];
    if (port.value) inputs_.emplace(*port.value, i);
    node({"input" + std::to_string(i), port.value ? column_of_reader(*port.value) : 0},
         port.name + "\n" + type_text(port.type), kInputStyle,
         port.value ? reason_for(*port.value) : std::string());
  }
}

void DotWriter::constants() {
  for (std::size_t i = 0; i < topology_.values.size(); ++i) {
    const Value& value = topology_.values[i];
    if (value.kind != ValueKind::constant) continue;
    const auto id = static_cast<ValueId>(i);
    node({"constant" + std::to_string(i), column_of_reader(id)}, value.name, kConstant,
         reason_for(id));
  }
}

// The functions of another target are in a TIR of their own, apart from main's.
bool DotWriter::is_foreign(const Kernel& kernel) const {
  if (kernel.origin == KernelOrigin::external) return true;
  return !kernel.source.empty() && topology_.provenance.kind == Provenance::Kind::main_function &&
         kernel.source != topology_.provenance.source;
}

/// "2 constants, 1.5 KiB"; nothing where there are none.
std::string buffers_text(const std::vector<KernelBuffer>& buffers, std::string_view name) {
  if (buffers.empty()) return {};
  std::uint64_t bytes = 0;
  bool is_known = true;
  for (const KernelBuffer& buffer : buffers) {
    bytes += buffer.bytes.value_or(0);
    is_known = is_known && buffer.bytes.has_value();
  }
  return fmt::format("\n{} {}{}, {}{}", buffers.size(), name, buffers.size() == 1 ? "" : "s",
                     is_known ? "" : "at least ", byte_count(bytes));
}

// The kernel's short name, which of its calls this is, what it brings along, and the caller's note.
std::string DotWriter::call_label(CallId id, std::uint32_t nth) const {
  const Call& call = topology_[id];
  const Kernel& kernel = topology_.kernel_of(call);
  std::string label = wrapped(names_[index(call.kernel)], '_', kLabelWidth);
  if (nth > 0) label += fmt::format("\ncall {}", nth + 1);
  if (is_foreign(kernel) && !kernel.target.empty()) label += "\n" + kernel.target;
  if (kernel.origin == KernelOrigin::unknown) label += "\nnothing defines it";
  label +=
      buffers_text(kernel.constants, "constant") + buffers_text(kernel.workspaces, "workspace");
  if (index(id) < notes_.calls.size() && !notes_.calls[index(id)].empty()) {
    label += "\n" + notes_.calls[index(id)];
  }
  return label;
}

void DotWriter::calls() {
  std::vector<std::uint32_t> times(topology_.kernels.size());
  for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
    const Call& call = topology_.calls[i];
    const auto id = static_cast<CallId>(i);
    const auto wrong = wrong_calls_.find(id);
    node(step({.kind = Endpoint::Kind::call, .step = static_cast<std::uint32_t>(i)}),
         call_label(id, times[index(call.kernel)]++),
         is_foreign(topology_.kernel_of(call)) ? kForeign : kKernel,
         wrong == wrong_calls_.end() ? std::string() : wrong->second);
  }
}

void DotWriter::copies() {
  for (std::size_t i = 0; i < topology_.copies.size(); ++i) {
    const Copy& copy = topology_.copies[i];
    node(step({.kind = Endpoint::Kind::copy, .step = static_cast<std::uint32_t>(i)}), "copy", kCopy,
         copy.reads ? "" : "reads what nothing has written");
  }
}

void DotWriter::outputs() {
  for (std::size_t i = 0; i < topology_.outputs.size(); ++i) {
    const Port& port = topology_.outputs[i];
    const Place place{"output" + std::to_string(i),
                      port.value ? producer(*port.value).column : columns_.count - 1};
    node(place, port.name + "\n" + type_text(port.type), kOutputStyle,
         port.value ? "" : "nothing writes it");
    if (!port.value) continue;
    const Value& value = topology_[*port.value];
    // Outputs are consumers too, though not Endpoints: nothing in main reads them.
    edge(producer(*port.value), place, edge_label(value, port.type),
         wrong_values_.contains(*port.value));
  }
}

DotWriter::Place DotWriter::producer(ValueId id) const {
  const Value& value = topology_[id];
  if (value.producer) return step(*value.producer);
  const std::uint32_t column = column_of_reader(id);
  if (value.kind == ValueKind::constant) return {fmt::format("constant{}", index(id)), column};
  return {fmt::format("input{}", inputs_.at(id)), column};
}

// Main does not say what external kernels (CMSIS-NN) pass to each other, but how much it allocates
// for it. An allocation may be shared with larger tensors.
std::string DotWriter::size_text(const Value& value) const {
  if (value.bytes) return byte_count(*value.bytes);
  const std::optional<std::uint64_t> allocated = topology_[value.storage].bytes;
  return allocated ? "at most " + byte_count(*allocated) : std::string();
}

// Writer and reader may see different shapes of the same bytes: RemoveStandaloneReshapes (v0.10+).
std::string DotWriter::edge_label(const Value& value, const TensorType& seen) const {
  const std::string size = size_text(value);
  const bool is_unknown = value.type.dtype.is_void() && !value.type.shape;
  std::string label = type_text(is_unknown ? seen : value.type);
  if (seen.shape && value.type.shape && seen.shape != value.type.shape) {
    label += " \u2192 " + shape_text(seen);
  }
  if (size.empty()) return label;
  const bool says_nothing = is_unknown && seen.dtype.is_void() && !seen.shape;
  return says_nothing ? size : label + "\n" + size;
}

void DotWriter::edges(ValueId id) {
  const Value& value = topology_[id];
  const Place from = producer(id);
  for (const Endpoint& end : value.consumers) {
    edge(from, step(end), edge_label(value, topology_.type_at(end, id)),
         wrong_values_.contains(id));
  }
}

void DotWriter::write() {
  // Nodes before edges: Graphviz orders a rank by first mention, and this is the order of main.
  sink_("digraph " + dot_string(topology_.module) + " {\n");
  sink_(kHead);
  note_checks();
  inputs();
  constants();
  calls();
  copies();
  for (std::size_t i = 0; i < topology_.values.size(); ++i) edges(static_cast<ValueId>(i));
  outputs();
  if (columns_.count > 1) wrapped_columns();
  sink_("}\n");
}

}  // namespace

Result<void> write_dot(const Topology& topology, const tir::Sink& sink) {
  return write_dot(topology, DotNotes{}, sink);
}

Result<void> write_dot(const Topology& topology, const DotNotes& notes, const tir::Sink& sink) {
  return support::to_result([&] { DotWriter(topology, notes, sink).write(); });
}

}  // namespace mlf::graph
