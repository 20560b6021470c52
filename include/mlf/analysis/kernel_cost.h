// What one execution of a kernel costs: multiply-accumulates, other arithmetic, memory traffic, and
// where in its loops.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/analysis/count.h"
#include "mlf/export.h"
#include "mlf/tir/kind.h"
#include "mlf/tir/module.h"

namespace mlf::analysis {

/// Classes of arithmetic on data. Multiply-accumulates are counted apart from these.
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

/// How often one class of arithmetic is done on elements of one type. A vector of n lanes counts n.
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
  unknown,    ///< its address goes to a function whose body is not known, or nothing touches it
};
MLF_API std::string_view to_string(BufferRole role);

/// Memory that a kernel reads or writes. Taking an address is not an access.
struct BufferCost {
  std::string name;  ///< of the parameter, or of the variable that holds the memory
  BufferRole role = BufferRole::unknown;
  /// Position in `PrimFunc.params`, or among the packed arguments once MakePackedAPI ran.
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

/// A function that a kernel calls and that is not part of it.
struct ExternCall {
  std::string symbol;
  Count count;
};

/// Numbers are of one execution. Where `max` is nothing the number is unknown, and `min` is what is
/// certain of it; `uncertain` has the reasons of everything that is not exact.
struct KernelCost {
  /// Multiply-accumulates: products of two different values, both read from memory, that are added
  /// to the very element that the sum is stored to. Those of functions that TVM is known to call
  /// are among them.
  Count mac;
  std::vector<OperationCount> operations;  ///< arithmetic on data without `mac`
  /// Integer arithmetic of addresses, of loop bounds and of conditions that read no memory, and
  /// among it divisions and remainders. Counting a loop variable up is not among it.
  Count index_operations;
  Count index_divisions;
  std::vector<ExternCall> extern_calls;  ///< in the order of the code
  std::vector<BufferCost> buffers;       ///< parameters in their order, then memory of its own
  std::vector<LoopCost> loops;           ///< in the order of the code: outer before inner
  Count loaded;                          ///< bytes of all buffers
  Count stored;                          ///< bytes of all buffers
  std::vector<std::string> uncertain;    ///< one sentence for each reason
  /// What of the code is not understood, one sentence each; these are among `uncertain`. Where
  /// there is any, nothing has an upper bound.
  std::vector<std::string> gaps{};
};

/// Counts what one execution of a PrimFunc does. Loops of static bounds are exact, and so are
/// conditions on loop variables as long as the iterations they distinguish are at most about a
/// million; conditions on data count from never to always; bounds that depend on data, `while` and
/// functions whose body is not known make a number unknown. A kernel of CMSIS-NN loads and stores
/// what its arguments say that it needs at least once. `if_then_else`, `&&` and `||` evaluate
/// what they need, Select both of its values. Expressions that are shared count as often as they
/// are evaluated. Time and memory grow with the number of nodes.
MLF_API KernelCost kernel_cost(tir::Node prim_func);

}  // namespace mlf::analysis
