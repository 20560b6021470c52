// The network as a graph: calls of kernels in execution order, the tensors between them, and what
// it takes of memory. A Topology owns all that it says.
//
//     const auto networks = deployment.networks();  // deployment.h
//     if (!networks) return fail(networks.error());
//     for (const mlf::Network& network : networks->found) {
//       const mlf::graph::Topology& topology = network.topology;
//       for (const mlf::graph::Call& call : topology.calls) print(topology.kernel_of(call).symbol);
//     }
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/tir/document.h"
#include "mlf/tir/module.h"

namespace mlf::graph {

// Positions in the vectors of one Topology.
enum class CallId : std::uint32_t {};
enum class CopyId : std::uint32_t {};
enum class KernelId : std::uint32_t {};
enum class ValueId : std::uint32_t {};
enum class StorageId : std::uint32_t {};
enum class PoolId : std::uint32_t {};

template <class Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

/// Position in the order of execution: calls, copies and device hooks count from 0.
using Position = std::uint32_t;

/// Element type and shape of a tensor as one end of an edge sees it. Main's C code and some
/// external kernels do not say them.
struct TensorType {
  tir::DType dtype{};                              ///< void: unknown
  std::optional<std::vector<std::int64_t>> shape;  ///< elements per dimension; nothing: unknown

  /// Bytes of the tensor; nothing where dtype or shape is unknown or the product exceeds 63 bits.
  MLF_API std::optional<std::uint64_t> bytes() const;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

enum class Direction : std::uint8_t {
  input,    ///< the call reads it
  output,   ///< the call writes it
  in_out,   ///< the call reads what was there and writes it anew
  pool,     ///< a memory pool, from which kernels take constants and workspace
  context,  ///< a device context, or the null handle in its place
  unknown,  ///< no tensor that this reader knows
};

/// What a direction was read off. decisions.def says what each one means.
enum class DecidedBy : std::uint8_t {
#define MLF_DECISION(name, code, meaning) name,
#include "mlf/graph/decisions.def"
#undef MLF_DECISION
};

enum class Certainty : std::uint8_t {
  certain,  ///< follows from the code
  likely,   ///< follows from what every TVM does, though not from this code
  assumed,  ///< nothing contradicts it
};

/// An argument of a call, in the order of the call.
struct Argument {
  std::string parameter{};  ///< name of the kernel's parameter; empty where it has no TIR
  Direction direction = Direction::unknown;
  DecidedBy decided_by = DecidedBy::body;
  Certainty certainty = Certainty::certain;
  std::optional<ValueId> reads{};      ///< of input and in_out; missing only with a check
  std::optional<ValueId> writes{};     ///< of output and in_out
  std::optional<StorageId> storage{};  ///< of tensors
  std::optional<PoolId> pool{};        ///< of Direction::pool
  TensorType type{};                   ///< as the kernel sees the tensor
};

/// One execution of a kernel: the node of the graph. A kernel called twice is two nodes.
struct Call {
  KernelId kernel{};
  Position position = 0;
  std::string name{};  ///< unique among the calls: the kernel's symbol, then `_1`, `_2`, …
  std::vector<Argument> arguments{};
};

/// What memory is taken from while a network runs.
enum class MemoryKind : std::uint8_t {
  pool,      ///< a pool that was planned when the network was built (USMP)
  executor,  ///< what the graph executor allocates for its storage ids before it runs
  heap,      ///< TVMBackendAllocWorkspace: allocations of main, and of kernels from 1,024 bytes on
  stack,     ///< arrays of generated functions: smaller allocations of kernels
  program,   ///< read-only data of the program: constants outside of pools
};

/// A tensor inside a kernel's own memory: a workspace or a constant.
struct KernelBuffer {
  std::string name{};
  MemoryKind memory = MemoryKind::program;
  std::optional<std::uint64_t> bytes{};  ///< nothing: unknown
  /// Bytes that it certainly has: where its size is a bound only, up to the last that is accessed.
  std::uint64_t at_least = 0;
  std::optional<PoolId> pool{};  ///< of MemoryKind::pool
  /// Of a pool: bytes from its start. Of heap and stack: bytes that the same call has there already
  /// when it allocates these, as allocations are nested.
  std::optional<std::uint64_t> offset{};
  bool is_conditional = false;  ///< allocated in a branch that a call may not take
};

enum class KernelOrigin : std::uint8_t {
  tir,       ///< defined in the TIR
  external,  ///< code of an external compiler (BYOC); no TIR
  unknown,   ///< nothing defines it
};

/// A function that main calls.
struct Kernel {
  std::string symbol{};  ///< as called: "tvmgen_default_fused_add"
  KernelOrigin origin = KernelOrigin::unknown;
  std::string function{};   ///< its name in the TIR; empty where it has none
  std::string source{};     ///< stem of the TIR that defines it ("tir-1"); empty where none does
  std::string target{};     ///< kind of its target ("c"), or its external compiler; empty: unknown
  std::string hash{};       ///< TVM's structural hash of the Relay function; empty where not stated
  bool is_reshape = false;  ///< copies its only input to its only output, element by element
  // What memory of its own it has is known of kernels with TIR only: of others, no entries here do
  // not mean none.
  std::vector<KernelBuffer> constants{};
  std::vector<KernelBuffer> workspaces{};
  /// What its code does that is not understood, one sentence each. Empty: all of it is understood.
  std::vector<std::string> gaps{};
  /// What is not understood, or a return under a condition, may end it early: of all that it does,
  /// nothing is sure to be done.
  bool may_end_early = false;

