#include "mlf/graph/dot.h"

#include <fmt/core.h>

#include <map>
#include <set>

#include "graph/formats/dot_text.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

// Kernels of fused operators have names of up to 80 characters and more; this keeps boxes about as
// wide as their neighbours.
constexpr std::size_t kLabelWidth = 26;

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
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.14,0.07"];
  edge [color="#5f6368", fontname="Helvetica", fontsize=9, fontcolor="#3c4043", arrowsize=0.7];
)";

/// Ids of nodes are kind and position ("call3"), so that equal topologies give equal text.
class DotWriter {
 public:
  DotWriter(const Topology& topology, const tir::Sink& sink)
      : topology_(topology), sink_(sink), names_(short_names(topology)) {}

  void write();

 private:
  void note_checks();
  void inputs();
  void constants();
  void calls();
  void copies();
  void outputs();
  void edges(ValueId id);
  void node(const std::string& id, const std::string& label, std::string_view look, bool is_wrong);
  void edge(const std::string& from, const std::string& to, const std::string& label,
            bool is_wrong);
  std::string call_label(const Call& call, std::uint32_t nth) const;
  std::string edge_label(const Value& value, const TensorType& seen) const;
  std::string producer(ValueId id) const;
  bool is_foreign(const Kernel& kernel) const;
  static std::string step(const Endpoint& end) {
    return (end.kind == Endpoint::Kind::call ? "call" : "copy") + std::to_string(end.step);
  }

  const Topology& topology_;
  const tir::Sink& sink_;
  std::vector<std::string> names_;  // by kernel
  std::set<CallId> wrong_calls_;
  std::set<ValueId> wrong_values_;
  std::map<ValueId, std::size_t> inputs_;  // positions among the inputs
};

void DotWriter::node(const std::string& id, const std::string& label, std::string_view look,
                     bool is_wrong) {
  sink_(fmt::format("  {} [label={}, {}{}];\n", id, dot_string(label), look,
                    is_wrong ? kWrong : std::string_view()));
}

void DotWriter::edge(const std::string& from, const std::string& to, const std::string& label,
                     bool is_wrong) {
  sink_(fmt::format("  {} -> {} [label={}{}];\n", from, to, dot_string(label),
                    is_wrong ? kWrong : std::string_view()));
}

// What is about a call or a value is shown there, in red; the rest gets a box of its own.
void DotWriter::note_checks() {
  std::string others;
  for (const Check& check : topology_.checks) {
    if (info(check.code).severity != Severity::error) continue;
    if (check.call) wrong_calls_.insert(*check.call);
    if (check.value) wrong_values_.insert(*check.value);
    if (!check.call && !check.value) others += (others.empty() ? "" : "\n") + check.detail;
  }
  if (!others.empty()) node("checks", others, "shape=box, style=solid", true);
}

void DotWriter::inputs() {
  for (std::size_t i = 0; i < topology_.inputs.size(); ++i) {
    const Port& port = topology_.inputs[i];
    const bool is_wrong = port.value && wrong_values_.contains(*port.value);
    if (port.value) inputs_.emplace(*port.value, i);
    node("input" + std::to_string(i), port.name + "\n" + type_text(port.type), kInputStyle,
         is_wrong);
  }
}

void DotWriter::constants() {
  for (std::size_t i = 0; i < topology_.values.size(); ++i) {
    const Value& value = topology_.values[i];
    if (value.kind != ValueKind::constant) continue;
    const bool is_wrong = wrong_values_.contains(static_cast<ValueId>(i));
    node("constant" + std::to_string(i), value.name, kConstant, is_wrong);
  }
}

// The functions of another target are in a TIR of their own, apart from main's.
bool DotWriter::is_foreign(const Kernel& kernel) const {
  if (kernel.origin == KernelOrigin::external) return true;
  return !kernel.source.empty() && topology_.provenance.kind == Provenance::Kind::main_function &&
         kernel.source != topology_.provenance.source;
}

// The kernel's short name, which of its calls this is, and what it brings along.
std::string DotWriter::call_label(const Call& call, std::uint32_t nth) const {
  const Kernel& kernel = topology_.kernel_of(call);
  std::string label = wrapped(names_[index(call.kernel)], kLabelWidth);
  if (nth > 0) label += fmt::format("\ncall {}", nth + 1);
  if (is_foreign(kernel) && !kernel.target.empty()) label += "\n" + kernel.target;
  if (kernel.origin == KernelOrigin::unknown) label += "\nnothing defines it";
  if (kernel.constants.empty()) return label;
  std::uint64_t bytes = 0;
  for (const KernelBuffer& constant : kernel.constants) bytes += constant.bytes.value_or(0);
  const std::size_t count = kernel.constants.size();
  return label +
         fmt::format("\n{} constant{}, {}", count, count == 1 ? "" : "s", byte_count(bytes));
}

void DotWriter::calls() {
  std::vector<std::uint32_t> times(topology_.kernels.size());
  for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
    const Call& call = topology_.calls[i];
    const bool is_wrong = wrong_calls_.contains(static_cast<CallId>(i));
    node("call" + std::to_string(i), call_label(call, times[index(call.kernel)]++),
         is_foreign(topology_.kernel_of(call)) ? kForeign : kKernel, is_wrong);
  }
}

void DotWriter::copies() {
  for (std::size_t i = 0; i < topology_.copies.size(); ++i) {
    const Copy& copy = topology_.copies[i];
    node("copy" + std::to_string(i), "copy", kCopy, !copy.reads);
  }
}

void DotWriter::outputs() {
  for (std::size_t i = 0; i < topology_.outputs.size(); ++i) {
    const Port& port = topology_.outputs[i];
    const std::string id = "output" + std::to_string(i);
    node(id, port.name + "\n" + type_text(port.type), kOutputStyle, !port.value);
    if (!port.value) continue;
    const Value& value = topology_[*port.value];
    // Outputs are consumers too, though not Endpoints: nothing in main reads them.
    edge(producer(*port.value), id, edge_label(value, port.type),
         wrong_values_.contains(*port.value));
  }
}

std::string DotWriter::producer(ValueId id) const {
  const Value& value = topology_[id];
  if (value.producer) return step(*value.producer);
  if (value.kind == ValueKind::constant) return "constant" + std::to_string(index(id));
  return "input" + std::to_string(inputs_.at(id));
}

// Writer and reader may see different shapes of the same bytes: RemoveStandaloneReshapes (v0.10+).
std::string DotWriter::edge_label(const Value& value, const TensorType& seen) const {
  std::string label = type_text(value.type);
  if (seen.shape && value.type.shape && seen.shape != value.type.shape) {
    label += " \u2192 " + shape_text(seen);
  }
  return value.bytes ? label + "\n" + byte_count(*value.bytes) : label;
}

void DotWriter::edges(ValueId id) {
  const Value& value = topology_[id];
  const std::string from = producer(id);
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
  sink_("}\n");
}

}  // namespace

Result<void> write_dot(const Topology& topology, const tir::Sink& sink) {
  return support::to_result([&] { DotWriter(topology, sink).write(); });
}

}  // namespace mlf::graph
