// Follows main step by step and builds the topology. Decides which arguments of a call are read and
// which are written (rule `directions` of schemas/topology.md).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

#include "graph/kernels/callees.h"
#include "graph/network/completion.h"
#include "graph/network/storages.h"
#include "graph/node_queries.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "support/name_map.h"

namespace mlf::graph {
namespace {

/// A tensor argument while its call is decided.
struct Tensor {
  std::size_t argument;
  StorageState* state;
  std::uint64_t at_least = 0;      ///< KernelParameter::at_least
  std::int64_t before = 0;         ///< KernelParameter::before
  const Effect* effect = nullptr;  ///< of the kernel's body; null without TIR
  bool is_input = false;           ///< an input of the network
  bool is_output = false;          ///< an output of the network
  bool is_unread = false;          ///< the value that it holds has no reader yet
  bool may_be_empty = false;       ///< it may have no elements
  /// What a better founded call of the same kernel said.
  std::optional<Decision> elsewhere{};
  Decision decision{};

  /// Whether something was written to it, or it is an input or constant.
  bool has_value() const { return state->current || state->is_constant; }
};

/// A read before any write makes the tensor an update, if it has a value to update
/// (NetworkBuilder::connect). A conditional read most likely gets the value that an earlier
/// iteration of the loops around it wrote.
Decision written_by_body(const Effect& effect) {
  switch (effect.first) {
    case Effect::First::read:
      return {Direction::in_out, DecidedBy::body, Certainty::likely};
    case Effect::First::guarded_read:
      return {Direction::output, DecidedBy::body, Certainty::likely};
    default:
      return {Direction::output, DecidedBy::body, Certainty::certain};
  }
}

/// Code that is not understood may read tensors that the rest only writes, and write tensors that
/// the rest only reads.
std::optional<Decision> from_open_body(const Effect& effect) {
  if (!effect.written) return std::nullopt;
  const bool updates = effect.first == Effect::First::read;
  return Decision{updates ? Direction::in_out : Direction::output, DecidedBy::body,
                  Certainty::assumed};
}

/// The direction from the kernel's own code; nullopt if it passes the tensor to code that is
/// missing.
std::optional<Decision> from_body(const Tensor& tensor) {
  if (tensor.effect == nullptr) return std::nullopt;
  if (tensor.effect->is_open) return from_open_body(*tensor.effect);
  if (tensor.effect->written) return written_by_body(*tensor.effect);
  if (tensor.effect->escaped) return std::nullopt;
  if (tensor.effect->read) return Decision{Direction::input, DecidedBy::body};
  // Without elements, there is nothing to access.
  if (tensor.may_be_empty) return std::nullopt;
  return Decision{Direction::input, DecidedBy::untouched, Certainty::likely};
}

bool is_output(const std::optional<Decision>& decision) {
  return decision && decision->direction != Direction::input;
}

/// The direction from the state of the storage: each value must be written before it is read.
std::optional<Decision> from_state(const Tensor& tensor) {
  if (tensor.state->is_constant) return Decision{Direction::input, DecidedBy::constant};
  if (tensor.is_input) {
    return Decision{Direction::input, DecidedBy::graph_input, Certainty::likely};
  }
  if (tensor.has_value() && tensor.is_unread) {
    // No network computes a tensor and overwrites it unread.
    return Decision{Direction::input, DecidedBy::written_before, Certainty::likely};
  }
  // Already read: this is another reader, or StorageRewrite reuses the memory for a new tensor.
  if (tensor.has_value()) return std::nullopt;
  const DecidedBy by = tensor.is_output ? DecidedBy::graph_output : DecidedBy::never_written;
  return Decision{Direction::output, by, Certainty::likely};
}

/// If neither body nor state determine the direction: that of another call of the same function,
/// else an input, because most arguments are inputs.
Decision fallback(const Tensor& tensor) {
  if (tensor.elsewhere)
    return {tensor.elsewhere->direction, DecidedBy::other_call, tensor.elsewhere->certainty};
  return {Direction::input, DecidedBy::written_before, Certainty::assumed};
}

/// Decides for all tensors of one call, in their order. TVM states directions nowhere.
/// The body's loads and stores have priority. If the body passes a tensor to code that is not in
/// the archive, or there is no body: constants and inputs of the network are inputs; a tensor with
/// a value is a likely input, unless it follows an output; a tensor without a value is an output,
/// and so are all after it, because TVM passes inputs first; if no tensor is an output, the last
/// one is. That is the order of rule `directions` of schemas/topology.md.
void decide_directions(std::span<Tensor> tensors) {
  std::optional<Decision> decided;
  bool after_output = false;
  for (Tensor& tensor : tensors) {
    decided = from_body(tensor);
    if (!decided && after_output && !tensor.state->is_constant) {
      decided = Decision{Direction::output, DecidedBy::after_output, Certainty::likely};
    }
    if (!decided) decided = from_state(tensor);
    if (decided && tensor.may_be_empty) decided->by = DecidedBy::untouched;
    after_output = after_output || is_output(decided);
    tensor.decision = decided ? *decided : fallback(tensor);
  }
  // A call that writes nothing would be useless.
  if (!after_output && !tensors.empty() && !decided) {
    tensors.back().decision = {Direction::output, DecidedBy::last_argument, Certainty::likely};
  }
}

// Some external kernels declare tensors without dimensions (cmsis-nn: `()`). If the storage has
// more than one element, this shape means nothing.
TensorType plausible(TensorType type, std::optional<std::uint64_t> storage_bytes) {
  const bool is_scalar = type.shape && type.shape->empty();
  if (is_scalar && storage_bytes && *storage_bytes > type.bytes().value_or(0)) type.shape.reset();
  return type;
}

/// The first type, if it has a shape, completed by the second. Does not mix contradictory types.
TensorType better_of(const TensorType& first, const TensorType& second) {
  if (first.shape) return first;
  if (second.shape && (first.dtype.is_void() || first.dtype == second.dtype)) return second;
  return first.dtype.is_void() ? second : first;
}

/// The phase at the end of "TVMDevice<Kind><Phase>", in the C device API since v0.9.
HookPhase phase_of(std::string_view symbol) {
  constexpr std::array<std::pair<std::string_view, HookPhase>, 4> kPhases{
      // The longer word first.
      {{"Deactivate", HookPhase::deactivate},
       {"Activate", HookPhase::activate},
       {"Open", HookPhase::open},
       {"Close", HookPhase::close}}};
  for (const auto& [name, phase] : kPhases) {
    if (symbol.ends_with(name)) return phase;
  }
  return HookPhase::other;
}

/// Contexts are handles whose memory no body accesses.
bool is_tensor(const KernelParameter& parameter) {
  const tir::DType dtype = parameter.type.dtype;
  return parameter.effect.read || parameter.effect.written ||
         (!dtype.is_void() && !dtype.is_handle());
}

bool reads(Direction direction) {
  return direction == Direction::input || direction == Direction::in_out;
}

/// Of checks that show that main does more, or something else, than its network says. A wrong
/// number of arguments does not: TVM passes a constant once that a kernel of CMSIS-NN takes twice.
constexpr CheckCode kGaps[] = {CheckCode::unknown_statement, CheckCode::foreign_call,
                               CheckCode::unknown_callee,    CheckCode::unknown_argument,
                               CheckCode::argument_kind,     CheckCode::read_before_write};

bool writes(Direction direction) {
  return direction == Direction::output || direction == Direction::in_out;
}

/// The name of main's parameter, or empty.
std::string parameter_at(const MainBody& main, const Address& address) {
  if (address.kind != AddressKind::parameter) return {};
  if (!main.is_packed && address.root < main.parameters.size()) {
    return main.parameters[address.root].name;
  }
  const auto at = main.packed_api_parameters.find(address.root);
  return at == main.packed_api_parameters.end() ? std::string() : at->second.name;
}

/// The kernel's parameters for a call's arguments; none without TIR.
using KernelParameters = std::span<const KernelParameter>;

void check(Topology& topology, CheckCode code, std::string detail,
           std::optional<CallId> call = std::nullopt, std::optional<ValueId> value = std::nullopt) {
  // A few show what is wrong.
  constexpr std::size_t kMostGaps = 20;
  if (support::is_among(kGaps, code) && topology.gaps.size() < kMostGaps)
    topology.gaps.push_back(detail);
  topology.checks.push_back({code, std::move(detail), call, value});
}

// If the kinds of argument and parameter differ, the kernel does something else than the graph
// shows.
void note_kind(Topology& topology, KernelLibrary& kernels, const RawCall& raw, std::size_t argument,
               const KernelParameter& parameter, RoleKind kind) {
  const bool is_pool = kind == RoleKind::pool;
  // People rename pools. Only the name tells what bytes are that the kernel does not use.
  const bool is_unused = parameter.effect.is_none();
  const bool is_context = kind == RoleKind::context;
  const bool is_bytes = parameter.type.dtype == tir::DType::UInt(8);
  if (is_pool && is_bytes &&
      (is_unused || parameter.may_be_pool ||
       !kernels.describe(raw.symbol).kernel.is_understood())) {
    return;
  }
  // NULL in place of a pool that the kernel does not use.
  const bool is_unpacked = raw.call_form == CallForm::unpacked;
  if (is_context && is_unused && parameter.is_pool && is_unpacked) return;
  const bool takes_tensor = !parameter.is_pool && is_tensor(parameter);
  const bool fits = is_pool || is_context ? !takes_tensor : !parameter.is_pool;
  if ((fits && !(is_context && parameter.is_pool)) || kind == RoleKind::unknown) return;
  check(topology, CheckCode::argument_kind,
        fmt::format("argument {} of the call of {} is not what its parameter {} takes", argument,
                    quoted(raw.symbol), quoted(parameter.name)),
        static_cast<CallId>(topology.calls.size()));
}

/// Only the reads of kernels show the size of main's constant in a pool.
void note_constant(Topology& topology, const RawCall& raw, const KernelParameter& parameter,
                   const StorageState& state) {
  const Storage& storage = topology[state.id];
  if (!state.is_constant || !storage.pool || !storage.offset || parameter.at_least == 0) return;
  const Pool& pool = topology[*storage.pool];
  const std::uint64_t end = sum_of(*storage.offset, parameter.at_least);
  if (!pool.bytes || end <= *pool.bytes) return;
  check(topology, CheckCode::storage_too_small,
        fmt::format("{} reads {} up to {} bytes into {}, which has {}", quoted(raw.symbol),
                    quoted(storage.name), end, quoted(pool.name), *pool.bytes));
}

// Remembers only facts that follow from this call alone. A fact from another call, or an
// assumption, would be circular.
void remember_directions(std::span<const Tensor> tensors,
                         std::vector<std::optional<Decision>>& known) {
  if (known.size() < tensors.size()) known.resize(tensors.size());
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    const Decision& decision = tensors[k].decision;
    const bool is_uncertain =
        decision.by == DecidedBy::other_call || decision.certainty == Certainty::assumed;
    if (!known[k] && !is_uncertain) known[k] = decision;
  }
}

// Directions depend on the present state of the storages, so they are decided call by call.
void decide(const Topology& topology, const ParameterTable& table, const KernelInfo& info,
            KernelParameters parameters, KnownDirections& known_directions,
            std::vector<Tensor>& tensors) {
  const auto known = known_directions.find(info.kernel.symbol);
  const auto is_none = [](const Tensor& one) {
    return one.effect != nullptr && one.effect->is_none();
  };
  const bool is_untouched = std::ranges::all_of(tensors, is_none);
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    Tensor& tensor = tensors[k];
    const StorageState& at = *tensor.state;
    tensor.is_output = at.port && table.ports[*at.port].is_output;
    tensor.is_input = at.port && !tensor.is_output;
    const std::optional<std::uint64_t> bytes = topology[at.id].bytes;
    tensor.may_be_empty = is_none(tensor) && (bytes ? *bytes == 0 : is_untouched);
    // If an unread value is overwritten, the call that wrote it is useless.
    tensor.is_unread = at.current && topology[*at.current].consumers.empty();
    if (known != known_directions.end() && k < known->second.size()) {
      tensor.elsewhere = known->second[k];
    }
  }
  decide_directions(tensors);
  if (parameters.empty()) remember_directions(tensors, known_directions[info.kernel.symbol]);
}

