// Values as versions of the storage that holds them (rule `values` of schemas/topology.md).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "graph/main/parameters.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// The state of one storage at a step of main. Each write makes a new value, because StorageRewrite
/// uses one allocation for several tensors in turn; after USMP, each tensor has its own let and
/// therefore its own storage.
struct StorageState {
  StorageId id{};
  std::optional<ValueId> current;   ///< what it holds now
  std::uint32_t values = 0;         ///< how many it has held
  std::optional<std::size_t> port;  ///< position in ParameterTable::ports
  bool is_constant = false;
  TensorType declared;  ///< as main declares it
};

/// Makes storages and values in a topology.
class Storages {
 public:
  Storages(Topology& topology, const MainBody& body, const ParameterTable& parameters)
      : topology_(topology), body_(body), parameters_(parameters) {
    for (std::size_t i = 0; i < parameters.ports.size(); ++i)
      ports_.emplace(parameters.ports[i].storage, i);
    // Parameters keep their names, even if allocations have the same ones.
    for (std::size_t i = 0; i < parameters.ports.size(); ++i) state_of_port(i);
  }

  StorageState& state_of(const ArgumentRole& role) {
    // References into a map stay valid while it grows; calls keep several of them.
    const auto at = states_.find(role.storage);
    if (at != states_.end()) return at->second;
    return states_.emplace(role.storage, make(role)).first->second;
  }
  StorageState& state_of_port(std::size_t port) {
    return state_of({RoleKind::tensor, parameters_.ports[port].storage, std::nullopt});
  }

  /// Makes the value of an input, which no step writes.
  ValueId define_input(StorageState& state) {
    return add_value(state, ValueKind::input, state.declared);
  }

  /// Returns the value in the storage and adds a consumer to it; nullopt if the storage has none.
  /// Constants have their value from the start; it is added at main's first use.
  std::optional<ValueId> consume(StorageState& state, const Endpoint& consumer) {
    if (!state.current && state.is_constant) {
      add_value(state, ValueKind::constant, state.declared);
    }
    if (state.current) topology_.values[index(*state.current)].consumers.push_back(consumer);
    return state.current;
  }

  /// The same, and marks the value as in use up to this step.
  std::optional<ValueId> read(StorageState& state, const Endpoint& reader, Position position) {
    const std::optional<ValueId> value = consume(state, reader);
    if (value) topology_.values[index(*value)].last_use = position;
    return value;
  }

  /// Puts a new value into the storage. It loses its old value, if any; the readers of that value
  /// keep it.
  ValueId write(StorageState& state, const Endpoint& writer, Position position,
                const TensorType& type) {
    const ValueId id = add_value(state, ValueKind::computed, type);
    Value& value = topology_.values[index(id)];
    value.producer = writer;
    value.first_definition = position;
    return id;
  }

  /// Adds memory that main allocates and never uses: it takes memory but has no value. Variables
  /// are in the order of main.
  void add_unused_locals() {
    for (const auto& [var, local] : body_.locals) {
      state_of({RoleKind::tensor, {StorageKeyKind::local, var}, std::nullopt});
    }
  }

 private:
  // The name of its let identifies a place in a pool. Two names are two storages, even if their
  // addresses are equal or overlap: USMP reuses the bytes of dead tensors.
  StorageState make(const ArgumentRole& role) {
    StorageState state;
    Storage storage;
    if (role.storage.kind == StorageKeyKind::local) {
      const auto local = body_.locals.find(role.storage.id);
      if (local != body_.locals.end()) storage = local->second.storage;
      state.is_constant = storage.kind == StorageKind::constant;
      if (state.is_constant) state.declared = local->second.type;
    }
    storage.pool = role.pool;
    storage.device = body_.device;
    const auto port = ports_.find(role.storage);
    if (port != ports_.end()) {
      state.port = port->second;
      state.declared = parameters_.ports[port->second].type;
    }
    switch (role.storage.kind) {
      case StorageKeyKind::parameter:
        storage.kind = StorageKind::parameter;
        break;
      case StorageKeyKind::local:
        break;
      case StorageKeyKind::lookup:
        storage.kind = StorageKind::lookup;
        storage.memory = MemoryKind::program;
        storage.name = body_.lookups.at(role.storage.id);
        state.is_constant = true;
        describe_lookup(storage, state);
        break;
      default:
        if (!storage.pool) storage.pool = parameters_.pool_of(role.storage, body_);
        if (storage.pool) describe_place(role.storage, storage, state);
        break;
    }
    // The user-visible name, not that of the variable.
    if (state.port) storage.name = parameters_.ports[*state.port].name;
    if (state.port && storage.kind == StorageKind::parameter)
      storage.bytes = state.declared.bytes();
    storage.name = unique(std::move(storage.name));
    topology_.storages.push_back(std::move(storage));
    state.id = static_cast<StorageId>(topology_.storages.size() - 1);
    return state;
  }

  // Either the code links its array, or the parameters beside the code contain it.
  void describe_lookup(Storage& storage, StorageState& state) {
    const auto known = body_.linked.find(storage.name);
    if (known == body_.linked.end()) return;
    state.declared = known->second;
    storage.bytes = state.declared.bytes();
  }

  // A place in a pool: the offset comes from its let, or from the address if it has no name.
  void describe_place(const StorageKey& root, Storage& storage, StorageState& state) {
    storage.kind = StorageKind::pool;
    storage.memory = MemoryKind::pool;
    const auto address = body_.alias_addresses.find(root.id);
    if (root.kind == StorageKeyKind::address) {
      storage.offset = static_cast<std::uint64_t>(root.offset);
      storage.name = topology_[*storage.pool].name + "+" + std::to_string(root.offset);
    } else if (address != body_.alias_addresses.end()) {
      storage.name = address->second.name;
      if (address->second.address.offset_known) {
        storage.offset = static_cast<std::uint64_t>(address->second.address.offset);
      }
    }
    state.is_constant = topology_[*storage.pool].kind == PoolKind::constant;
  }

  // "sid_3", then "sid_3.1", "sid_3.2": one name for each version of the storage.
  ValueId add_value(StorageState& state, ValueKind kind, const TensorType& type) {
    Value value;
    value.name = topology_[state.id].name;
    if (state.values > 0) value.name = unique(value.name + "." + std::to_string(state.values));
    value.kind = kind;
    value.storage = state.id;
    value.version = state.values++;
    value.type = declared_or(type, state.declared);
    topology_.values.push_back(std::move(value));
    state.current = static_cast<ValueId>(topology_.values.size() - 1);
    return *state.current;
  }

  std::string unique(std::string name) {
    if (name.empty()) name = "unnamed";
    std::string candidate = name;
    while (!names_.insert(candidate).second) {
      candidate = name + "." + std::to_string(++next_suffix_[name]);
    }
    return candidate;
  }

  /// Main's own declaration, if a call does not state the shape.
  static TensorType declared_or(const TensorType& type, const TensorType& declared) {
    if (type.shape || !declared.shape) return type;
    if (!type.dtype.is_void() && type.dtype != declared.dtype) return type;
    return declared;
  }

  Topology& topology_;
  const MainBody& body_;
  const ParameterTable& parameters_;
  std::map<StorageKey, StorageState> states_;
  std::map<StorageKey, std::size_t> ports_;
  std::set<std::string> names_;
  std::map<std::string, std::uint32_t> next_suffix_;
};

}  // namespace mlf::graph
