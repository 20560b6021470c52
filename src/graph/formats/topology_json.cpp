// Writes a topology as JSON, key by key in a fixed order.
#include "json/writer.h"
#include "mlf/graph/write.h"
#include "mlf/version.h"
#include "support/byte_sink.h"
#include "support/error.h"

namespace mlf::graph {
namespace {

/// One overload of `element` for each kind of object; `list` writes the arrays of them. Keys are in
/// the order of schemas/topology.schema.json, and every key is always there: null says "unknown".
class TopologyJson {
 public:
  TopologyJson(json::Writer& out, const Topology& topology) : out_(out), topology_(topology) {}

  void write();

 private:
  void head();
  void provenance();
  void tvm_version(const std::optional<tir::VersionRange>& range);
  void constants();

  void element(const Port& port);
  void element(const KernelBuffer& buffer);
  void element(const Kernel& kernel);
  void element(const Argument& argument);
  void element(const Call& call);
  void element(const Endpoint& end);
  void element(const Value& value);
  void element(const Storage& storage);
  void element(const Pool& pool);
  void element(const MemoryUse& use);
  void element(const LiveBytes& live);
  void element(const Hook& hook);
  void element(const Copy& copy);
  void element(const Check& check);

  template <class Element>
  void list(std::string_view key, const std::vector<Element>& elements);
  void list_if_known(std::string_view key, const std::vector<KernelBuffer>& buffers,
                     const Kernel& kernel);
  void text(std::string_view key, std::string_view value);
  void text_or_null(std::string_view key, std::string_view value);
  void number(std::string_view key, std::uint64_t value);
  template <class Number>
  void number_or_null(std::string_view key, std::optional<Number> value);
  void type(const TensorType& type);
  void gaps(const std::vector<std::string>& sentences);