/// A value is at least as large as the bytes of it that are accessed (`complete_types`).
void note_access(Topology& topology, ValueId id, std::uint64_t bytes) {
  Value& value = topology.values[index(id)];
  value.bytes = std::max(value.bytes.value_or(0), bytes);
}

/// TVM does not check sizes: main passes bare pointers. Sizes of main's tensors and of pools are
/// checked at the end.
void note_reach(Topology& topology, const Tensor& tensor, std::string_view call, CallId id) {
  const Storage& storage = topology[tensor.state->id];
  // In a pool, the bytes before a tensor are those of another one.
  if (tensor.before > 0 && !storage.pool) {
    check(topology, CheckCode::storage_too_small,
          fmt::format("{} accesses {} bytes before {}", quoted(call), tensor.before,
                      quoted(storage.name)),
          id);
  }
  const bool is_checked_later = storage.pool || storage.kind == StorageKind::workspace;
  if (is_checked_later || !storage.bytes || tensor.at_least <= *storage.bytes) return;
  check(topology, CheckCode::storage_too_small,
        fmt::format("{} accesses {} bytes of {}, which has {}", quoted(call), tensor.at_least,
                    quoted(storage.name), *storage.bytes),
        id);
}

/// Main would use uninitialised memory; TVM does not prevent this.
void note_read_before_write(Topology& topology, const StorageState& state, std::string_view reader,
                            std::optional<CallId> call) {
  check(topology, CheckCode::read_before_write,
        quoted(reader) + " reads " + quoted(topology[state.id].name) + ", which nothing wrote",
        call);
}

