// The network as a graph: calls of kernels in execution order, the tensors between them, and their
// memory. A Topology owns its content.
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

/// DLDeviceType of TVM, such as 4 for OpenCL.
using Device = std::int32_t;
inline constexpr Device kCpu = 1;

/// Element type and shape of a tensor as one end of an edge sees it. Main's C code and some
/// external kernels do not state them.
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
  in_out,   ///< the call reads it, then writes it
  pool,     ///< a memory pool, from which kernels take constants and workspace
  context,  ///< a device context, or the null handle in its place
  unknown,  ///< no tensor that this reader knows
};

/// What a direction was derived from. decisions.def has the meanings.
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

/// The kinds of memory that a running network uses.
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
  /// A lower bound of its bytes: if the size is only a bound, up to the last byte that is accessed.
  std::uint64_t at_least = 0;
  std::optional<PoolId> pool{};  ///< of MemoryKind::pool
  /// In a pool: bytes from its start. In heap and stack: bytes that the same call has already
  /// allocated there, as allocations are nested.
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
  std::string function{};  ///< its name in the TIR; empty where it has none
  std::string source{};    ///< stem of the TIR that defines it ("tir-1"); empty where none does
  std::string target{};    ///< kind of its target ("c"), or its external compiler; empty: unknown
  std::optional<Device> device{};  ///< that it runs on; nothing: unknown
  std::string hash{};       ///< TVM's structural hash of the Relay function; empty where not stated
  bool is_reshape = false;  ///< copies its only input to its only output, element by element
  // Known only for kernels with TIR: for others, empty lists mean unknown.
  std::vector<KernelBuffer> constants{};
  std::vector<KernelBuffer> workspaces{};
  /// Code that mlf does not understand, one sentence each. Empty if it understands all code.
  std::vector<std::string> gaps{};
  /// Code that is not understood, or a return under a condition, may end the kernel early: then no
  /// load or store is certain to happen.
  bool may_end_early = false;

  bool has_tir() const { return origin == KernelOrigin::tir; }
  /// Whether its TIR is known and all of it understood.
  bool is_understood() const { return has_tir() && gaps.empty(); }
};

enum class EndpointKind : std::uint8_t { call, copy };

/// One end of an edge.
struct Endpoint {
  EndpointKind kind = EndpointKind::call;
  std::uint32_t step = 0;      ///< the CallId or CopyId
  std::uint32_t argument = 0;  ///< position among the call's arguments; 0 for copies
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

enum class ValueKind : std::uint8_t {
  input,     ///< an input of the network
  constant,  ///< a constant of main
  computed,  ///< the result of a call or copy
};

/// The content of a storage from one write to the next: a tensor that is defined once.
struct Value {
  std::string name{};  ///< unique: the storage's name, then `.1`, `.2`, … for its later values
  ValueKind kind = ValueKind::computed;
  StorageId storage{};
  std::uint32_t version = 0;  ///< counts the writes to the storage
  TensorType type{};          ///< as its writer sees it; that of main for inputs and constants
  std::optional<std::uint64_t> bytes{};
  /// Bytes that calls certainly access of an input whose size is not known.
  std::uint64_t least_bytes = 0;
  std::optional<Endpoint> producer{};          ///< of computed values
  std::vector<Endpoint> consumers{};           ///< in execution order
  std::optional<Position> first_definition{};  ///< empty: it exists before the first step
  /// The last step that accesses it; empty if none does. Outputs live to the end. A kernel may
  /// receive a value that it does not access.
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
  /// Empty for memory of the caller.
  std::optional<MemoryKind> memory{};
  std::optional<Device> device{};        ///< whose memory it is; nothing: unknown
  std::optional<std::uint64_t> bytes{};  ///< as allocated; nothing where main does not say
  std::optional<PoolId> pool{};          ///< of StorageKind::pool
  /// Bytes from the start of the pool. If main frees memory of the heap before it allocates more,
  /// bytes that it has allocated before this one; otherwise nothing there.
  std::optional<std::uint64_t> offset{};
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

/// How exact a number is.
enum class Exactness : std::uint8_t {
  exact,
  at_least,  ///< some sizes or offsets are unknown: the true number may be larger
  at_most,   ///< some of it is allocated in branches that may not be taken
  unknown,   ///< both
};

/// The first step at which the most bytes of a region are in use.
struct MemoryPeak {
  Position position = 0;
  std::optional<CallId> call{};  ///< nothing where the step is a copy or a device hook
  std::uint64_t bytes = 0;       ///< in use then
};

/// The bytes in use from this step until the next entry.
struct LiveBytes {
  Position position = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const LiveBytes&, const LiveBytes&) = default;
};

/// The use of a region of memory while main runs. A byte is in use at a step if it belongs to a
/// live value, or to memory of the kernel that the step calls. Each byte counts once, as the
/// planner may place an output of a call over one of its inputs.
///
/// Outside of pools the archive does not state where an allocation is. mlf takes main's allocations
/// and the graph executor's storages as adjacent for the whole run, and those of a kernel as behind
/// them while it runs. Padding of the allocator does not count.
struct MemoryUse {
  MemoryKind kind = MemoryKind::pool;
  std::optional<PoolId> pool{};            ///< of MemoryKind::pool
  std::optional<Device> device{};          ///< whose memory it is; nothing: unknown
  std::optional<std::uint64_t> bytes{};    ///< of the pool as declared; else `used` where exact
  std::uint64_t used = 0;                  ///< end of the last byte that anything uses at any time
  std::optional<MemoryPeak> peak{};        ///< empty if main has no step
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

/// A loop of main that copies one tensor into an output, or a copy of the graph executor, which is
/// to another device.
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

/// An error, a warning or a note about the network, or about how mlf derived it.
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

enum class ProvenanceKind : std::uint8_t { main_function, graph_json, relay };

/// The source of a topology.
struct Provenance {
  ProvenanceKind kind = ProvenanceKind::main_function;
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
  /// One entry for every pool, then, device by device, for each other kind of memory that the
  /// network uses, in their order.
  std::vector<MemoryUse> memory{};
  /// Those that the network runs on; the first has the program's RAM: the CPU, if it is one of
  /// them. Not in the JSON.
  std::vector<std::optional<Device>> devices{};
  std::vector<Hook> hooks{};
  std::vector<Copy> copies{};
  std::vector<Check> checks{};
  /// Statements of main that mlf does not understand, one sentence each. If there are any, main may
  /// make more calls, access other tensors and take more memory than stated here.
  std::vector<std::string> gaps{};
  /// An input that may be a constant, as the archive lacks the file of parameters; empty: none. Not
  /// in the JSON.
  std::string possible_parameter{};
  /// Before this step, a statement that mlf does not understand may end main. Not in the JSON.
  std::optional<Position> may_end_at{};
  std::vector<tir::OtherMemory> other_memory{};  ///< of the C, not in the JSON

