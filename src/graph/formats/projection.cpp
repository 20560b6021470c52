#include "graph/formats/projection.h"

#include <algorithm>

#include "support/error.h"

namespace mlf::graph {
namespace {

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
  std::unordered_set<std::string> names_;
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

// The executor allocates by shape and dtype: a tensor of unknown type is the bytes of its storage.
TensorType Projector::type_of(ValueId id) const {
  const Value& value = topology_[id];
  if (!value.type.dtype.is_void() && value.type.shape) return value.type;
  const auto bytes = topology_[value.storage].bytes.value_or(0);
  return {tir::DType::UInt(8), std::vector{static_cast<std::int64_t>(bytes)}};
}

void Projector::add_leaves(ValueKind kind) {
  for (std::size_t i = 0; i < topology_.values.size(); ++i) {
    const Value& value = topology_.values[i];
    if (value.kind != kind) continue;
    const auto id = static_cast<ValueId>(i);
    std::string name = value.name;
    for (const Port& port : topology_.inputs) {
      if (port.value == id) name = port.name;
    }
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

// Readers that see the same other shape share one `__nop`.
Entry Projector::reshaped(Entry entry, const TensorType& type) {
  const ProjectedNode& source = result_.nodes[entry.node];
  const TensorType& written = source.outputs[entry.output];
  if (type.dtype.is_void() || !type.shape || *type.shape == *written.shape) return entry;
  const auto key = std::pair(entry, *type.shape);
  const auto known = nops_.find(key);
  if (known != nops_.end()) return known->second;
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

// In execution order: copies have positions between those of calls.
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

}  // namespace

Projection project(const Topology& topology) {
  return Projector(topology).run();
}

}  // namespace mlf::graph
