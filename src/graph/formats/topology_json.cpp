// Writes a topology as JSON, key by key in a fixed order.
#include "graph/formats/type_json.h"
#include "json/write_document.h"
#include "mlf/graph/write.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

using json::Writer;

// Keys are in the order of schemas/topology.schema.json. Every key is always present: null means
// "unknown".

// Only a main has a way to call kernels; graphs state their edges directly.
void write_provenance(Writer& out, const Provenance& from) {
  const bool is_main = from.kind == ProvenanceKind::main_function;
  out.member("kind", to_string(from.kind));
  out.text_or_null("source", from.source);
  out.text_or_null("dialect", from.dialect ? tir::to_string(*from.dialect) : std::string_view());
  out.text_or_null("stage", from.stage);
  out.object("tvm_version", from.tvm_version, write_version);
  out.text_or_null("function", from.function);
  out.text_or_null("symbol", from.symbol);
  out.text_or_null("call_form", is_main ? to_string(from.call_form) : std::string_view());
  out.text_or_null("argument_form", is_main ? to_string(from.argument_form) : std::string_view());
}

// Constants are also values; this list saves readers from filtering those.
void write_constants(Writer& out, const Topology& topology) {
  out.array("constants", [&] {
    for (std::size_t i = 0; i < topology.values.size(); ++i) {
      const Value& value = topology.values[i];
      if (value.kind != ValueKind::constant) continue;
      out.begin_object();
      out.member("name", value.name);
      write_type(out, value.type);
      out.member("bytes", value.bytes);
      out.member("value", i);
      out.member("storage", value.storage);
      out.end_object();
    }
  });
}

// Most networks have none and no such key.
void write_gaps(Writer& out, const std::vector<std::string>& sentences) {
  if (!sentences.empty()) out.member("gaps", sentences);
}

void write_port(Writer& out, const Port& port) {
  out.member("name", port.name);
  out.member("parameter", port.parameter);
  write_type(out, port.type);
  // Null for an output without a writer.
  out.member("value", port.value);
}

void write_buffer(Writer& out, const KernelBuffer& buffer) {
  out.member("name", buffer.name);
  out.member("memory", to_string(buffer.memory));
  out.member("bytes", buffer.bytes);
  out.member("pool", buffer.pool);
  out.member("offset", buffer.offset);
}

void write_kernel(Writer& out, const Kernel& kernel) {
  out.member("symbol", kernel.symbol);
  out.member("origin", to_string(kernel.origin));
  out.text_or_null("function", kernel.function);
  out.text_or_null("source", kernel.source);
  out.text_or_null("target", kernel.target);
  out.member("device", kernel.device);
  out.text_or_null("hash", kernel.hash);
  out.member("is_reshape", kernel.is_reshape);
  // An empty list would mean that there are none.
  out.objects("constants", kernel.has_tir() ? &kernel.constants : nullptr, write_buffer);
  out.objects("workspaces", kernel.has_tir() ? &kernel.workspaces : nullptr, write_buffer);
  write_gaps(out, kernel.gaps);
}

void write_argument(Writer& out, const Argument& argument) {
  out.text_or_null("parameter", argument.parameter);
  out.member("direction", to_string(argument.direction));
  out.member("decided_by", to_string(argument.decided_by));
  out.member("certainty", to_string(argument.certainty));
  out.member("reads", argument.reads);
  out.member("writes", argument.writes);
  out.member("storage", argument.storage);
  out.member("pool", argument.pool);
  write_type(out, argument.type);
}

void write_call(Writer& out, const Call& call) {
  out.member("name", call.name);
  out.member("kernel", call.kernel);
  out.member("position", call.position);
  out.objects("arguments", call.arguments, write_argument);
}

void write_endpoint(Writer& out, const Endpoint& end) {
  // The key distinguishes the two cases.
  if (end.kind == EndpointKind::copy) return out.member("copy", end.step);
  out.member("call", end.step);
  out.member("argument", end.argument);
}

