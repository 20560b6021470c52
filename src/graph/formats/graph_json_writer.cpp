// Writes a topology as TVM's graph-executor JSON. First converts it to the graph executor's form,
// nodes with numbered outputs, then writes the text.
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/write_document.h"
#include "mlf/graph/write.h"
#include "support/error.h"
#include "support/name_map.h"

namespace mlf::graph {
namespace {

// --- The graph ----------------------------------------------------------------------------------

/// One output of one node.
struct NodeOutput {
  std::uint32_t node = 0;
  std::uint32_t output = 0;
  friend auto operator<=>(const NodeOutput&, const NodeOutput&) = default;
};

struct ProjectedNode {
  std::string name;
  std::string function;  ///< empty: a `null` node
  std::string hash;
  std::vector<NodeOutput> inputs;
  std::vector<TensorType> outputs;  ///< complete: where TIR does not say, bytes of the storage
  std::vector<std::uint32_t> storage_ids;  ///< by output
};

struct Projection {
  std::vector<ProjectedNode> nodes;
  std::vector<NodeOutput> heads;
};

constexpr std::string_view kNop = "__nop";
constexpr std::int64_t kUnknownExtent = -1;

/// Makes a node of every input, constant and call, and skips copies. If a reader uses another shape
/// than the writer, inserts a `__nop` between them, as GraphExecutorCodegen does for reshapes.
class Projector {
 public:
  explicit Projector(const Topology& topology)
      : topology_(topology), entries_(topology.values.size()), known_(topology.values.size()) {
    for (const Kernel& kernel : topology.kernels) symbols_.insert(kernel.symbol);
  }

  /// In execution order: copies have positions between those of calls.
  Projection run() && {
    add_leaves(ValueKind::input);
    add_leaves(ValueKind::constant);
    std::size_t copy = 0;
    for (const Call& call : topology_.calls) {
      for (; copy < topology_.copies.size() && topology_.copies[copy].position < call.position;
           ++copy) {
        add_copy(topology_.copies[copy]);
      }
      add_call(call);
    }
    for (; copy < topology_.copies.size(); ++copy) add_copy(topology_.copies[copy]);
    for (const Port& port : topology_.outputs) add_head(port);
    return std::move(result_);
  }

 private:
  /// `own` is the only kernel symbol that the name may equal.
  std::string unique(std::string name, const std::string& own) {
    std::string candidate = name;
    while ((candidate != own && symbols_.contains(candidate)) || !names_.insert(candidate).second) {
      candidate = name + "_" + std::to_string(++next_name_[name]);
    }
    return candidate;
  }

  std::uint32_t add(ProjectedNode node) {
    // Users find inputs and constants by name, so these keep their names, even if kernels have the
    // same ones.
    const std::string own = node.function.empty() ? node.name : node.function;
    node.name = unique(std::move(node.name), own);
    result_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(result_.nodes.size() - 1);
  }

  void define(ValueId value, NodeOutput entry) {
    entries_[index(value)] = entry;
    known_[index(value)] = true;
  }

  std::uint32_t storage_of(ValueId value) {
    const StorageId storage = topology_[value].storage;
    // USMP may overlap places in pools; the graph executor has no offsets to express that.
    if (topology_[storage].pool) return next_storage_++;
    const auto [at, is_new] = storage_ids_.try_emplace(storage, next_storage_);
    if (is_new) ++next_storage_;
    return at->second;
  }

  /// The executor allocates by shape and dtype, so a tensor of unknown type becomes the bytes of
  /// its storage. If their number is unknown, it gets one dimension of extent -1, which no executor
  /// allocates.
  TensorType type_of(ValueId id) const {
    const Value& value = topology_[id];
    const bool has_dtype = !value.type.dtype.is_void();
    if (has_dtype && value.type.shape) return value.type;
    if (const auto bytes = topology_[value.storage].bytes) {
      return {tir::DType::UInt(8), std::vector{static_cast<std::int64_t>(*bytes)}};
    }
    return {has_dtype ? value.type.dtype : tir::DType::UInt(8), std::vector{kUnknownExtent}};
  }