  const Kernel& kernel_of(const Call& call) const { return kernels[index(call.kernel)]; }
  const Value& operator[](ValueId id) const { return values[index(id)]; }
  const Call& operator[](CallId id) const { return calls[index(id)]; }
  const Storage& operator[](StorageId id) const { return storages[index(id)]; }
  const Pool& operator[](PoolId id) const { return pools[index(id)]; }
  /// Whether memory or a kernel on this device takes RAM of the program. If the device is unknown,
  /// it may.
  bool is_in_ram(std::optional<Device> device) const {
    return !device || devices.empty() || device == devices.front();
  }
  /// Whether what is on device `at` counts as on `device`, one of `devices`.
  bool is_on(std::optional<Device> device, std::optional<Device> at) const {
    return is_in_ram(device) ? is_in_ram(at) : at == device;
  }
  /// The type that one end of an edge sees: the argument's for calls, the value's for copies.
  MLF_API const TensorType& type_at(const Endpoint& end, ValueId value) const;
  /// Steps of a run: calls, copies and hooks.
  std::size_t steps() const { return calls.size() + copies.size() + hooks.size(); }
  /// The first of `checks` that has the severity `error`; null if there is none.
  MLF_API const Check* first_error() const;
  bool is_sound() const { return first_error() == nullptr; }
  /// Whether all statements of main are understood. If not, one of them may do what a check misses,
  /// so that no check proves a fault.
  MLF_API bool is_understood() const;
  /// Whether main's parameters are known. They are not if main is not understood as a whole: empty
  /// inputs, outputs and pools then mean unknown.
  bool knows_parameters() const { return gaps.empty() || !outputs.empty(); }
};

/// A number of bytes, and how exact it is.
struct ByteCount {
  std::uint64_t bytes = 0;
  Exactness exactness = Exactness::exact;

  /// A sum is as exact as its least exact part.
  MLF_API ByteCount& operator+=(const ByteCount& other);
  friend bool operator==(const ByteCount&, const ByteCount&) = default;
};

/// Returns the bytes of an input or output: those of its type, else those of its value, which
/// kernels tell, else at least what calls access.
MLF_API ByteCount bytes_of(const Topology& topology, const Port& port);

/// Memory of one network. Sums stop at 2^63-1.
struct MemoryTotals {
  /// Each input and output once, wherever it is. `pools` and `executor` include those that they
  /// hold.
  ByteCount inputs_and_outputs;
  /// Constants of main and of the kernels that it calls: pools as declared, and everything outside
  /// of pools without the padding between arrays. Parameters of the graph executor count here and
  /// in `executor`, which has a copy of them.
  ByteCount constants;
  ByteCount pools;     ///< of kind workspace, as they are declared
  ByteCount executor;  ///< `used` of MemoryKind::executor
  ByteCount heap;      ///< `used` of MemoryKind::heap
  ByteCount stack;     ///< `used` of MemoryKind::stack

  /// Returns the memory needed beside inputs, outputs and constants. Heap and stack may have their
  /// peaks at different calls, but neither can use the other's memory.
  MLF_API ByteCount workspace() const;
};

/// Returns the memory on all devices together.
MLF_API MemoryTotals memory_totals(const Topology& topology);
/// Returns the memory on one of `devices`. Constants, and what has an unknown device, are the first
/// one's.
MLF_API MemoryTotals memory_totals(const Topology& topology, std::optional<Device> device);

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
MLF_API std::string_view to_string(ProvenanceKind kind);

}  // namespace mlf::graph
