// Writes a network as a graph of Model Explorer. graph_builder.py in the PyPI package
// ai-edge-model-explorer defines the fields.
#include <algorithm>
#include <string>

#include "graph/formats/dot_text.h"
#include "json/write_document.h"
#include "mlf/graph/write.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

class ModelExplorerJson {
 public:
  ModelExplorerJson(json::Writer& out, const Topology& topology)
      : out_(out), topology_(topology), names_(short_names(topology)) {}

  void write() {
    out_.member("label", topology_.module);
    out_.array("graphs", [&] {
      out_.begin_object();
      out_.member("id", topology_.module);
      out_.array("nodes", [&] {
        const auto source = [&](const std::string& id, std::string_view label,
                                const std::optional<ValueId>& value, const TensorType& type) {
          begin_node(id, label);
          out_.array("outputsMetadata", [&] {
            if (value) tensor(0, *value, type);
          });
          end_node();
        };
        for (std::size_t i = 0; i < topology_.inputs.size(); ++i) {
          const Port& port = topology_.inputs[i];
          source("input" + std::to_string(i), port.name, port.value, port.type);
        }
        for (std::size_t i = 0; i < topology_.values.size(); ++i) {
          const Value& value = topology_.values[i];
          if (value.kind != ValueKind::constant) continue;
          source("constant" + std::to_string(i), value.name, static_cast<ValueId>(i), value.type);
        }
        for (std::size_t i = 0; i < topology_.calls.size(); ++i) call(i);
        for (std::size_t i = 0; i < topology_.copies.size(); ++i) copy(i);
        for (std::size_t i = 0; i < topology_.outputs.size(); ++i) port_out(i);
      });
      out_.end_object();
    });
  }

 private:
  void begin_node(const std::string& id, std::string_view label) {
    out_.begin_object();
    out_.member("id", id);
    out_.member("label", label);
    out_.member("namespace", "");  // the viewer stops at a node without one
  }

  // All values of attributes are text.
  void attribute(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    out_.begin_object();
    out_.member("key", key);
    out_.member("value", value);
    out_.end_object();
  }

  void attribute(std::string_view key, const std::optional<std::uint64_t>& value) {
    if (value) attribute(key, std::to_string(*value));
  }

  /// One value may have several inputs (a network whose input goes into two of its parameters).
  std::string producer(ValueId id) const {
    const Value& value = topology_[id];
    if (value.producer) {
      const bool is_call = value.producer->kind == EndpointKind::call;
      return (is_call ? "call" : "copy") + std::to_string(value.producer->step);
    }
    if (value.kind == ValueKind::constant) return "constant" + std::to_string(index(id));
    const auto port = std::ranges::find(topology_.inputs, std::optional(id), &Port::value);
    return "input" + std::to_string(port - topology_.inputs.begin());
  }

  /// The position of a value among its producer's outputs: written arguments, counted from 0.
  std::size_t output_of(ValueId id) const {
    const Value& value = topology_[id];
    if (!value.producer || value.producer->kind != EndpointKind::call) return 0;
    const auto& arguments = topology_.calls[value.producer->step].arguments;
    return static_cast<std::size_t>(
        std::count_if(arguments.begin(), arguments.begin() + value.producer->argument,
                      [](const Argument& argument) { return argument.writes.has_value(); }));
  }

  void edge(ValueId from, std::size_t input) {
    out_.begin_object();
    out_.member("sourceNodeId", producer(from));
    out_.member("sourceNodeOutputId", std::to_string(output_of(from)));
    out_.member("targetNodeInputId", std::to_string(input));
    out_.end_object();
  }

  void tensor(std::size_t output, ValueId id, const TensorType& type) {
    const Value& value = topology_[id];
    const Storage& storage = topology_[value.storage];
    out_.begin_object();
    out_.member("id", std::to_string(output));
    out_.array("attrs", [&] {
      attribute("tensor_name", value.name);
      // The text that Model Explorer shows at an edge.
      const bool is_known = !type.dtype.is_void() || type.shape;
      attribute("tensor_shape", is_known ? type_text(type) : std::string());
      attribute("bytes", value.bytes);
      attribute("storage", storage.name);
      if (storage.pool) attribute("pool", topology_[*storage.pool].name);
      attribute("offset", storage.offset);
    });
    out_.end_object();
  }

  void attributes_of(const Call& call) {
    const Kernel& kernel = topology_.kernel_of(call);
    out_.array("attrs", [&] {
      attribute("kernel", kernel.symbol);
      attribute("step", std::optional<std::uint64_t>(call.position));
      attribute("target", kernel.target);
      attribute("source", kernel.source);
      attribute("hash", kernel.hash);
      for (const KernelBuffer& buffer : kernel.constants) {
        attribute("constant " + buffer.name + " bytes", buffer.bytes);
      }
      for (const KernelBuffer& buffer : kernel.workspaces) {
        attribute("workspace " + buffer.name + " bytes", buffer.bytes);
      }
    });
  }

  void call(std::size_t position) {
    const Call& call = topology_.calls[position];
    begin_node("call" + std::to_string(position), names_[index(call.kernel)]);
    attributes_of(call);
    out_.array("incomingEdges", [&] {
      std::size_t input = 0;
      for (const Argument& argument : call.arguments) {
        if (argument.reads) edge(*argument.reads, input++);
      }
    });
    out_.array("outputsMetadata", [&] {
      std::size_t output = 0;
      for (const Argument& argument : call.arguments) {
        if (argument.writes) tensor(output++, *argument.writes, argument.type);
      }
    });
    end_node();
  }

  void copy(std::size_t position) {
    const Copy& copy = topology_.copies[position];
    begin_node("copy" + std::to_string(position), "copy");
    out_.array("incomingEdges", [&] {
      if (copy.reads) edge(*copy.reads, 0);
    });
    out_.array("outputsMetadata", [&] { tensor(0, copy.writes, topology_[copy.writes].type); });
    end_node();
  }

  void port_out(std::size_t position) {
    const Port& port = topology_.outputs[position];
    begin_node("output" + std::to_string(position), port.name);
    out_.array("incomingEdges", [&] {
      if (port.value) edge(*port.value, 0);
    });
    end_node();
  }

  void end_node() { out_.end_object(); }

  json::Writer& out_;
  const Topology& topology_;
  std::vector<std::string> names_;  // by kernel
};

}  // namespace

Result<void> write_model_explorer_json(const Topology& topology, JsonLayout layout,
                                       const Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    json::write_object(bytes, layout,
                       [&](json::Writer& out) { ModelExplorerJson(out, topology).write(); });
  });
}

}  // namespace mlf::graph