/// Legal in C, but TVM never generates it: constants are in ROM, inputs belong to the caller, and
/// an output has one writer.
void note_write(Topology& topology, const ParameterTable& parameters, const StorageState& state,
                std::optional<CallId> call, ValueId value) {
  const std::string name = quoted(topology[state.id].name);
  if (state.is_constant) {
    check(topology, CheckCode::constant_overwritten, "the constant " + name + " is written", call,
          value);
  } else if (state.port && !parameters.ports[*state.port].is_output) {
    check(topology, CheckCode::input_overwritten, "the input " + name + " is written", call, value);
  } else if (state.port && state.values > 1) {
    check(topology, CheckCode::output_rewritten, "the output " + name + " is written again", call,
          value);
  }
}

void note_callee(Topology& topology, const KernelInfo& info, KernelParameters parameters,
                 const Call& call, CallId id) {
  const std::string name = quoted(info.kernel.symbol);
  if (info.kernel.origin == KernelOrigin::unknown) {
    // The application may define other functions: a hook, a driver, a kernel of its own.
    const bool is_generated = info.kernel.symbol.starts_with("tvmgen_");
    is_generated ? check(topology, CheckCode::unknown_callee, "nothing defines " + name, id)
                 : check(topology, CheckCode::unknown_statement,
                         "main calls " + name + ", which the archive does not define", id);
  }
  // Parameters without a match: `parameters_for_call` found the numbers to differ.
  if (info.parameters.empty() || !parameters.empty()) return;
  check(topology, CheckCode::arity,
        fmt::format("{} has {} parameters and is called with {} arguments", name,
                    info.parameters.size(), call.arguments.size()),
        id);
}

