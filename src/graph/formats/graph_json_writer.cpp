// Writes a topology as TVM's graph-executor JSON: first as the graph executor sees it, nodes with
// numbered outputs and nothing between them, then as text.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "mlf/graph/graph_json.h"
#include "support/byte_sink.h"
#include "support/error.h"
#include "support/name_map.h"

namespace mlf::graph {
namespace {

// --- The graph ----------------------------------------------------------------------------------

/// One output of one node.
struct Entry {
  std::uint32_t node = 0;
  std::uint32_t output = 0;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};

struct ProjectedNode {
  std::string name;
  std::string function;  ///< empty: a `null` node
  std::string hash;
  std::vector<Entry> inputs;
  std::vector<TensorType> outputs;  ///< complete: where TIR does not say, bytes of the storage
  std::vector<std::uint32_t> storage_ids;  ///< by output
};

struct Projection {
  std::vector<ProjectedNode> nodes;
  std::vector<Entry> heads;
};

constexpr std::string_view kNop = "__nop";

/// Makes a node of every input, constant and call; copies are looked through. Where a reader sees
/// another shape than the writer made, a `__nop` is put between them, as GraphExecutorCodegen does
/// for reshapes.
class Projector {
 public:
  explicit Projector(const Topology& topology)
      : topology_(topology), entries_(topology.values.size()), known_(topology.values.size()) {}

  Projection run() &&;

 private:
  void add_leaves(ValueKind kind);
  void add_call(const Call& call);
  void add_copy(const Copy& copy);
  void add_head(const Port& port);
  Entry input(const Argument& argument, const Call& call);
  Entry entry_of(std::optional<ValueId> value, std::string_view reader) const;
  Entry reshaped(Entry entry, const TensorType& type);
  void define(ValueId value, Entry entry);
  std::uint32_t add(ProjectedNode node);
  std::uint32_t storage_of(ValueId value);
  TensorType type_of(ValueId value) const;
  std::string unique(std::string name);

