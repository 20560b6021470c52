// The cost of a network, as numbers with bounds: the operations of one execution of a kernel, for
// each of its loops, and the memory in use at each call and at the peak.
//
//     const mlf::analysis::KernelCost cost = mlf::analysis::kernel_cost(prim_func);
//     print(to_string(cost.mac));  // 1024, or 0..1024 if it depends on data
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/export.h"
#include "mlf/graph/topology.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

// --- Numbers -----------------------------------------------------------------------------------

/// A number of times or of bytes, with two bounds. Sums and products saturate at 2^63-1, the
/// largest number in the JSON: a minimum is then 2^63-1, and a maximum unknown.
struct Count {
  std::uint64_t min = 0;                 ///< at least so many
  std::optional<std::uint64_t> max = 0;  ///< at most so many; nothing: unknown

  Count() = default;
  /// An exact number.
  Count(std::uint64_t exactly) : min(exactly), max(exactly) {}
  Count(std::uint64_t at_least, std::optional<std::uint64_t> at_most)
      : min(at_least), max(at_most) {}
  static Count unknown() { return {0, std::nullopt}; }

  bool is_known() const { return max.has_value(); }
  bool is_exact() const { return max == min; }

  MLF_API Count& operator+=(const Count& other);
  MLF_API Count& operator*=(const Count& other);
  friend Count operator+(Count a, const Count& b) { return a += b; }
  /// Zero times an unknown number is zero.
  friend Count operator*(Count a, const Count& b) { return a *= b; }
  friend bool operator==(const Count&, const Count&) = default;
};

/// Returns "72", "10..72", ">=72", "<=72", or "?" for an unknown number.
MLF_API std::string to_string(const Count& count);

/// Converts a number of bytes: `at_least` gets no maximum, `at_most` no minimum.
MLF_API Count to_count(const graph::ByteCount& bytes);

/// Converts a size. An unknown size becomes a Count without a maximum.
MLF_API Count to_count(const std::optional<std::uint64_t>& bytes);

// --- One execution of a kernel -----------------------------------------------------------------

/// Classes of arithmetic on data. Multiply-accumulates are counted separately.
enum class Operation : std::uint8_t {
  add_subtract,
  multiply,
  divide_modulo,
  comparison,
  logic,           ///< and, or, not of truth values
  bitwise,         ///< and, or, xor, not, shifts, counting of bits
  select,          ///< min, max, and a Select, which evaluates both of its values
  cast,            ///< from one type to another
  rounding,        ///< floor, ceil, round, absolute value and the like
  transcendental,  ///< exp, sqrt, tanh, pow and the like
  fixed_point,     ///< q_multiply_shift: a multiplication that rounds and shifts
};
MLF_API std::string_view to_string(Operation operation);

/// The number of operations of one class on elements of one type. A vector of n lanes counts n
/// times.
struct OperationCount {
  Operation operation = Operation::add_subtract;
  tir::DType dtype{};  ///< of one element of the operands; of a cast, that of its result
  Count count;
};

/// What a kernel does with the memory behind a pointer.
enum class BufferRole : std::uint8_t {
  input,      ///< a parameter that is read
  output,     ///< a parameter that is written before anything of it is read
  in_out,     ///< a parameter that is read and written
  weights,    ///< a constant of the function, or a pool that only holds such constants
  workspace,  ///< memory of the function's own, or a pool that it places such memory in
  unused,     ///< nothing touches it, nor memory in it
  unknown,    ///< its address goes to a function whose body is not known
};
MLF_API std::string_view to_string(BufferRole role);

/// Memory that a kernel reads or writes. Taking an address is not an access.
struct BufferCost {
  std::string name;  ///< of the parameter, or of the variable that holds the memory
  BufferRole role = BufferRole::unknown;
  /// Position in `PrimFunc.params`, or among the packed arguments after MakePackedAPI.
  std::optional<std::size_t> parameter{};
  Count loads;   ///< elements
  Count stores;  ///< elements
  Count bytes_loaded;
  Count bytes_stored;
};

/// A loop of the nest.
struct LoopCost {
  std::string variable;
  Count extent;             ///< iterations each time it is entered: fewest to most
  std::uint32_t depth = 0;  ///< loops around it
  tir::ForKind kind = tir::ForKind::serial;
  Count iterations;  ///< times that its body runs, of all times it is entered
  Count mac;         ///< in it and in the loops inside of it
  tir::NodeId node{};
};

/// A function that a kernel calls by its symbol.
struct ExternCall {
  std::string symbol;
  Count count;
};