// In all versions, kernels take inputs before outputs, so another order shows a wrong direction
// where the kernel's own code does not show all of them.
void note_order(Topology& topology, const Call& call, CallId id) {
  bool writes_any = false;
  bool reads_after = false;
  bool is_proven = true;
  const bool is_understood = topology.kernel_of(call).is_understood();
  for (const Argument& argument : call.arguments) {
    const bool is_of_body =
        argument.decided_by == DecidedBy::body && argument.certainty == Certainty::certain;
    is_proven = is_proven && (!argument.storage || is_of_body);
    // A body that is understood does not use what it decides nothing about.
    const bool is_read = argument.direction == Direction::input && (is_of_body || !is_understood);
    reads_after = reads_after || (writes_any && is_read);
    writes_any = writes_any || writes(argument.direction);
  }
  const std::string name = quoted(call.name);
  if (reads_after && !is_proven) {
    check(topology, CheckCode::argument_order,
          name + " writes an argument before one that it reads", id);
  }
  if (!writes_any && is_understood)
    check(topology, CheckCode::no_output, name + " writes none of its arguments", id);
}

// After USMP, a kernel's workspaces and constants are places in the pools that its calls pass.
// The first call determines the pool of an argument. An address inside a tensor is not the
// kernel's own memory.
void place_memory(Topology& topology, const KernelInfo& info, const Call& call) {
  Kernel& kernel = topology.kernels[index(call.kernel)];
  for (const BodyMemory& memory : info.places) {
    if (memory.address.root >= call.arguments.size()) continue;
    const Argument& argument = call.arguments[memory.address.root];
    if (!argument.pool || argument.direction != Direction::pool) continue;
    KernelBuffer buffer = memory.buffer;
    buffer.pool = argument.pool;
    if (memory.address.offset_known) {
      buffer.offset = static_cast<std::uint64_t>(memory.address.offset);
    }
    const bool is_constant = topology[*argument.pool].kind == PoolKind::constant;
    (is_constant ? kernel.constants : kernel.workspaces).push_back(std::move(buffer));
  }
}

