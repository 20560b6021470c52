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
  Storages(Topology& topology, const MainBody& body, const ParameterTable& parameters);

  StorageState& state_of(const ArgumentRole& role);
  StorageState& state_of_port(std::size_t port);

  /// Returns the value in the storage and adds a consumer to it; nullopt if the storage has none.
  std::optional<ValueId> consume(StorageState& state, const Endpoint& consumer);
  /// The same, and marks the value as in use up to this step.
  std::optional<ValueId> read(StorageState& state, const Endpoint& reader, Position position);
  /// Puts a new value into the storage.
  ValueId write(StorageState& state, const Endpoint& writer, Position position,
                const TensorType& type);
  /// Adds memory that main allocates and never uses: it takes memory but has no value.
  void add_unused_locals();
  /// Makes the value of an input, which no step writes.
  ValueId define_input(StorageState& state);

 private:
  StorageState make(const ArgumentRole& role);
  void describe_lookup(Storage& storage, StorageState& state);
  void describe_local(const StorageKey& root, Storage& storage, StorageState& state);
  void describe_place(const StorageKey& root, Storage& storage, StorageState& state);
  ValueId add_value(StorageState& state, ValueKind kind, const TensorType& type);
  std::string unique(std::string name);

  Topology& topology_;
  const MainBody& body_;
  const ParameterTable& parameters_;
  std::map<StorageKey, StorageState> states_;
  std::map<StorageKey, std::size_t> ports_;
  std::set<std::string> names_;
  std::map<std::string, std::uint32_t> next_suffix_;
};

}  // namespace mlf::graph