/// The numbers of one execution. A number without a `max` has no upper bound; its `min` is certain.
/// `uncertain` has a reason for every number that is not exact.
struct KernelCost {
  /// Multiply-accumulates: products of two different values, both read from memory, that are added
  /// to the element that the sum is stored to. Includes those of library functions that TVM calls.
  Count mac;
  std::vector<OperationCount> operations;  ///< arithmetic on data without `mac`
  /// Integer arithmetic of addresses, of loop bounds and of conditions that read no memory.
  /// Incrementing a loop variable does not count.
  Count index_operations;
  /// The divisions and remainders among it that are no shifts: by no power of two, in the innermost
  /// loop that changes their operands, equal ones once. Compilers make some of them
  /// multiplications.
  Count index_divisions;
  /// Arithmetic and casts of floating-point numbers; a multiply-accumulate of them counts as one.
  Count float_operations;
  std::vector<ExternCall> extern_calls;  ///< in the order of the code
  std::vector<BufferCost> buffers;       ///< parameters in their order, then memory of its own
  std::vector<LoopCost> loops;           ///< in the order of the code: outer before inner
  Count loaded;                          ///< bytes of all buffers
  Count stored;                          ///< bytes of all buffers
  std::vector<std::string> uncertain;    ///< one sentence for each reason
  /// Code that mlf does not understand, one sentence each; also in `uncertain`. If there is any, no
  /// number has an upper bound.
  std::vector<std::string> gaps{};
};

/// Counts what one execution of a PrimFunc does. Loops with static bounds are exact. Conditions on
/// loop variables are exact if they distinguish at most about a million iterations. Code under a
/// condition on data counts from never to always. Bounds that depend on data, `while` and functions
/// whose body is unknown make a number unknown. A kernel of CMSIS-NN loads and stores the minimum
/// that follows from its arguments. `if_then_else`, `&&` and `||` evaluate what they need, Select
/// evaluates both values. A shared expression counts as often as it is evaluated. Time and memory
/// grow with the number of nodes.
MLF_API KernelCost kernel_cost(tir::Node prim_func);

// --- Memory while a network runs ---------------------------------------------------------------

/// Why a tensor is in memory while a call runs.
enum class LiveRole : std::uint8_t {
  input,    ///< the call reads it
  output,   ///< the call writes it
  in_out,   ///< the call reads it, then writes it
  scratch,  ///< memory of the kernel's own: a workspace, gone when the call ends
  held,     ///< neither read nor written by this call, but by a later one
};
MLF_API std::string_view to_string(LiveRole role);

/// A tensor in memory that can be written, at one step.
struct LiveTensor {
  std::string name;  ///< of the Value, or of the kernel's buffer
  LiveRole role = LiveRole::held;
  graph::MemoryKind memory = graph::MemoryKind::pool;
  std::optional<graph::PoolId> pool{};    ///< of MemoryKind::pool
  std::optional<graph::ValueId> value{};  ///< nothing for scratch
  std::optional<std::uint64_t> bytes{};   ///< nothing: unknown
};

/// Returns the tensors and workspaces in pools, heap, stack and the graph executor's storages while
/// `call` runs: first those it reads and writes, then its workspaces, then held tensors. Leaves out
/// constants, memory of the caller (inputs and outputs of the network outside of pools) and memory
/// of other devices. Two may share bytes, if a result is placed over an input whose lifetime ends.
MLF_API std::vector<LiveTensor> live_tensors(const graph::Topology& topology, graph::CallId call);

/// The memory in use during one call, in bytes.
struct CallMemory {
  Count live;        ///< in use while it runs, in all regions of RAM; each byte counts once
  Count scratch;     ///< the kernel's own workspaces, the most that exist at one time
  Count parameters;  ///< constants that it reads: the kernel's own and those of main
};

/// Returns the memory of each call, by CallId.
MLF_API std::vector<CallMemory> call_memory(const graph::Topology& topology);

/// The peak of all writable memory: pools, heap, stack and the graph executor's storages together,
/// as on one board. Memory of other devices does not count.
struct RamPeak {
  std::optional<graph::CallId> call{};   ///< the first call with it; empty if no call has it
  Count bytes;                           ///< in use then
  Count used;                            ///< the bytes they take at their present offsets
  std::vector<std::string> uncertain{};  ///< why these are not exact, one sentence each
};
MLF_API RamPeak ram_peak(const graph::Topology& topology);

}  // namespace mlf::analysis