  json::Writer& out_;
  const Topology& topology_;
};

void TopologyJson::write() {
  out_.begin_object();
  head();
  list("inputs", topology_.inputs);
  list("outputs", topology_.outputs);
  constants();
  list("kernels", topology_.kernels);
  list("calls", topology_.calls);
  list("values", topology_.values);
  list("storages", topology_.storages);
  list("pools", topology_.pools);
  list("memory", topology_.memory);
  list("hooks", topology_.hooks);
  list("copies", topology_.copies);
  list("checks", topology_.checks);
  gaps(topology_.gaps);
  out_.end_object();
  out_.end_line();
  out_.flush();
}

void TopologyJson::head() {
  text("format", "mlf-topology");
  number("version", kTopologyVersion);
  text("generator", "mlf " + std::string(version()));
  text("module", topology_.module);
  provenance();
}

// How main calls its kernels is known of mains only, not of graphs that say their edges themselves.
void TopologyJson::provenance() {
  const Provenance& from = topology_.provenance;
  const bool is_main = from.kind == Provenance::Kind::main_function;
  out_.key("provenance");
  out_.begin_object();
  text("kind", to_string(from.kind));
  text_or_null("source", from.source);
  text_or_null("dialect", from.dialect ? tir::to_string(*from.dialect) : std::string_view());
  text_or_null("stage", from.stage);
  tvm_version(from.tvm_version);
  text_or_null("function", from.function);
  text_or_null("symbol", from.symbol);
  text_or_null("call_form", is_main ? to_string(from.call_form) : std::string_view());
  text_or_null("argument_form", is_main ? to_string(from.argument_form) : std::string_view());
  out_.end_object();
}

void TopologyJson::tvm_version(const std::optional<tir::VersionRange>& range) {
  out_.key("tvm_version");
  if (!range) return out_.null();
  out_.begin_object();
  text("first", "0." + std::to_string(range->first));
  text("last", "0." + std::to_string(range->last));
  text_or_null("exact", range->exact);
  out_.end_object();
}

// Constants are values as well; here they can be read without sorting those.
void TopologyJson::constants() {
  out_.key("constants");
  out_.begin_array();
  for (std::size_t i = 0; i < topology_.values.size(); ++i) {
    const Value& value = topology_.values[i];
    if (value.kind != ValueKind::constant) continue;
    out_.begin_object();
    text("name", value.name);
    type(value.type);
    number_or_null("bytes", value.bytes);
    number("value", i);
    number("storage", index(value.storage));
    out_.end_object();
  }
  out_.end_array();
}

template <class Element>
void TopologyJson::list(std::string_view key, const std::vector<Element>& elements) {
  out_.key(key);
  out_.begin_array();
  for (const Element& one : elements) {
    out_.begin_object();
    element(one);
    out_.end_object();
  }
  out_.end_array();
}

// An empty list would say that there are none.
void TopologyJson::list_if_known(std::string_view key, const std::vector<KernelBuffer>& buffers,
                                 const Kernel& kernel) {
  if (kernel.has_tir()) return list(key, buffers);
  out_.key(key);
  out_.null();
}

void TopologyJson::text(std::string_view key, std::string_view value) {
  out_.key(key);
  out_.string(value);
}

void TopologyJson::text_or_null(std::string_view key, std::string_view value) {
  out_.key(key);
  value.empty() ? out_.null() : out_.string(value);
}

void TopologyJson::number(std::string_view key, std::uint64_t value) {
  out_.key(key);
  // All our numbers are below 2^63: sums of bytes stop there.
  out_.integer(static_cast<std::int64_t>(value));
}

template <class Number>
void TopologyJson::number_or_null(std::string_view key, std::optional<Number> value) {
  out_.key(key);
  value ? out_.integer(static_cast<std::int64_t>(*value)) : out_.null();
}

// Most networks have none, and no key.
void TopologyJson::gaps(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  out_.key("gaps");
  out_.begin_array();
  for (const std::string& one : sentences) out_.string(one);
  out_.end_array();
}

void TopologyJson::type(const TensorType& type) {
  text_or_null("dtype", type.dtype.is_void() ? std::string() : tir::to_string(type.dtype));
  out_.key("shape");
  if (!type.shape) return out_.null();
  out_.begin_array();
  for (const std::int64_t extent : *type.shape) out_.integer(extent);
  out_.end_array();
}

void TopologyJson::element(const Port& port) {
  text("name", port.name);
  text("parameter", port.parameter);
  type(port.type);
  // Null for an output that nothing writes.
  number_or_null("value", port.value);
}

void TopologyJson::element(const KernelBuffer& buffer) {
  text("name", buffer.name);
  text("memory", to_string(buffer.memory));
  number_or_null("bytes", buffer.bytes);
  number_or_null("pool", buffer.pool);
  number_or_null("offset", buffer.offset);
}

void TopologyJson::element(const Kernel& kernel) {
  text("symbol", kernel.symbol);
  text("origin", to_string(kernel.origin));
  text_or_null("function", kernel.function);
  text_or_null("source", kernel.source);
  text_or_null("target", kernel.target);
  text_or_null("hash", kernel.hash);
  out_.key("is_reshape");
  out_.boolean(kernel.is_reshape);
  list_if_known("constants", kernel.constants, kernel);
  list_if_known("workspaces", kernel.workspaces, kernel);
  gaps(kernel.gaps);
}

void TopologyJson::element(const Argument& argument) {
  text_or_null("parameter", argument.parameter);
  text("direction", to_string(argument.direction));
  text("decided_by", to_string(argument.decided_by));
  text("certainty", to_string(argument.certainty));
  number_or_null("reads", argument.reads);
  number_or_null("writes", argument.writes);
  number_or_null("storage", argument.storage);
  number_or_null("pool", argument.pool);
  type(argument.type);
}

void TopologyJson::element(const Call& call) {
  text("name", call.name);
  number("kernel", index(call.kernel));
  number("position", call.position);
  list("arguments", call.arguments);
}

void TopologyJson::element(const Endpoint& end) {
  // Which key it has says which of the two it is.
  if (end.kind == Endpoint::Kind::copy) return number("copy", end.step);
  number("call", end.step);
  number("argument", end.argument);
}

void TopologyJson::element(const Value& value) {
  text("name", value.name);
  text("kind", to_string(value.kind));
  number("storage", index(value.storage));
  number("version", value.version);
  type(value.type);
  number_or_null("bytes", value.bytes);
  out_.key("producer");
  if (value.producer) {
    out_.begin_object();
    element(*value.producer);
    out_.end_object();
  } else {
    out_.null();
  }
  list("consumers", value.consumers);
  // Positions and not indices: calls, copies and hooks count together. Null where main neither
  // makes nor uses it.
  number_or_null("first_definition", value.first_definition);
  number_or_null("last_use", value.last_use);
}

void TopologyJson::element(const Storage& storage) {
  text("name", storage.name);
  text("kind", to_string(storage.kind));
  text_or_null("memory", storage.memory ? to_string(*storage.memory) : std::string_view());
  number_or_null("bytes", storage.bytes);
  number_or_null("pool", storage.pool);
  number_or_null("offset", storage.offset);
}

void TopologyJson::element(const Pool& pool) {
  text("name", pool.name);
  text("parameter", pool.parameter);
  text("kind", to_string(pool.kind));
  number_or_null("bytes", pool.bytes);
}

void TopologyJson::element(const LiveBytes& live) {
  number("position", live.position);
  number("bytes", live.bytes);
}

void TopologyJson::element(const MemoryUse& use) {
  text("kind", to_string(use.kind));
  number_or_null("pool", use.pool);
  number_or_null("bytes", use.bytes);
  number("used", use.used);
  out_.key("peak");
  if (use.peak) {
    out_.begin_object();
    number("position", use.peak->position);
    number_or_null("call", use.peak->call);
    number("bytes", use.peak->bytes);
    out_.end_object();
  } else {
    out_.null();
  }
  list("live", use.live);
  text("exactness", to_string(use.exactness));
  out_.key("uncertain");
  out_.begin_array();
  for (const std::string& why : use.uncertain) out_.string(why);
  out_.end_array();
}

void TopologyJson::element(const Hook& hook) {
  text("symbol", hook.symbol);
  text("phase", to_string(hook.phase));
  text_or_null("context", hook.context);
  number("position", hook.position);
}

void TopologyJson::element(const Copy& copy) {
  number("position", copy.position);
  number_or_null("reads", copy.reads);
  number("writes", index(copy.writes));
  number_or_null("bytes", copy.bytes);
}

void TopologyJson::element(const Check& check) {
  text("code", info(check.code).code);
  text("severity", to_string(info(check.code).severity));
  text("detail", check.detail);
  number_or_null("call", check.call);
  number_or_null("value", check.value);
}

}  // namespace

Result<void> write_topology_json(const Topology& topology, tir::JsonLayout layout,
                                 const tir::Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    json::Writer out(bytes, layout);
    TopologyJson(out, topology).write();
  });
}

}  // namespace mlf::graph
