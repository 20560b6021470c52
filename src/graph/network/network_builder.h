// Follows main step by step and builds the topology. Decides which arguments of a call are read and
// which are written (rule `directions` of schemas/topology.md).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/kernels/kernels.h"
#include "graph/main/main_body.h"
#include "graph/main/parameters.h"
#include "graph/network/storages.h"
#include "mlf/graph/topology.h"
#include "support/name_map.h"

namespace mlf::graph {

struct Decision {
  Direction direction = Direction::unknown;
  DecidedBy by = DecidedBy::body;
  Certainty certainty = Certainty::certain;
};

/// The state of the memory of one tensor argument at the time of the call.
struct TensorState {
  bool is_constant = false;
  bool is_input = false;           ///< an input of the network
  bool is_output = false;          ///< an output of the network
  bool has_value = false;          ///< something was written to it, or it is an input or constant
  bool is_unread = false;          ///< the value that it holds has no reader yet
  const Effect* effect = nullptr;  ///< of the kernel's body; null without TIR
  std::optional<Decision> elsewhere{};  ///< what a better founded call of the same kernel said
};

/// Decides for all tensors of one call, in their order. TVM states directions nowhere.
/// The body's loads and stores have priority. If the body passes a tensor to code that is not in
/// the archive, or there is no body: constants and inputs of the network are inputs; a tensor with
/// a value is a likely input, unless it follows an output; a tensor without a value is an output,
/// and so are all after it, because TVM passes inputs first; if no tensor is an output, the last
/// one is.
std::vector<Decision> decide_directions(std::span<const TensorState> tensors);

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
