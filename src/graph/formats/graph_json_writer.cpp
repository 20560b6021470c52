// Writes a projection as TVM's graph-executor JSON.
#include "graph/formats/projection.h"
#include "json/writer.h"
#include "mlf/graph/graph_json.h"
#include "support/byte_sink.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

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