/// Takes the steps of main in order and tracks the value in every storage. For a call, decides the
/// directions of its tensors from that state, reads the values of its inputs, which makes the
/// edges, and puts new values into its outputs.
class NetworkBuilder {
 public:
  NetworkBuilder(Topology& topology, const MainBody& body, const ParameterTable& parameters,
                 KernelLibrary& kernels, KnownDirections& known)
      : topology_(topology),
        body_(body),
        parameters_(parameters),
        kernels_(kernels),
        known_directions_(known),
        storages_(topology, body, parameters) {}

  void run() {
    for (const MainStatement& raw : body_.steps) {
      if (const auto* call = std::get_if<RawCall>(&raw)) symbols_.emplace(call->symbol);
    }
    make_inputs();
    for (const MainStatement& raw : body_.steps) {
      // In the order of main: a storage contains the value of the last step before this one.
      std::visit([this](const auto& one) { step(one); }, raw);
    }
    make_outputs();
    storages_.add_unused_locals();
  }

 private:
  void make_inputs() {
    for (std::size_t i = 0; i < parameters_.ports.size(); ++i) {
      const PortPlan& plan = parameters_.ports[i];
      if (plan.is_output) continue;
      const ValueId value = storages_.define_input(storages_.state_of_port(i));
      topology_.inputs.push_back({plan.name, plan.parameter, plan.type, value});
    }
  }

  void make_outputs() {
    for (std::size_t i = 0; i < parameters_.ports.size(); ++i) {
      const PortPlan& plan = parameters_.ports[i];
      if (!plan.is_output) continue;
      // The network returns the value in the storage after the last step.
      const StorageState& state = storages_.state_of_port(i);
      topology_.outputs.push_back({plan.name, plan.parameter, plan.type, state.current});
      if (!state.current) {
        check(topology_, CheckCode::output_unwritten,
              "nothing writes the output " + quoted(plan.name));
      }
    }
  }

  // Nodes are calls, not functions: the second call of a kernel is "<symbol>_1", unless another
  // function has this symbol.
  std::string unique_name(const std::string& symbol) {
    std::string name = symbol;
    while (!names_.insert(name).second) {
      do {
        name = symbol + "_" + std::to_string(++times_called_[symbol]);
      } while (symbols_.contains(name) || kernels_.defines(name));
    }
    return name;
  }

  KernelId kernel_of(const KernelInfo& info) {
    const auto [at, is_new] = kernel_ids_.try_emplace(
        info.kernel.symbol, static_cast<KernelId>(topology_.kernels.size()));
    if (is_new) topology_.kernels.push_back(info.kernel);
    return at->second;
  }