  void add_leaves(ValueKind kind) {
    // The executor sets inputs by their names in the network, not by storage names.
    std::map<ValueId, std::string_view> input_names;
    for (const Port& port : topology_.inputs) {
      if (port.value) input_names[*port.value] = port.name;
    }
    for (std::size_t i = 0; i < topology_.values.size(); ++i) {
      const Value& value = topology_.values[i];
      if (value.kind != kind) continue;
      const auto id = static_cast<ValueId>(i);
      const auto input = input_names.find(id);
      std::string name(input == input_names.end() ? value.name : input->second);
      define(id, {add({std::move(name), {}, {}, {}, {type_of(id)}, {storage_of(id)}}), 0});
    }
  }

  NodeOutput entry_of(std::optional<ValueId> value, std::string_view reader) const {
    if (!value || !known_[index(*value)]) {
      throw support::Error(ErrorKind::check_failed, "there is no graph: nothing defines what '" +
                                                        std::string(reader) + "' reads");
    }
    return entries_[index(*value)];
  }

  /// Readers that use the same other shape share one `__nop`.
  NodeOutput reshaped(NodeOutput entry, const TensorType& type) {
    const ProjectedNode& source = result_.nodes[entry.node];
    const TensorType& written = source.outputs[entry.output];
    if (type.dtype.is_void() || !type.shape || *type.shape == *written.shape) return entry;
    const auto key = std::pair(entry, *type.shape);
    const auto known = nops_.find(key);
    if (known != nops_.end()) return known->second;
    // A `__nop` is another view of the same memory: no bytes move.
    const std::uint32_t storage = source.storage_ids[entry.output];
    const NodeOutput nop{add({"reshape_nop", std::string(kNop), {}, {entry}, {type}, {storage}}),
                         0};
    nops_.emplace(key, nop);
    return nop;
  }

  NodeOutput input(const Argument& argument, const Call& call) {
    return reshaped(entry_of(argument.reads, call.name), argument.type);
  }

  void add_call(const Call& call) {
    const Kernel& kernel = topology_.kernel_of(call);
    // Pools and contexts are left out: a graph executor has none.
    ProjectedNode node{call.name, kernel.symbol, kernel.hash, {}, {}, {}};
    std::vector<ValueId> results;
    for (const Argument& argument : call.arguments) {
      const bool reads =
          argument.direction == Direction::input || argument.direction == Direction::in_out;
      if (reads) node.inputs.push_back(input(argument, call));
      if (!argument.writes) continue;
      results.push_back(*argument.writes);
      node.outputs.push_back(type_of(*argument.writes));
      node.storage_ids.push_back(storage_of(*argument.writes));
    }
    const std::uint32_t id = add(std::move(node));
    for (std::uint32_t i = 0; i < results.size(); ++i) define(results[i], {id, i});
  }

  void add_copy(const Copy& copy) { define(copy.writes, entry_of(copy.reads, "a copy")); }

  void add_head(const Port& port) {
    result_.heads.push_back(reshaped(entry_of(port.value, port.name), port.type));
  }

