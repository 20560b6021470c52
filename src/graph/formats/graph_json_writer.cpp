// Writes a topology as TVM's graph-executor JSON. First converts it to the graph executor's form,
// nodes with numbered outputs, then writes the text.
#include <algorithm>
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
#include "support/lookup.h"
#include "support/name_map.h"

namespace mlf::graph {
namespace {

// --- The graph ----------------------------------------------------------------------------------

/// One output of one node.
struct WrittenOutput {
  std::uint32_t node = 0;
  std::uint32_t output = 0;
  friend auto operator<=>(const WrittenOutput&, const WrittenOutput&) = default;
};

struct ProjectedTensor {
  TensorType type;  ///< complete: where TIR does not say, bytes of the storage
  std::uint32_t storage_id = 0;
  std::optional<Device> device{};
};

struct ProjectedNode {
  std::string name;
  std::string function;  ///< empty: a `null` node
  std::string hash;
  std::vector<WrittenOutput> inputs;
  std::vector<ProjectedTensor> outputs;
};

struct Projection {
  std::vector<ProjectedNode> nodes;
  std::vector<WrittenOutput> heads;
};

constexpr std::string_view kNop = "__nop";
constexpr std::string_view kCopyFunction = "__copy";
constexpr std::int64_t kUnknownExtent = -1;

/// Makes a node of every input, constant and call, and of the copies of a graph, which go to
/// another device. Skips those of main. If a reader uses another shape than the writer, inserts a
/// `__nop` between them, as GraphExecutorCodegen does for reshapes.
class Projector {
 public:
  explicit Projector(const Topology& topology)
      : topology_(topology), entries_(topology.values.size()) {
    for (const Kernel& kernel : topology.kernels) symbols_.insert(kernel.symbol);
  }