  bool has_tir() const { return origin == KernelOrigin::tir; }
  /// Whether its code is here and all of it is understood.
  bool is_understood() const { return has_tir() && gaps.empty(); }
};

/// One end of an edge.
struct Endpoint {
  enum class Kind : std::uint8_t { call, copy };
  Kind kind = Kind::call;
  std::uint32_t step = 0;      ///< the CallId or CopyId
  std::uint32_t argument = 0;  ///< position among the call's arguments; 0 for copies
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

enum class ValueKind : std::uint8_t {
  input,     ///< an input of the network
  constant,  ///< a constant of main
  computed,  ///< the result of a call or copy
};

/// What one storage holds from one write to the next: a tensor that is defined once.
struct Value {
  std::string name{};  ///< unique: the storage's name, then `.1`, `.2`, … for its later values
  ValueKind kind = ValueKind::computed;
  StorageId storage{};
  std::uint32_t version = 0;  ///< counts the writes to the storage
  TensorType type{};          ///< as its writer sees it; that of main for inputs and constants
  std::optional<std::uint64_t> bytes{};
  std::optional<Endpoint> producer{};          ///< of computed values
  std::vector<Endpoint> consumers{};           ///< in execution order
  std::optional<Position> first_definition{};  ///< nothing: there before the first step
  /// The last step that touches it; nothing where none does. Outputs live to the end. A kernel may
  /// be given a value that it does not touch.
  std::optional<Position> last_use{};
};

enum class StorageKind : std::uint8_t {
  parameter,  ///< memory of the caller: an input or output of main
  workspace,  ///< an allocation of main (a `sid`), or storage of the graph executor
  constant,   ///< a constant of main in memory of its own
  pool,       ///< a place in a memory pool
  lookup,     ///< a linked parameter, found by name when main runs (TVM v0.8)
};

/// Memory that holds values one after the other.
struct Storage {
  std::string name{};  ///< "sid_3", "sid_3_let", "input", "constant_0"
  StorageKind kind = StorageKind::workspace;
  /// Nothing where it is memory of the caller.
  std::optional<MemoryKind> memory{};
  std::optional<std::uint64_t> bytes{};   ///< as allocated; nothing where main does not say
  std::optional<PoolId> pool{};           ///< of StorageKind::pool
  std::optional<std::uint64_t> offset{};  ///< bytes from the start of the pool
};

enum class PoolKind : std::uint8_t { workspace, constant };

/// A memory pool: a parameter of main.
struct Pool {
  std::string name{};       ///< "global_workspace"
  std::string parameter{};  ///< "global_workspace_1_var"
  PoolKind kind = PoolKind::workspace;
  std::optional<std::uint64_t> bytes{};
};

/// The size of a pool that the application defines.
struct PoolSize {
  std::string name{};  ///< "global_workspace"
  std::uint64_t bytes = 0;
};

/// What a number is worth.
enum class Exactness : std::uint8_t {
  exact,
  at_least,  ///< sizes or places are unknown: there may be more
  at_most,   ///< some of it is allocated in branches that may not be taken
  unknown,   ///< both
};

/// The moment at which most of a region is in use: the first such step.
struct MemoryPeak {
  Position position = 0;
  std::optional<CallId> call{};  ///< nothing where the step is a copy or a device hook
  std::uint64_t bytes = 0;       ///< in use then
};

/// From this step on, until the next entry, so many bytes are in use.
struct LiveBytes {
  Position position = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const LiveBytes&, const LiveBytes&) = default;
};

/// How full a region of memory is while main runs. A byte is in use at a step where it belongs to a
/// value that lives then, or to memory of the kernel called then; each byte counts once, as the
/// planner may put the output of a call over an input of it.
///
/// Outside of pools nothing says where an allocation is. Main's allocations and the graph
/// executor's storages are there all the time, side by side, those of kernels while they run behind
/// them; no padding of the allocator is counted.
struct MemoryUse {
  MemoryKind kind = MemoryKind::pool;
  std::optional<PoolId> pool{};            ///< of MemoryKind::pool
  std::optional<std::uint64_t> bytes{};    ///< of the pool as declared; else `used` where exact
  std::uint64_t used = 0;                  ///< end of the last byte that anything uses at any time
  std::optional<MemoryPeak> peak{};        ///< nothing where main does nothing
  std::vector<LiveBytes> live{};           ///< in execution order, where the number changes
  Exactness exactness = Exactness::exact;  ///< of every number here but `bytes`
  std::vector<std::string> uncertain{};    ///< why they are not exact, one sentence each
};

/// An input or output of the network, in the order of main's parameters.
struct Port {
  std::string name{};       ///< Relay's name where metadata gives it, else the parameter's
  std::string parameter{};  ///< the parameter of main, or the let of a planned input or output
  TensorType type{};        ///< as main declares it; where it does not, as a kernel sees it
  std::optional<ValueId> value{};  ///< missing for outputs that nothing writes
};

enum class HookPhase : std::uint8_t { activate, open, close, deactivate, other };

/// A call into the device API around kernels.
struct Hook {
  std::string symbol{};  ///< "TVMDeviceEthosUOpen"
  HookPhase phase = HookPhase::other;
  std::string context{};  ///< the parameter of main; empty for a null handle
  Position position = 0;
};

/// A loop of main that copies one tensor into an output.
struct Copy {
  Position position = 0;
  std::optional<ValueId> reads{};  ///< missing only with a check
  ValueId writes{};
  std::optional<std::uint64_t> bytes{};
};

enum class Severity : std::uint8_t { error, warning, note };

enum class CheckCode : std::uint8_t {
#define MLF_CHECK(name, code, severity, meaning) name,
#include "mlf/graph/checks.def"
#undef MLF_CHECK
};

struct CheckInfo {
  CheckCode check;
  std::string_view code;  ///< as in the JSON
  Severity severity;
  std::string_view meaning;
};
MLF_API const CheckInfo& info(CheckCode check);

/// Something remarkable about the network, or about how it was found.
struct Check {
  CheckCode code{};
  std::string detail{};            ///< one sentence with the names in it
  std::optional<CallId> call{};    ///< where it is about one call
  std::optional<ValueId> value{};  ///< where it is about one value
  std::string symbol{};            ///< of the function that `unused_kernel` is about
};

enum class CallForm : std::uint8_t {
  unpacked,  ///< call_extern: a plain C call
  c_packed,  ///< tvm_call_cpacked
  packed,    ///< tvm_call_packed
};

enum class ArgumentForm : std::uint8_t {
  pointers,  ///< bare pointers
  arrays,    ///< tvm_stack_make_array, or v0.8's tvm_value_k
  stack,     ///< stores into stack_array and stack_value (after LowerTVMBuiltin)
};

/// Where a topology was read off.
struct Provenance {
  enum class Kind : std::uint8_t { main_function, graph_json, relay };
  Kind kind = Kind::main_function;
  std::string source{};  ///< stem of the TIR ("tir-1") or the archive member
  std::optional<tir::Dialect> dialect{};
  std::string stage{};                             ///< of the TIR: "lowered"
  std::optional<tir::VersionRange> tvm_version{};  ///< that the TIR may come from
  std::string function{};  ///< main's name in the TIR: "__tvm_main__", "run_model"
  std::string symbol{};    ///< "tvmgen_default___tvm_main__"
  CallForm call_form = CallForm::unpacked;
  ArgumentForm argument_form = ArgumentForm::pointers;
};

/// One network. Every id is a position in one of these vectors.
struct Topology {
  std::string module{};  ///< "default": from main's symbol
  Provenance provenance{};
  std::vector<Port> inputs{};
  std::vector<Port> outputs{};
  std::vector<Kernel> kernels{};  ///< in the order of their first calls
  std::vector<Call> calls{};      ///< in execution order
  std::vector<Value> values{};    ///< inputs, then constants and results as they first appear
  std::vector<Storage> storages{};
  std::vector<Pool> pools{};
  /// Of every pool; then of the other kinds of memory, in their order, as far as there is any.
  std::vector<MemoryUse> memory{};
  std::vector<Hook> hooks{};
  std::vector<Copy> copies{};
  std::vector<Check> checks{};
  /// What main does that is not understood, one sentence each. Where there is any, main may call
  /// more, touch other tensors and take more memory than is stated here. Empty: all is understood.
  std::vector<std::string> gaps{};

