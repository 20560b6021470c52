// Reads TVM's graph-executor JSON into a topology.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "graph/formats/graph_json.h"
#include "graph/kernels/functions.h"
#include "graph/kernels/kernels.h"
#include "graph/network/completion.h"
#include "graph/network/memory_use.h"
#include "graph/node_queries.h"
#include "json/document.h"
#include "json/text.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lookup.h"

namespace mlf::graph {
namespace {

/// A name in the encoding of the writer of graph JSON, which preserves bytes that are not UTF-8.
std::string text_of(const json::Value& value) {
  return json::to_bytes(value.as_string());
}

// Far deeper than TVM's graphs.
constexpr std::uint32_t kMaxNesting = 64;

/// An integer from 0 up to below `limit`.
std::uint32_t number_below(const json::Value& value, std::size_t limit) {
  const auto number = value.integer();
  if (!number || *number < 0 || static_cast<std::uint64_t>(*number) >= limit) {
    value.fail("expected a whole number below " + std::to_string(limit));
  }
  return static_cast<std::uint32_t>(*number);
}

/// `["list_int", [ … ]]`: the inner array.
json::Value attribute_list(const json::Value& attrs, std::string_view key, std::size_t entries) {
  const json::Value pair = attrs.at(key);
  pair.expect(json::Type::array);
  if (pair.size() != 2) pair.fail("expected a type and a list");
  const json::Value list = *++pair.elements().begin();
  // The runtime requires the last number of `node_row_ptr` as the size.
  if (!list.is_array() || list.size() != entries) {
    list.fail("expected one element for each of " + std::to_string(entries) + " tensors");
  }
  return list;
}

/// `[-1]`, which mlf writes for a tensor of unknown size.
bool is_unknown(const json::Value& shape) {
  if (shape.size() != 1) return false;
  const json::Value extent = *shape.elements().begin();
  return extent.is(json::Type::integer) && extent.integer() == -1;
}

struct GraphNode {
  json::Value json;
  std::string function;  // empty: null
  std::uint32_t first_entry = 0;
  std::uint32_t outputs = 1;
};

/// Of a `__nop` or `__copy`.
json::Value only_input(const GraphNode& node) {
  if (node.outputs != 1) node.json.fail("expected one output");
  const json::Value inputs = node.json.at("inputs");
  inputs.expect(json::Type::array);
  if (inputs.size() != 1) inputs.fail("expected one input");
  return *inputs.elements().begin();
}

/// The content of one output of one node.
struct NodeOutput {
  std::optional<ValueId> value;
  TensorType type;
  std::int64_t storage_id = 0;
};

/// The graph executor numbers the outputs of all nodes consecutively ("entries"). Types and storage
/// ids are lists by entry. Nodes are in execution order and read only earlier entries.
class GraphDocument {
 public:
  explicit GraphDocument(const json::Value& root) : root_(root) {
    read_nodes();
    read_entries();
  }

  std::uint32_t entry_at(const json::Value& triple, std::size_t limit) const {
    if (!triple.is_array() || triple.size() < 2) triple.fail("expected [node, output, version]");
    auto part = triple.elements().begin();
    // Accepts only nodes before the reader, so values exist and the graph has no cycle. The third
    // number, the version, is 0 in all graphs of TVM.
    const GraphNode& node = nodes[number_below(*part, limit)];
    return node.first_entry + number_below(*++part, node.outputs);
  }

  std::vector<GraphNode> nodes;
  std::vector<NodeOutput> outputs;         ///< of all nodes
  std::map<std::int64_t, Device> devices;  ///< by storage id

