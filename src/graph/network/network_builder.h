// Follows main step by step and builds the topology.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "graph/main/parameters.h"
#include "graph/network/directions.h"
#include "graph/network/storages.h"
#include "mlf/graph/topology.h"
#include "support/name_map.h"

namespace mlf::graph {

/// Directions found in calls of functions without TIR: by symbol, for each tensor.
using KnownDirections = std::map<std::string, std::vector<std::optional<Decision>>, std::less<>>;

/// Takes the steps of main in order and tracks the value in every storage. For a call, decides the
/// directions of its tensors from that state, reads the values of its inputs, which makes the
/// edges, and puts new values into its outputs.
class NetworkBuilder {
 public:
  /// All arguments must outlive the builder, which reads and extends `known`.
  NetworkBuilder(Topology& topology, const MainBody& body, const ParameterTable& parameters,
                 KernelLibrary& kernels, KnownDirections& known)
      : topology_(topology),
        body_(body),
        parameters_(parameters),
        kernels_(kernels),
        known_directions_(known),
        storages_(topology, body, parameters) {}

  void run();

 private:
  /// The kernel's parameters for a call's arguments; none without TIR.
  using KernelParameters = std::span<const KernelParameter>;

  /// A tensor argument while its call is decided.
  struct Tensor {
    std::size_t argument;
    StorageState* state;
    std::uint64_t at_least = 0;  ///< KernelParameter::at_least
    Decision decision{};
  };

  void step(const RawCall& raw);
  void step(const RawCopy& raw);
  void step(const RawHook& raw);
  void step(const UnknownStatement& raw);
  void step(const IgnoredStatement& raw);
  bool is_foreign(const KernelInfo& info, const RawCall& raw) const;
  void note_foreign(const RawCall& raw);

  KernelId kernel_of(const KernelInfo& info);
  void fill_arguments(const RawCall& raw, KernelParameters parameters, Call& call,
                      std::vector<Tensor>& tensors);
  void note_constant(const RawCall& raw, const KernelParameter& parameter,
                     const StorageState& state);
  void note_kind(const RawCall& raw, std::size_t argument, const KernelParameter& parameter,
                 RoleKind kind);
  void decide(const KernelInfo& info, KernelParameters parameters, std::vector<Tensor>& tensors);
  void remember_directions(const std::string& symbol, const std::vector<Decision>& decisions);
  void connect(Call& call, CallId id, std::vector<Tensor>& tensors);
  void place_memory(const KernelInfo& info, const Call& call);
  void note_callee(const KernelInfo& info, KernelParameters parameters, const Call& call,
                   CallId id);
  void note_order(const Call& call, CallId id);
  void note_write(const StorageState& state, std::optional<CallId> call, ValueId value);
  void note_read(ValueId id, std::uint64_t bytes);
  void note_reach(const Tensor& tensor, std::string_view call, CallId id);
  void note_read_before_write(const StorageState& state, std::string_view reader,
                              std::optional<CallId> call);
  void make_inputs();
  void make_outputs();
  void check(CheckCode code, std::string detail, std::optional<CallId> call = std::nullopt,
             std::optional<ValueId> value = std::nullopt);
  std::string unique_name(const std::string& symbol);

  Topology& topology_;
  const MainBody& body_;
  const ParameterTable& parameters_;
  KernelLibrary& kernels_;
  KnownDirections& known_directions_;
  Storages storages_;
  support::NameMap<std::string_view, KernelId> kernel_ids_;
  support::NameMap<std::string, std::uint32_t> times_called_;
  support::NameSet<std::string> names_;    // of calls
  support::NameSet<std::string> symbols_;  // that main calls
  Position position_ = 0;
};

}  // namespace mlf::graph