  void step(const RawCall& raw) {
    // AOTExecutorCodegen calls all functions of a main in the same way.
    if (topology_.calls.empty()) {
      topology_.provenance.call_form = raw.call_form;
      topology_.provenance.argument_form = raw.argument_form;
    }
    const KernelInfo& info = kernels_.describe(raw.symbol);
    if (is_foreign(info, raw)) return note_foreign(raw);
    // Before `kernel_of` adds it.
    const bool is_first = !kernel_ids_.contains(info.kernel.symbol);
    const auto id = static_cast<CallId>(topology_.calls.size());
    Call call;
    call.kernel = kernel_of(info);
    call.position = position_;
    call.name = unique_name(info.kernel.symbol);
    const KernelParameters parameters = parameters_for_call(info, raw, parameters_);
    std::vector<Tensor> tensors;
    fill_arguments(raw, parameters, call, tensors);
    decide(topology_, parameters_, info, parameters, known_directions_, tensors);
    connect(call, id, tensors);
    note_callee(topology_, info, parameters, call, id);
    note_order(topology_, call, id);
    if (is_first) {
      place_memory(topology_, info, call);
      for (const std::string& overrun : info.overruns) {
        check(topology_, CheckCode::storage_too_small, overrun, id);
      }
    }
    topology_.calls.push_back(std::move(call));
    ++position_;
  }

  /// Whether the callee has no definition and receives nothing of the network: a hook.
  bool is_foreign(const KernelInfo& info, const RawCall& raw) const {
    if (info.kernel.origin != KernelOrigin::unknown) return false;
    return std::ranges::all_of(raw.arguments, [&](const RawArgument& argument) {
      return parameters_.role_of(argument.address).kind == RoleKind::unknown;
    });
  }

  // A function cannot access tensors that are not its arguments, but a macro may do anything.
  void note_foreign(const RawCall& raw) {
    if (support::may_be_macro(raw.symbol) && !is_logging_macro(raw.symbol)) {
      return step(UnknownStatement{"a call of " + quoted(raw.symbol), true});
    }
    check(topology_, CheckCode::foreign_call,
          "main calls " + quoted(raw.symbol) + ", which is no kernel and takes no tensor");
  }

  void fill_arguments(const RawCall& raw, KernelParameters parameters, Call& call,
                      std::vector<Tensor>& tensors) {
    const KernelParameter unknown;
    for (std::size_t i = 0; i < raw.arguments.size(); ++i) {
      Argument argument;
      const ArgumentRole role = parameters_.role_of(raw.arguments[i].address);
      // Applies to pools and contexts; tensors are decided below, when the whole call is known.
      argument.decided_by = DecidedBy::parameter_kind;
      const bool has_parameter = i < parameters.size();
      const KernelParameter& parameter = has_parameter ? parameters[i] : unknown;
      argument.parameter = parameter.name;
      if (has_parameter) note_kind(topology_, kernels_, raw, i, parameter, role.kind);
      switch (role.kind) {
        case RoleKind::pool:
          argument.direction = Direction::pool;
          argument.pool = role.pool;
          break;
        case RoleKind::context:
          argument.direction = Direction::context;
          break;
        case RoleKind::unknown:
          check(topology_, CheckCode::unknown_argument,
                fmt::format("argument {} of the call of {} is not a tensor, pool or context", i,
                            quoted(raw.symbol)),
                static_cast<CallId>(topology_.calls.size()));
          break;
        case RoleKind::tensor: {
          StorageState& state = storages_.state_of(role);
          argument.storage = state.id;
          argument.type = plausible(better_of(parameter.type, raw.arguments[i].type),
                                    topology_[state.id].bytes);
          note_constant(topology_, raw, parameter, state);
          tensors.push_back({.argument = i,
                             .state = &state,
                             .at_least = parameter.at_least,
                             .before = parameter.before,
                             .effect = has_parameter ? &parameter.effect : nullptr});
          break;
        }
      }
      call.arguments.push_back(std::move(argument));
    }
  }