  const Topology& topology_;
  Projection result_;
  std::vector<NodeOutput> entries_;  // by value
  std::vector<bool> known_;
  std::map<StorageId, std::uint32_t> storage_ids_;
  std::uint32_t next_storage_ = 0;
  std::map<std::pair<NodeOutput, std::vector<std::int64_t>>, NodeOutput> nops_;
  support::NameSet<std::string> names_;
  support::NameSet<std::string_view> symbols_;
  std::map<std::string, std::uint32_t> next_name_;
};

/// Throws `Error` of kind check_failed if a call or an output has no value to read.
Projection project(const Topology& topology) {
  return Projector(topology).run();
}

// --- Its JSON -----------------------------------------------------------------------------------

constexpr std::int64_t kCpu = 1;  // DLDeviceType of everything that a micro target compiles for

/// TVM's graph JSON has no `bool`.
std::string dltype(tir::DType dtype) {
  return dtype == tir::DType::Bool() ? "uint1" : tir::to_string(dtype);
}

// The keys and their order are those of GraphExecutorCodegen (src/relay/backend), which writes all
// attributes of nodes as strings, even numbers.

using json::Writer;

// [node, output, version]; the version is always 0.
void write_entries(Writer& out, std::string_view key, const std::vector<NodeOutput>& entries) {
  out.array(key, [&] {
    for (const NodeOutput& entry : entries) {
      out.value(std::array<std::uint32_t, 3>{entry.node, entry.output, 0});
    }
  });
}

void write_node(Writer& out, const ProjectedNode& node) {
  out.member("op", node.function.empty() ? "null" : "tvm_op");
  out.member("name", node.name);
  if (!node.function.empty()) {
    out.object("attrs", [&] {
      out.member("num_outputs", std::to_string(node.outputs.size()));
      out.member("num_inputs", std::to_string(node.inputs.size()));
      // The runtime requires all four; TVM never sets this one to another value.
      out.member("flatten_data", "0");
      out.member("func_name", node.function);
      if (!node.hash.empty()) out.member("hash", node.hash);
    });
  }
  write_entries(out, "inputs", node.inputs);
}

/// `["list_int", [...]]` with one element for each output of each node.
template <class ValueOf>
void write_attribute(Writer& out, const Projection& graph, std::string_view key,
                     std::string_view type, ValueOf value_of) {
  out.array(key, [&] {
    out.string(type);
    out.begin_array();
    for (const ProjectedNode& node : graph.nodes) {
      for (std::size_t i = 0; i < node.outputs.size(); ++i) out.value(value_of(node, i));
    }
    out.end_array();
  });
}

/// The runtime rejects unknown attributes, except those that look like `list_int`.
void write_attributes(Writer& out, const Projection& graph) {
  write_attribute(out, graph, "dltype", "list_str", [](const ProjectedNode& node, std::size_t i) {
    return dltype(node.outputs[i].dtype);
  });
  write_attribute(out, graph, "device_index", "list_int",
                  [](const ProjectedNode&, std::size_t) { return kCpu; });
  write_attribute(out, graph, "storage_id", "list_int",
                  [](const ProjectedNode& node, std::size_t i) { return node.storage_ids[i]; });
  write_attribute(out, graph, "shape", "list_shape",
                  [](const ProjectedNode& node, std::size_t i) { return *node.outputs[i].shape; });
}

/// Nodes without a function.
std::vector<std::size_t> arg_nodes(const Projection& graph) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].function.empty()) positions.push_back(i);
  }
  return positions;
}

/// By node: the position of its first output among those of all nodes; finally, the number of
/// outputs.
std::vector<std::size_t> row_ptr(const Projection& graph) {
  std::vector<std::size_t> begins{0};
  for (const ProjectedNode& node : graph.nodes) {
    begins.push_back(begins.back() + node.outputs.size());
  }
  return begins;
}

void write_graph(Writer& out, const Projection& graph) {
  out.objects("nodes", graph.nodes, write_node);
  out.member("arg_nodes", arg_nodes(graph));
  write_entries(out, "heads", graph.heads);
  out.object("attrs", [&] { write_attributes(out, graph); });
  out.member("node_row_ptr", row_ptr(graph));
}

}  // namespace

Result<void> write_graph_json(const Topology& topology, JsonLayout layout, const Sink& sink) {
  return support::to_result([&] {
    const Projection graph = project(topology);
    support::FunctionSink bytes(sink);
    json::write_object(bytes, layout, [&](Writer& out) { write_graph(out, graph); });
  });
}

}  // namespace mlf::graph