  const Kernel& kernel_of(const Call& call) const { return kernels[index(call.kernel)]; }
  const Value& operator[](ValueId id) const { return values[index(id)]; }
  const Call& operator[](CallId id) const { return calls[index(id)]; }
  const Storage& operator[](StorageId id) const { return storages[index(id)]; }
  const Pool& operator[](PoolId id) const { return pools[index(id)]; }
  /// The type that one end of an edge sees: the argument's for calls, the value's for copies.
  MLF_API const TensorType& type_at(const Endpoint& end, ValueId value) const;
  /// Whether a check of severity `error` is among `checks`.
  MLF_API bool is_sound() const;
  /// Whether main's parameters are known. Of a main that is not understood as a whole they are not:
  /// then no inputs, outputs and pools do not mean none.
  bool knows_parameters() const { return gaps.empty() || !outputs.empty(); }
};

/// Bytes, and what the number is worth.
struct ByteCount {
  std::uint64_t bytes = 0;
  Exactness exactness = Exactness::exact;

  /// A sum is worth as much as the worse of its parts.
  MLF_API ByteCount& operator+=(const ByteCount& other);
  friend bool operator==(const ByteCount&, const ByteCount&) = default;
};

/// The memory of one network. Sums stop at 2^63-1.
struct MemoryTotals {
  /// Each input and output once, wherever it is: those in pools and in storage of the graph
  /// executor are part of those numbers as well.
  ByteCount inputs_and_outputs;
  /// Of main and of the kernels that it calls: pools as they are declared, and everything outside
  /// of pools without the padding between arrays. Parameters of the graph executor count here and,
  /// as it copies them, in `executor`.
  ByteCount constants;
  ByteCount pools;     ///< of kind workspace, as they are declared
  ByteCount executor;  ///< `used` of MemoryKind::executor
  ByteCount heap;      ///< `used` of MemoryKind::heap
  ByteCount stack;     ///< `used` of MemoryKind::stack

  /// What has to be there beside inputs, outputs and constants. Heap and stack may be fullest at
  /// different calls; but neither can use the other's memory.
  MLF_API ByteCount workspace() const;
};

MLF_API MemoryTotals memory_totals(const Topology& topology);

MLF_API std::string_view to_string(Direction direction);
MLF_API std::string_view to_string(DecidedBy decision);
MLF_API std::string_view to_string(Certainty certainty);
MLF_API std::string_view to_string(KernelOrigin origin);
MLF_API std::string_view to_string(ValueKind kind);
MLF_API std::string_view to_string(StorageKind kind);
MLF_API std::string_view to_string(PoolKind kind);
MLF_API std::string_view to_string(MemoryKind kind);
MLF_API std::string_view to_string(Exactness exactness);
MLF_API std::string_view to_string(HookPhase phase);
MLF_API std::string_view to_string(Severity severity);
MLF_API std::string_view to_string(CallForm form);
MLF_API std::string_view to_string(ArgumentForm form);
MLF_API std::string_view to_string(Provenance::Kind kind);

}  // namespace mlf::graph