  /// Turns decided directions into edges: reads take the values that storages hold, writes leave
  /// new ones.
  void connect(Call& call, CallId id, std::vector<Tensor>& tensors) {
    const auto end_of = [&](const Tensor& tensor) -> Endpoint {
      return {EndpointKind::call, index(id), static_cast<std::uint32_t>(tensor.argument)};
    };
    for (Tensor& tensor : tensors) {
      Argument& argument = call.arguments[tensor.argument];
      argument.direction = tensor.decision.direction;
      argument.decided_by = tensor.decision.by;
      argument.certainty = tensor.decision.certainty;
      if (!reads(argument.direction)) continue;
      // An argument that the kernel does not access may be overwritten by then.
      argument.reads = tensor.decision.by == DecidedBy::untouched
                           ? storages_.consume(*tensor.state, end_of(tensor))
                           : storages_.read(*tensor.state, end_of(tensor), position_);
      if (argument.reads) {
        if (argument.direction == Direction::input)
          note_access(topology_, *argument.reads, tensor.at_least);
        continue;
      }
      if (argument.direction == Direction::in_out) {
        // There is no value to update: the apparent read is part of a first write.
        argument.direction = Direction::output;
      } else {
        note_read_before_write(topology_, *tensor.state, call.name, id);
      }
    }
    for (const Tensor& tensor : tensors) note_reach(topology_, tensor, call.name, id);
    // All reads of a call come before its writes: an input may share memory with an output.
    for (Tensor& tensor : tensors) {
      Argument& argument = call.arguments[tensor.argument];
      if (!writes(argument.direction)) continue;
      argument.writes = storages_.write(*tensor.state, end_of(tensor), position_, argument.type);
      note_access(topology_, *argument.writes, tensor.at_least);
      note_write(topology_, parameters_, *tensor.state, id, *argument.writes);
    }
  }

  void step(const RawCopy& raw) {
    const ArgumentRole from = parameters_.role_of(raw.from);
    const ArgumentRole to = parameters_.role_of(raw.to);
    if (from.kind != RoleKind::tensor || to.kind != RoleKind::tensor) {
      return step(UnknownStatement{"a loop that copies from or to something that is no tensor"});
    }
    const auto id = static_cast<std::uint32_t>(topology_.copies.size());
    const Endpoint end{EndpointKind::copy, id, 0};
    StorageState& source = storages_.state_of(from);
    // Reads before it writes, like calls.
    Copy copy{position_, storages_.read(source, end, position_), {}, raw.bytes};
    if (!copy.reads) note_read_before_write(topology_, source, "a copy", std::nullopt);
    StorageState& target = storages_.state_of(to);
    const TensorType type = copy.reads ? topology_[*copy.reads].type : TensorType{};
    copy.writes = storages_.write(target, end, position_, better_of(target.declared, type));
    note_write(topology_, parameters_, target, std::nullopt, copy.writes);
    topology_.copies.push_back(copy);
    ++position_;
  }

  void step(const RawHook& raw) {
    // Hooks take a position, so that positions follow the code; they are not nodes of the network.
    topology_.hooks.push_back({std::string(raw.symbol), phase_of(raw.symbol),
                               parameter_at(body_, raw.context), position_++});
  }

  // The statement may call kernels, write tensors and allocate memory.
  void step(const UnknownStatement& raw) {
    check(topology_, CheckCode::unknown_statement,
          "main has " + raw.what + ", whose effect is unknown");
    if (raw.may_end_main && !topology_.may_end_at) topology_.may_end_at = position_;
  }

  void step(const IgnoredStatement& raw) {
    check(topology_, CheckCode::ignored_statement,
          "main has the statement '" + raw.text + "', which touches nothing of the network");
  }

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

}  // namespace

void follow_main(Topology& topology, const MainBody& body, const ParameterTable& parameters,
                 KernelLibrary& kernels, KnownDirections& known) {
  NetworkBuilder(topology, body, parameters, kernels, known).run();
}

}  // namespace mlf::graph