  const Topology& topology_;
  Projection result_;
  std::vector<Entry> entries_;  // by value
  std::vector<bool> known_;
  std::map<StorageId, std::uint32_t> storage_ids_;
  std::uint32_t next_storage_ = 0;
  std::map<std::pair<Entry, std::vector<std::int64_t>>, Entry> nops_;
  support::NameSet<std::string> names_;
  std::map<std::string, std::uint32_t> next_name_;
};

std::string Projector::unique(std::string name) {
  std::string candidate = name;
  while (!names_.insert(candidate).second) {
    candidate = name + "_" + std::to_string(++next_name_[name]);
  }
  return candidate;
}

std::uint32_t Projector::add(ProjectedNode node) {
  node.name = unique(std::move(node.name));
  result_.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(result_.nodes.size() - 1);
}

void Projector::define(ValueId value, Entry entry) {
  entries_[index(value)] = entry;
  known_[index(value)] = true;
}

std::uint32_t Projector::storage_of(ValueId value) {
  const StorageId storage = topology_[value].storage;
  // Places in pools overlap as USMP likes; the graph executor has no offsets to say so.
  if (topology_[storage].pool) return next_storage_++;
  const auto [at, is_new] = storage_ids_.try_emplace(storage, next_storage_);
  if (is_new) ++next_storage_;
  return at->second;
}

/// The executor allocates by shape and dtype: a tensor of unknown type is the bytes of its storage.
TensorType Projector::type_of(ValueId id) const {
  const Value& value = topology_[id];
  if (!value.type.dtype.is_void() && value.type.shape) return value.type;
  const auto bytes = topology_[value.storage].bytes.value_or(0);
  return {tir::DType::UInt(8), std::vector{static_cast<std::int64_t>(bytes)}};
}

void Projector::add_leaves(ValueKind kind) {
  // The executor sets inputs by name: that of the network, not of the storage.
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

Entry Projector::entry_of(std::optional<ValueId> value, std::string_view reader) const {
  if (!value || !known_[index(*value)]) {
    throw support::Error(ErrorKind::check_failed, "there is no graph: nothing defines what '" +
                                                      std::string(reader) + "' reads");
  }
  return entries_[index(*value)];
}

/// Readers that see the same other shape share one `__nop`.
Entry Projector::reshaped(Entry entry, const TensorType& type) {
  const ProjectedNode& source = result_.nodes[entry.node];
  const TensorType& written = source.outputs[entry.output];
  if (type.dtype.is_void() || !type.shape || *type.shape == *written.shape) return entry;
  const auto key = std::pair(entry, *type.shape);
  const auto known = nops_.find(key);
  if (known != nops_.end()) return known->second;
  // A `__nop` is another view of the same memory: no bytes move.
  const std::uint32_t storage = source.storage_ids[entry.output];
  const Entry nop{add({"reshape_nop", std::string(kNop), {}, {entry}, {type}, {storage}}), 0};
  nops_.emplace(key, nop);
  return nop;
}

Entry Projector::input(const Argument& argument, const Call& call) {
  return reshaped(entry_of(argument.reads, call.name), argument.type);
}

void Projector::add_call(const Call& call) {
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

void Projector::add_copy(const Copy& copy) {
  define(copy.writes, entry_of(copy.reads, "a copy"));
}

void Projector::add_head(const Port& port) {
  result_.heads.push_back(reshaped(entry_of(port.value, port.name), port.type));
}

/// In execution order: copies have positions between those of calls.
Projection Projector::run() && {
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

/// Throws `Error` of kind check_failed where a call or an output has nothing to read.
Projection project(const Topology& topology) {
  return Projector(topology).run();
}

// --- Its JSON -----------------------------------------------------------------------------------

constexpr std::int64_t kCpu = 1;  // DLDeviceType of everything that a micro target compiles for

/// TVM's graph JSON knows no `bool`.
std::string dltype(tir::DType dtype) {
  return dtype == tir::DType::Bool() ? "uint1" : tir::to_string(dtype);
}

/// The keys and their order are those of GraphExecutorCodegen (src/relay/backend); attributes of
/// nodes are strings there, numbers too.
class GraphJson {
 public:
  GraphJson(json::Writer& out, const Projection& graph) : out_(out), graph_(graph) {}

  void write();

 private:
  void nodes();
  void node(const ProjectedNode& node);
  void entry(const Entry& entry);
  void arg_nodes();
  void attrs();
  void row_ptr();
  void text_attr(std::string_view key, std::string_view value);
  template <class Each>
  void list(std::string_view key, std::string_view type, Each&& each);

  json::Writer& out_;
  const Projection& graph_;
};

void GraphJson::write() {
  out_.begin_object();
  out_.key("nodes");
  nodes();
  out_.key("arg_nodes");
  arg_nodes();
  out_.key("heads");
  out_.begin_array();
  for (const Entry& head : graph_.heads) entry(head);
  out_.end_array();
  out_.key("attrs");
  attrs();
  out_.key("node_row_ptr");
  row_ptr();
  out_.end_object();
  out_.end_line();
  out_.flush();
}

void GraphJson::nodes() {
  out_.begin_array();
  for (const ProjectedNode& one : graph_.nodes) node(one);
  out_.end_array();
}

void GraphJson::text_attr(std::string_view key, std::string_view value) {
  out_.key(key);
  out_.string(value);
}

void GraphJson::node(const ProjectedNode& node) {
  out_.begin_object();
  text_attr("op", node.function.empty() ? "null" : "tvm_op");
  text_attr("name", node.name);
  if (!node.function.empty()) {
    out_.key("attrs");
    out_.begin_object();
    text_attr("num_outputs", std::to_string(node.outputs.size()));
    text_attr("num_inputs", std::to_string(node.inputs.size()));
    // The runtime asks for all four; nothing of TVM's sets this one to anything else.
    text_attr("flatten_data", "0");
    text_attr("func_name", node.function);
    if (!node.hash.empty()) text_attr("hash", node.hash);
    out_.end_object();
  }
  out_.key("inputs");
  out_.begin_array();
  for (const Entry& input : node.inputs) entry(input);
  out_.end_array();
  out_.end_object();
}

// [node, output, version]; the version is always 0.
void GraphJson::entry(const Entry& entry) {
  out_.begin_array();
  out_.integer(entry.node);
  out_.integer(entry.output);
  out_.integer(0);
  out_.end_array();
}

void GraphJson::arg_nodes() {
  out_.begin_array();
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (graph_.nodes[i].function.empty()) out_.integer(static_cast<std::int64_t>(i));
  }
  out_.end_array();
}

// `["list_int", [...]]` with one element for each output of each node.
template <class Each>
void GraphJson::list(std::string_view key, std::string_view type, Each&& each) {
  out_.key(key);
  out_.begin_array();
  out_.string(type);
  out_.begin_array();
  for (const ProjectedNode& node : graph_.nodes) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) each(node, i);
  }
  out_.end_array();
  out_.end_array();
}

void GraphJson::attrs() {
  out_.begin_object();
  // The runtime refuses attributes that it does not know unless they look like `list_int`.
  list("dltype", "list_str", [&](const ProjectedNode& node, std::size_t i) {
    out_.string(dltype(node.outputs[i].dtype));
  });
  list("device_index", "list_int", [&](const ProjectedNode&, std::size_t) { out_.integer(kCpu); });
  list("storage_id", "list_int",
       [&](const ProjectedNode& node, std::size_t i) { out_.integer(node.storage_ids[i]); });
  list("shape", "list_shape", [&](const ProjectedNode& node, std::size_t i) {
    out_.begin_array();
    for (const std::int64_t extent : *node.outputs[i].shape) out_.integer(extent);
    out_.end_array();
  });
  out_.end_object();
}

// Where the outputs of each node begin among those of all nodes, and at last how many there are.
void GraphJson::row_ptr() {
  out_.begin_array();
  std::int64_t entries = 0;
  out_.integer(entries);
  for (const ProjectedNode& node : graph_.nodes) {
    entries += static_cast<std::int64_t>(node.outputs.size());
    out_.integer(entries);
  }
  out_.end_array();
}

}  // namespace

Result<void> write_graph_json(const Topology& topology, tir::JsonLayout layout,
                              const tir::Sink& sink) {
  return support::to_result([&] {
    const Projection graph = project(topology);
    support::FunctionSink bytes(sink);
    json::Writer out(bytes, layout);
    GraphJson(out, graph).write();
  });
}

}  // namespace mlf::graph