 private:
  // Counts the outputs of all nodes first: no list may be longer than this count.
  void read_nodes() {
    std::uint64_t entries = 0;
    for (const json::Value json : root_.at("nodes").as_array()) {
      GraphNode node{json, {}, static_cast<std::uint32_t>(entries), 1};
      const std::string_view op = json.at("op").as_string();
      if (op == "tvm_op") {
        const json::Value attrs = json.at("attrs");
        node.function = text_of(attrs.at("func_name"));
        if (node.function.empty()) attrs.at("func_name").fail("expected the name of a function");
        const json::Value number = attrs.at("num_outputs");
        const std::string digits(number.as_string());
        // All attributes of nodes are strings in this format. Six digits keep the number within an
        // int.
        const bool fits = digits.size() < 7 && support::is_digits(digits);
        if (!fits) number.fail("expected the number of outputs");
        node.outputs = static_cast<std::uint32_t>(std::stoul(digits));
      } else if (op != "null") {
        json.fail("a node is a 'null' or a 'tvm_op', not a '" + std::string(op) + "'");
      }
      entries += node.outputs;
      nodes.push_back(std::move(node));
    }
    // Makes nothing for tensors that the graph does not list.
    attribute_list(root_.at("attrs"), "dltype", entries);
    outputs.resize(entries);
    check_lists();
  }

  /// Lists that repeat what the nodes say, from which the runtime takes outputs and inputs.
  void check_lists() const {
    if (const auto rows = root_.find("node_row_ptr")) {
      rows->expect(json::Type::array);
      if (rows->size() != nodes.size() + 1) {
        rows->fail(fmt::format("expected a number for each of {} nodes, and that of all outputs",
                               nodes.size()));
      }
      auto node = nodes.begin();
      for (const json::Value row : rows->elements()) {
        const std::size_t first = node == nodes.end() ? outputs.size() : node++->first_entry;
        if (row.integer() != static_cast<std::int64_t>(first)) {
          row.fail(fmt::format("expected {}, the outputs of the nodes before", first));
        }
      }
    }
    const auto list = root_.find("arg_nodes");
    if (!list) return;
    std::set<std::uint32_t> listed;
    for (const json::Value node : list->as_array()) {
      const std::uint32_t i = number_below(node, nodes.size());
      if (!nodes[i].function.empty()) node.fail("expected a 'null' node");
      listed.insert(i);
    }
    const auto leaves = std::ranges::count(nodes, std::string(), &GraphNode::function);
    if (listed.size() != static_cast<std::size_t>(leaves)) {
      list->fail(fmt::format("expected all {} 'null' nodes", leaves));
    }
  }

  /// Calls `visit` with each output and what a list of the graph says of it.
  template <class Visit>
  void for_each_output(std::string_view key, Visit visit) {
    auto output = outputs.begin();
    const json::Value list = attribute_list(root_.at("attrs"), key, outputs.size());
    for (const json::Value value : list.elements()) visit(*output++, value);
  }

  void read_entries() {
    for_each_output("dltype", [](NodeOutput& output, const json::Value& dtype) {
      const auto parsed = tir::parse_dtype(dtype.as_string());
      if (!parsed) dtype.fail("unknown data type");
      if (parsed->code == tir::TypeCode::Handle) dtype.fail("expected the data type of a tensor");
      output.type.dtype = *parsed;
    });
    for_each_output("shape", [](NodeOutput& output, const json::Value& shape) {
      if (!shape.is_array()) shape.fail("expected the extents of a tensor");
      if (is_unknown(shape)) return;
      std::vector<std::int64_t>& extents = output.type.shape.emplace();
      for (const json::Value extent : shape.elements()) {
        extents.push_back(number_below(extent, UINT32_MAX));
      }
    });
    for_each_output("storage_id", [](NodeOutput& output, const json::Value& id) {
      output.storage_id = number_below(id, UINT32_MAX);
    });
    // Graphs of one device may lack the list.
    if (!root_.at("attrs").find("device_index")) return;
    for_each_output("device_index", [&](const NodeOutput& output, const json::Value& number) {
      const auto device = static_cast<Device>(number_below(number, INT32_MAX));
      const auto known = devices.try_emplace(output.storage_id, device).first;
      if (known->second != device) number.fail("a storage is on one device only");
    });
  }

