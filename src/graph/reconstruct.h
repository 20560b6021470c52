// Reconstructs the network from the TIR of the AOT executor's main function. Threads: functions
// have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"

namespace mlf::graph {

class DocumentCode;

/// One TIR of an archive. All inputs of one call must be of one stage of one build.
struct TirInput {
  MLF_API TirInput(const tir::Document* document, std::string stem);
  TirInput(std::shared_ptr<const DocumentCode> code, std::string stem);

  const tir::Document* document;
  std::string stem;                          ///< "tir-1"
  std::shared_ptr<const DocumentCode> code;  ///< of `document`
  /// Symbols of its functions that another input has in their place; null: none.
  const std::set<std::string, std::less<>>* without = nullptr;
};

/// An input or output as the archive's metadata or C header names it.
struct NamedTensor {
  std::string name{};  ///< Relay's, unsanitised: "conv:0"
  std::optional<std::uint64_t> bytes{};
  TensorType type{};  ///< as far as it is stated
};

/// A constant in a pool, whose data the attribute `pool_args` has.
struct PoolConstant {
  std::string pool;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Facts about one module from other members of the archive. Any of them may be missing.
struct ModuleFacts {
  std::string module{};  ///< "default"
  /// In any order: their sanitised names match main's parameters. nullopt if metadata does not list
  /// them (TVM before v0.11).
  std::optional<std::vector<NamedTensor>> inputs{};
  /// Likewise, unless they are TVM's own names: `output`, or `output0`, `output1`, … count the
  /// outputs in the order of main's parameters, which TVM calls `output`, `output2`, `output3`, ….
  std::optional<std::vector<NamedTensor>> outputs{};
  /// The sanitised names of inputs and outputs in the C header's structs, in the order of main's
  /// parameters; empty if there is no header (packed interface), or the order is not known.
  std::vector<std::string> input_fields{};
  std::vector<std::string> output_fields{};
  bool has_other_fields = false;  ///< the structs have members that are not read
  /// Whether the lists have all fields.
  bool knows_fields() const { return !output_fields.empty() && !has_other_fields; }
  /// Tensors whose types other sources state, such as the signature of Relay's main. Matched by
  /// sanitised name; may contain more tensors than main. They apply if main's TIR states no type.
  std::vector<NamedTensor> declared{};
  bool declares_all = false;  ///< all parameters of Relay's main
  /// Those of the outputs, in the order of main's parameters; empty if any is not stated.
  std::vector<TensorType> declared_outputs{};
  /// Bytes of inputs and outputs by the macros of the C header, with sanitised names.
  std::vector<NamedTensor> header_sizes{};
  /// Parameters outside of the code, which main of v0.8 looks up by name.
  std::vector<NamedTensor> parameters{};
  /// As the C declares them, which TIR cannot overrule; `parameter` is not looked at. Without
  /// bytes: the size is not known.
  std::vector<Pool> pools{};
  std::vector<tir::OtherMemory> other_memory{};  ///< of the C, beside these
  /// Of main in the C, if it has pools.
  std::optional<std::vector<PoolConstant>> pool_constants{};
  bool is_main_reached = true;  ///< false: the entry point certainly does not call main
  /// What the entry point passes for main's parameters, in words with blanks between them: empty
  /// for a field of a struct, which the application fills. Shorter where its call is not read. For
  /// a packed main, the values in its array.
  std::vector<std::string> passed{};
  bool is_packed = false;
  std::vector<std::string> passed_fields{};  ///< for each of `passed`; empty for other arguments
  /// Bytes of workspace that TVM counted for the module: that of metadata.json, else of the header.
  std::optional<std::uint64_t> workspace_bytes{};
  std::optional<std::uint64_t> header_workspace{};  ///< that of the header
  /// Bytes of inputs and outputs that TVM counted, and of more values in some versions.
  std::optional<std::uint64_t> io_bytes{};
  /// The user's sizes of pools that the archive does not declare.
  std::vector<PoolSize> pool_sizes{};
};

/// The pools of the attribute `pool_args` of a function that has their names and sizes.
std::vector<Pool> declared_pools(tir::Node function);
/// The constants in these pools that have data.
std::vector<PoolConstant> pool_constants(tir::Node function);

/// The facts about the module of a main with this symbol; null if there are none. An empty function
/// has none for any module.
using FactsOfMain = std::function<const ModuleFacts*(std::string_view symbol)>;

/// Topologies of all mains in `sources`, in the order of their symbols; none if there is no
/// main: an operator archive has no network.
/// A main is a PrimFunc with the attribute `runner_function`, or one called `__tvm_main__` (v0.9+)
/// or `run_model` (v0.8). Callees are looked up by `global_symbol` and name in all of `sources`.
/// Every form that TVM gives main is read: unpacked, C-packed and packed calls, with bare pointers,
/// with tvm_stack_make_array and after LowerTVMBuiltin; storage before planning, after
/// StorageRewrite and after USMP. Any other form becomes a check in the topology, never an error.
///
/// Throws `invalid_input` if a main has more statements than any network needs.
std::vector<Topology> reconstruct(std::span<const TirInput> sources,
                                  const FactsOfMain& facts_of = nullptr);

}  // namespace mlf::graph