  /// In execution order: copies have positions between those of calls. Throws `Error` of kind
  /// check_failed if a call or an output has no value to read.
  Projection run() && {
    for (const Port& port : topology_.inputs) {
      if (port.value) input_names_[*port.value] = port.name;
    }
    // A graph with copies keeps the order of its nodes.
    if (!is_graph_ || topology_.copies.empty()) {
      add_leaves(ValueKind::input);
      add_leaves(ValueKind::constant);
      next_leaf_ = topology_.values.size();
    }
    std::size_t copy = 0;
    for (const Call& call : topology_.calls) {
      for (; copy < topology_.copies.size() && topology_.copies[copy].position < call.position;
           ++copy) {
        add_copy(topology_.copies[copy]);
      }
      add_call(call);
    }
    for (; copy < topology_.copies.size(); ++copy) add_copy(topology_.copies[copy]);
    add_leaves_before(topology_.values.size());
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

  void define(ValueId value, WrittenOutput entry) { entries_[index(value)] = entry; }

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

  ProjectedTensor tensor_of(ValueId id) {
    return {type_of(id), storage_of(id), topology_[topology_[id].storage].device};
  }

  // The executor sets inputs by their names in the network, not by storage names.
  void add_leaf(std::size_t i) {
    const auto id = static_cast<ValueId>(i);
    const auto* const input = support::find_value(input_names_, id);
    std::string name(input == nullptr ? topology_[id].name : *input);
    define(id, {add({std::move(name), {}, {}, {}, {tensor_of(id)}}), 0});
  }

  void add_leaves(ValueKind kind) {
    for (std::size_t i = 0; i < topology_.values.size(); ++i) {
      if (topology_.values[i].kind == kind) add_leaf(i);
    }
  }

  /// Adds the leaves that are not there yet.
  void add_leaves_before(std::size_t value) {
    for (; next_leaf_ < value; ++next_leaf_) {
      if (topology_.values[next_leaf_].kind != ValueKind::computed) add_leaf(next_leaf_);
    }
  }

  WrittenOutput entry_of(std::optional<ValueId> value, std::string_view reader) const {
    if (!value || !entries_[index(*value)]) {
      throw support::Error(ErrorKind::check_failed, "there is no graph: nothing defines what '" +
                                                        std::string(reader) + "' reads");
    }
    return *entries_[index(*value)];
  }

  /// Readers that use the same other shape share one `__nop`.
  WrittenOutput reshaped(WrittenOutput entry, const TensorType& type) {
    // A `__nop` is another view of the same memory: no bytes move.
    ProjectedTensor view = result_.nodes[entry.node].outputs[entry.output];
    if (type.dtype.is_void() || !type.shape || *type.shape == *view.type.shape) return entry;
    const auto key = std::pair(entry, *type.shape);
    const auto known = nops_.find(key);
    if (known != nops_.end()) return known->second;
    view.type = type;
    const WrittenOutput nop{add({"reshape_nop", std::string(kNop), {}, {entry}, {std::move(view)}}),
                            0};
    nops_.emplace(key, nop);
    return nop;
  }

  WrittenOutput input(const Argument& argument, const Call& call) {
    return reshaped(entry_of(argument.reads, call.name), argument.type);
  }

  void add_call(const Call& call) {
    const Kernel& kernel = topology_.kernel_of(call);
    for (const Argument& argument : call.arguments) {
      if (argument.reads) add_leaves_before(index(*argument.reads) + 1);
      if (argument.writes) add_leaves_before(index(*argument.writes));
    }
    // Pools and contexts are left out: a graph executor has none.
    ProjectedNode node{call.name, kernel.symbol, kernel.hash, {}, {}};
    std::vector<ValueId> results;
    for (const Argument& argument : call.arguments) {
      const bool reads =
          argument.direction == Direction::input || argument.direction == Direction::in_out;
      if (reads) node.inputs.push_back(input(argument, call));
      if (!argument.writes) continue;
      results.push_back(*argument.writes);
      node.outputs.push_back(tensor_of(*argument.writes));
    }
    const std::uint32_t id = add(std::move(node));
    for (std::uint32_t i = 0; i < results.size(); ++i) define(results[i], {id, i});
  }

  void add_copy(const Copy& copy) {
    WrittenOutput entry = entry_of(copy.reads, "a copy");
    if (is_graph_) {
      add_leaves_before(index(copy.writes));
      const std::string& name = topology_[copy.writes].name;
      entry = {add({name, std::string(kCopyFunction), {}, {entry}, {tensor_of(copy.writes)}}), 0};
    }
    define(copy.writes, entry);
  }

  void add_head(const Port& port) {
    result_.heads.push_back(reshaped(entry_of(port.value, port.name), port.type));
  }

  const Topology& topology_;
  const bool is_graph_ = topology_.provenance.kind == ProvenanceKind::graph_json;
  Projection result_;
  std::map<ValueId, std::string_view> input_names_;
  std::size_t next_leaf_ = 0;
  std::vector<std::optional<WrittenOutput>> entries_;  // by value
  std::map<StorageId, std::uint32_t> storage_ids_;
  std::uint32_t next_storage_ = 0;
  std::map<std::pair<WrittenOutput, std::vector<std::int64_t>>, WrittenOutput> nops_;
  support::NameSet<std::string> names_;
  support::NameSet<std::string_view> symbols_;
  std::map<std::string, std::uint32_t> next_name_;
};

// --- Its JSON -----------------------------------------------------------------------------------

/// TVM's graph JSON has no `bool`.
std::string dltype(tir::DType dtype) {
  return dtype == tir::DType::Bool() ? "uint1" : tir::to_string(dtype);
}

// The keys and their order are those of GraphExecutorCodegen (src/relay/backend), which writes all
// attributes of nodes as strings, even numbers.

using json::Writer;

// [node, output, version]; the version is always 0.
void write_entries(Writer& out, std::string_view key, const std::vector<WrittenOutput>& entries) {
  out.array(key, [&] {
    for (const WrittenOutput& entry : entries) {
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

/// Lists like `["list_int", [...]]` with one element for each output of each node. The runtime
/// rejects unknown attributes, except those that look like `list_int`.
void write_attributes(Writer& out, const Projection& graph) {
  const auto list = [&](std::string_view key, std::string_view type, auto value_of) {
    out.array(key, [&] {
      out.string(type);
      out.begin_array();
      for (const ProjectedNode& node : graph.nodes) {
        for (const ProjectedTensor& tensor : node.outputs) out.value(value_of(tensor));
      }
      out.end_array();
    });
  };
  list("dltype", "list_str",
       [](const ProjectedTensor& tensor) { return dltype(tensor.type.dtype); });
  // Without this list, the executor takes the device of its caller for all tensors.
  const bool knows_devices = std::ranges::all_of(graph.nodes, [](const ProjectedNode& node) {
    return std::ranges::all_of(node.outputs,
                               [](const ProjectedTensor& tensor) { return !!tensor.device; });
  });
  if (knows_devices) {
    list("device_index", "list_int", [](const ProjectedTensor& tensor) { return *tensor.device; });
  }
  list("storage_id", "list_int", [](const ProjectedTensor& tensor) { return tensor.storage_id; });
  list("shape", "list_shape", [](const ProjectedTensor& tensor) { return *tensor.type.shape; });
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
    const Projection graph = Projector(topology).run();
    support::FunctionSink bytes(sink);
    json::write_object(bytes, layout, [&](Writer& out) { write_graph(out, graph); });
  });
}

}  // namespace mlf::graph