  json::Value root_;
};

/// By kernel with TIR.
using ParametersOfKernels = std::map<KernelId, std::vector<KernelParameter>>;

/// If the graph states no devices, there is only one: that of any kernel.
void complete_devices(Topology& topology) {
  const auto known =
      std::ranges::find_if(topology.kernels, [](const Kernel& kernel) { return !!kernel.device; });
  if (known == topology.kernels.end()) return;
  for (Storage& storage : topology.storages) storage.device = known->device;
}

void check_callee(Topology& topology, const ParametersOfKernels& parameters, const GraphNode& node,
                  const Call& call) {
  const auto note = [&](CheckCode code, std::string detail) {
    topology.checks.push_back(
        {code, std::move(detail), static_cast<CallId>(topology.calls.size()), {}});
  };
  const auto stated = node.json.at("attrs").find("num_inputs");
  const std::size_t inputs = call.arguments.size() - node.outputs;
  if (stated && stated->is_string() && stated->as_string() != std::to_string(inputs)) {
    note(CheckCode::arity, fmt::format("{} has {} inputs, and its num_inputs is {}",
                                       quoted(call.name), inputs, stated->as_string()));
  }
  const Kernel& kernel = topology.kernel_of(call);
  const auto* const known = support::find_value(parameters, call.kernel);
  if (known == nullptr) {
    const bool is_generated = kernel.symbol.starts_with("tvmgen_");
    if (kernel.origin == KernelOrigin::external && is_generated) {
      note(CheckCode::unknown_callee, "nothing defines " + quoted(kernel.symbol));
    }
    return;
  }
  // Graphs that mlf writes leave out pools.
  const auto tensors =
      static_cast<std::size_t>(std::ranges::count(*known, false, &KernelParameter::is_pool));
  if (kernel.is_understood() && tensors != call.arguments.size()) {
    note(CheckCode::arity, fmt::format("{} has {} tensors and is called with {}",
                                       quoted(kernel.symbol), tensors, call.arguments.size()));
  }
  // The executor passes storage of the sizes that the graph states.
  for (std::size_t k = 0; k < std::min(known->size(), call.arguments.size()); ++k) {
    const auto bytes = call.arguments[k].type.bytes();
    const std::uint64_t least = (*known)[k].at_least;
    if (!bytes || least <= *bytes) continue;
    note(CheckCode::storage_too_small,
         fmt::format("{} accesses {} bytes of its argument {}, which has {}", quoted(call.name),
                     least, k, *bytes));
  }
}

class GraphReader {
 public:
  GraphReader(const json::Value& root, const GraphJsonOptions& options)
      : graph_(root),
        options_(options),
        parameters_(options.parameters.begin(), options.parameters.end()) {}