void write_value(Writer& out, const Value& value, const Storage& storage) {
  out.member("name", value.name);
  out.member("kind", to_string(value.kind));
  out.member("storage", value.storage);
  out.member("device", storage.device);
  out.member("version", value.version);
  write_type(out, value.type);
  out.member("bytes", value.bytes);
  out.object("producer", value.producer, write_endpoint);
  out.objects("consumers", value.consumers, write_endpoint);
  // Positions, not indices: calls, copies and hooks count together. Null if main neither makes nor
  // uses the value.
  out.member("first_definition", value.first_definition);
  out.member("last_use", value.last_use);
}

void write_storage(Writer& out, const Storage& storage) {
  out.member("name", storage.name);
  out.member("kind", to_string(storage.kind));
  out.text_or_null("memory", storage.memory ? to_string(*storage.memory) : std::string_view());
  out.member("device", storage.device);
  out.member("bytes", storage.bytes);
  out.member("pool", storage.pool);
  out.member("offset", storage.offset);
}

void write_pool(Writer& out, const Pool& pool) {
  out.member("name", pool.name);
  out.member("parameter", pool.parameter);
  out.member("kind", to_string(pool.kind));
  out.member("bytes", pool.bytes);
}

void write_live(Writer& out, const LiveBytes& live) {
  out.member("position", live.position);
  out.member("bytes", live.bytes);
}

void write_peak(Writer& out, const MemoryPeak& peak) {
  out.member("position", peak.position);
  out.member("call", peak.call);
  out.member("bytes", peak.bytes);
}

void write_memory(Writer& out, const MemoryUse& use) {
  out.member("kind", to_string(use.kind));
  out.member("pool", use.pool);
  out.member("device", use.device);
  out.member("bytes", use.bytes);
  out.member("used", use.used);
  out.object("peak", use.peak, write_peak);
  out.objects("live", use.live, write_live);
  out.member("exactness", to_string(use.exactness));
  out.member("uncertain", use.uncertain);
}

void write_hook(Writer& out, const Hook& hook) {
  out.member("symbol", hook.symbol);
  out.member("phase", to_string(hook.phase));
  out.text_or_null("context", hook.context);
  out.member("position", hook.position);
}

void write_copy(Writer& out, const Copy& copy) {
  out.member("position", copy.position);
  out.member("reads", copy.reads);
  out.member("writes", copy.writes);
  out.member("bytes", copy.bytes);
}

void write_check(Writer& out, const Check& check) {
  out.member("code", info(check.code).code);
  out.member("severity", to_string(info(check.code).severity));
  out.member("detail", check.detail);
  out.member("call", check.call);
  out.member("value", check.value);
}

void write_topology(Writer& out, const Topology& topology) {
  out.member("module", topology.module);
  out.object("provenance", topology.provenance, write_provenance);
  out.objects("inputs", topology.inputs, write_port);
  out.objects("outputs", topology.outputs, write_port);
  write_constants(out, topology);
  out.objects("kernels", topology.kernels, write_kernel);
  out.objects("calls", topology.calls, write_call);
  out.objects("values", topology.values, [&](Writer&, const Value& value) {
    write_value(out, value, topology[value.storage]);
  });
  out.objects("storages", topology.storages, write_storage);
  out.objects("pools", topology.pools, write_pool);
  out.objects("memory", topology.memory, write_memory);
  out.objects("hooks", topology.hooks, write_hook);
  out.objects("copies", topology.copies, write_copy);
  out.objects("checks", topology.checks, write_check);
  write_gaps(out, topology.gaps);
}

}  // namespace

Result<void> write_topology_json(const Topology& topology, JsonLayout layout, const Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    json::write_document(bytes, layout, "mlf-topology", kTopologyVersion,
                         [&](Writer& out) { write_topology(out, topology); });
  });
}

}  // namespace mlf::graph