  Topology run(const json::Value& root) && {
    topology_.provenance.kind = ProvenanceKind::graph_json;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].function.empty()) {
        leaf(i);
      } else if (graph_.nodes[i].function == "__nop") {
        nop(i);
      } else if (graph_.nodes[i].function == "__copy") {
        // The executor handles these two names (`__nop`, `__copy`) itself and calls no function for
        // them.
        copy(i);
      } else {
        call(i);
      }
    }
    read_heads(root);
    if (graph_.devices.empty()) complete_devices(topology_);
    check_storages(topology_);
    check_results_in_place(
        topology_, [this](KernelId id) { return support::value_at(codes_, id).value_or(nullptr); });
    account_memory(topology_);
    if (options_.facts != nullptr) {
      check_stated_ports(
          topology_, *options_.facts, [this](KernelId id) -> std::span<const KernelParameter> {
            const auto* const known = support::find_value(parameters_of_kernels_, id);
            if (known == nullptr) return {};
            return *known;
          });
    }
    return std::move(topology_);
  }

 private:
  // Storage ids are arbitrary numbers; storages are made in the order in which nodes use them.
  StorageId storage(std::int64_t id) {
    const auto [at, is_new] =
        storages_.try_emplace(id, static_cast<StorageId>(topology_.storages.size()));
    if (is_new) {
      topology_.storages.push_back(
          {.name = storage_name(id),
           .memory = linked(id) != nullptr ? MemoryKind::program : MemoryKind::executor,
           .device = support::value_at(graph_.devices, id)});
    }
    return at->second;
  }

  ValueId define(std::uint32_t entry, std::string name, ValueKind kind) {
    NodeOutput& output = graph_.outputs[entry];
    Value value{.name = std::move(name),
                .kind = kind,
                .storage = storage(output.storage_id),
                .version = versions_[output.storage_id]++,
                .type = output.type,
                .bytes = output.type.bytes()};
    if (!value.bytes) unsized_.insert(value.storage);
    std::optional<std::uint64_t>& bytes = topology_.storages[index(value.storage)].bytes;
    bytes = std::max(bytes.value_or(0), value.bytes.value_or(0));
    if (unsized_.contains(value.storage)) bytes.reset();
    topology_.values.push_back(std::move(value));
    output.value = static_cast<ValueId>(topology_.values.size() - 1);
    return *output.value;
  }

  // TVM's C runtime asks `_lookup_linked_param` for the memory of every storage id.
  const tir::Node* linked(std::int64_t id) const {
    return options_.kernels == nullptr ? nullptr : options_.kernels->linked_storage(id);
  }

  void leaf(std::size_t i) {
    const GraphNode& node = graph_.nodes[i];
    const std::string name = text_of(node.json.at("name"));
    const tir::Node* const array = linked(graph_.outputs[node.first_entry].storage_id);
    // Inputs and parameters are both `null` nodes; only the names in the params file distinguish
    // them.
    const bool is_constant = array != nullptr || parameters_.contains(name) ||
                             (options_.kernels != nullptr && options_.kernels->links(name));
    // The executor finds inputs by name.
    if (!leaf_names_.insert(name).second) node.json.at("name").fail("a node has this name already");
    const ValueId value =
        define(node.first_entry, name, is_constant ? ValueKind::constant : ValueKind::input);
    Storage& memory = topology_.storages[index(topology_[value].storage)];
    memory.kind = is_constant ? StorageKind::constant : StorageKind::parameter;
    if (array != nullptr) memory.bytes = type_of(*array).bytes();
    if (!is_constant) memory.memory.reset();
    if (!is_constant) topology_.inputs.push_back({name, name, topology_[value].type, value});
  }

  KernelId kernel(const GraphNode& node) {
    const auto [at, is_new] =
        kernels_.try_emplace(node.function, static_cast<KernelId>(topology_.kernels.size()));
    if (!is_new) return at->second;
    const GraphKernels* known = options_.kernels;
    const FunctionRef* function = known == nullptr ? nullptr : known->find(node.function);
    Kernel made;
    if (function != nullptr) {
      KernelInfo info = describe_kernel(*function, known->inputs());
      made = std::move(info.kernel);
      codes_.emplace(at->second, info.code);
      parameters_of_kernels_.emplace(at->second, std::move(info.parameters));
      for (std::string& overrun : info.overruns) {
        topology_.checks.push_back({CheckCode::storage_too_small, std::move(overrun)});
      }
    }
    made.symbol = node.function;
    // If there is TIR, a function that is missing in it comes from an external compiler. Without
    // TIR the origin is unknown.
    const bool has_tir = known != nullptr && !known->inputs().empty();
    if (function == nullptr && has_tir) made.origin = KernelOrigin::external;
    const auto hash = node.json.at("attrs").find("hash");
    if (hash) made.hash = text_of(*hash);
    // The executor calls a function where the node's results are.
    if (!made.device && node.outputs > 0) {
      made.device = support::value_at(graph_.devices, graph_.outputs[node.first_entry].storage_id);
    }
    topology_.kernels.push_back(std::move(made));
    return at->second;
  }

  Argument input_argument(const json::Value& triple, std::size_t node, std::uint32_t position) {
    const NodeOutput& output = graph_.outputs[graph_.entry_at(triple, node)];
    Value& value = topology_.values[index(*output.value)];
    value.consumers.push_back(
        {EndpointKind::call, static_cast<std::uint32_t>(topology_.calls.size()), position});
    value.last_use = position_;
    return {.direction = Direction::input,
            .decided_by = DecidedBy::graph_json,
            .reads = output.value,
            .storage = value.storage,
            .type = output.type};
  }

  Argument output_argument(std::uint32_t entry, std::uint32_t position) {
    const auto call = static_cast<std::uint32_t>(topology_.calls.size());
    const ValueId id = define(entry, "value_" + std::to_string(entry), ValueKind::computed);
    Value& value = topology_.values[index(id)];
    value.producer = Endpoint{EndpointKind::call, call, position};
    value.first_definition = position_;
    return {.direction = Direction::output,
            .decided_by = DecidedBy::graph_json,
            .writes = id,
            .storage = value.storage,
            .type = value.type};
  }

  void call(std::size_t i) {
    const GraphNode& node = graph_.nodes[i];
    Call call;
    call.kernel = kernel(node);
    call.position = position_;
    call.name = text_of(node.json.at("name"));
    for (const json::Value triple : node.json.at("inputs").as_array()) {
      const auto position = static_cast<std::uint32_t>(call.arguments.size());
      call.arguments.push_back(input_argument(triple, i, position));
    }
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      const auto position = static_cast<std::uint32_t>(call.arguments.size());
      call.arguments.push_back(output_argument(node.first_entry + k, position));
    }
    check_callee(topology_, parameters_of_kernels_, node, call);
    topology_.calls.push_back(std::move(call));
    ++position_;
  }

  // The output of a `__nop` is the value of its input: it has the same storage_id and another
  // shape.
  void nop(std::size_t i) {
    const GraphNode& node = graph_.nodes[i];
    graph_.outputs[node.first_entry].value =
        graph_.outputs[graph_.entry_at(only_input(node), i)].value;
  }

  void copy(std::size_t i) {
    const GraphNode& node = graph_.nodes[i];
    // By value: `define` below may invalidate references into the list.
    const NodeOutput source = graph_.outputs[graph_.entry_at(only_input(node), i)];
    const Endpoint end{EndpointKind::copy, static_cast<std::uint32_t>(topology_.copies.size()), 0};
    Value& read = topology_.values[index(*source.value)];
    read.consumers.push_back(end);
    read.last_use = position_;
    const ValueId id = define(node.first_entry, text_of(node.json.at("name")), ValueKind::computed);
    topology_.values[index(id)].producer = end;
    topology_.values[index(id)].first_definition = position_;
    topology_.copies.push_back({position_++, source.value, id, source.type.bytes()});
  }

  // The graph does not name its outputs; these are the names in TVM's metadata.
  void read_heads(const json::Value& root) {
    const json::Value heads = root.at("heads");
    for (const json::Value head : heads.as_array()) {
      const NodeOutput& output = graph_.outputs[graph_.entry_at(head, graph_.nodes.size())];
      const std::string number = std::to_string(topology_.outputs.size());
      const std::string name = heads.size() == 1 ? "output" : "output" + number;
      topology_.outputs.push_back({name, name, output.type, output.value});
    }
  }

  GraphDocument graph_;
  const GraphJsonOptions& options_;
  support::NameSet<std::string_view> parameters_;
  Topology topology_;
  std::set<std::string> leaf_names_;
  std::map<std::int64_t, StorageId> storages_;
  std::set<StorageId> unsized_;  ///< that hold a tensor of unknown size
  std::map<std::int64_t, std::uint32_t> versions_;
  std::map<std::string, KernelId> kernels_;
  ParametersOfKernels parameters_of_kernels_;
  std::map<KernelId, const KernelCode*> codes_;
  Position position_ = 0;
};

}  // namespace

GraphKernels::GraphKernels(std::span<const TirInput> inputs) : inputs_(inputs), functions_(inputs) {
  for (const TirInput& input : inputs) {
    for (const auto& [name, param] : linked_parameters(input)) {
      linked_.insert(name);
      linked_storages_.emplace(param.integer(tir::f::LinkedParam::id),
                               param[tir::f::LinkedParam::param]);
    }
  }
}

std::string storage_name(std::int64_t id) {
  return "storage_" + std::to_string(id);
}

Result<Topology> read_graph_json(const tir::Input& input, const GraphJsonOptions& options) {
  return support::to_result([&] {
    const support::SourceText source{input.file, input.member, input.text};
    const json::Document document(source, {kMaxNesting, json::Strings::any_bytes});
    Topology topology = GraphReader(document.root(), options).run(document.root());
    topology.provenance.source = input.member.empty() ? input.file : input.member;
    return topology;
  });
}

}  // namespace mlf::graph
