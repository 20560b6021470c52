// The contents of an archive for `mlf inspect`: modules, memory, TIR, functions, members; what
// metadata.json claims about memory; and contradictions.
//
//     const mlf::Inspection inspection = mlf::inspect(deployment);
//     print(mlf::to_json(deployment, inspection, mlf::JsonLayout::pretty));
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

#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/topology.h"
#include "mlf/model_library.h"

namespace mlf {

/// Statements of an archive about a module that cannot all be true. The numbers of such a module
/// may be wrong: every command that shows them shows the contradiction too.
struct Contradiction {
  /// Of a check of the network with severity `error` (mlf/graph/checks.def), or
  /// "metadata-too-small", "c-invalid" or "missing-main".
  std::string code;
  std::string detail;  ///< one sentence

  friend bool operator==(const Contradiction&, const Contradiction&) = default;
};

/// The numbers that `memory.functions.main` of metadata.json has.
enum class ClaimKind : std::uint8_t { inputs_and_outputs, constants, workspace };

/// "inputs-and-outputs", …
MLF_API std::string_view to_string(ClaimKind kind);

/// Why TVM states another number than the network needs.
enum class ClaimReason : std::uint8_t {
#define MLF_CLAIM_REASON(name, code, sentence) name,
#include "mlf/claim_reasons.def"
#undef MLF_CLAIM_REASON
};

/// "every-value", …
MLF_API std::string_view to_string(ClaimReason reason);

/// One of these numbers, for all devices together, and the same number computed from the network.
struct MemoryClaim {
  ClaimKind kind{};
  std::uint64_t claimed = 0;
  graph::ByteCount found;
  /// Why TVM states another number, if repeating TVM's calculation gives exactly the claimed
  /// number. Empty if no reason is known, or if the numbers agree.
  std::optional<ClaimReason> reason_code{};
  std::string reason{};  ///< the same as a sentence; empty if there is none

  /// Whether both can be true.
  MLF_API bool agrees() const;
};

/// Returns the claims about one module in the order of ClaimKind, without those that its metadata
/// does not make. `topology` is the module's network.
MLF_API std::vector<MemoryClaim> memory_claims(const Module& module,
                                               const graph::Topology& topology);

/// The same for a module whose network is unknown.
MLF_API std::vector<MemoryClaim> memory_claims(const Module& module);

/// A function of a TIR module.
struct FunctionFacts {
  std::string name;
  std::string symbol;  ///< global_symbol, or the name where it has none
  std::string module;  ///< of the model library; empty if none fits
  std::size_t parameters = 0;
};

/// One TIR source. Either it was read, or `failure` says why not.
struct TirFacts {
  TirSource source;
  tir::Source origin{};
  std::optional<Target> target{};
  std::vector<std::string> modules{};
  std::vector<FunctionFacts> functions{};
  std::vector<tir::Loss> losses{};
  std::string json_member{};  ///< the src/tir-N.json of this source, if the archive has one
  std::optional<Diagnostic> failure{};
};

/// How generated C takes tensors (`--executor-aot-interface-api` of TVM).
enum class CInterface : std::uint8_t {
  c,       ///< structs of pointers
  packed,  ///< an array of TVMValue
};

/// "c" or "packed".
MLF_API std::string_view to_string(CInterface interface);

/// A struct that an entry point takes. All its fields are pointers.
struct CStruct {
  std::string name;
  std::vector<std::string> fields;
};

/// The function that runs a module with the AOT executor.
struct EntryPoint {
  std::string function;   ///< "tvmgen_default_run"
  std::string prototype;  ///< with its parameters, in one line
  CInterface interface {};
  std::string member;  ///< the header that declares it, else the C that defines it
  /// Fields of the structs of the header, in the order of main's parameters. Empty without a
  /// header.
  std::vector<std::string> inputs{};
  std::vector<std::string> outputs{};
  std::vector<CStruct> structs{};  ///< of the header, in the order of the parameters
};

/// The results of reading everything in an archive, in addition to the Deployment.
struct Inspection {
  std::vector<std::optional<EntryPoint>> entry_points;  ///< by module; nothing if none is found
  std::vector<TirFacts> tir;
  Networks networks;                             ///< none if `networks_failure` says why
  std::optional<Diagnostic> networks_failure{};  ///< a TIR or a graph that does not read

  /// Returns the network of a module, by its index in ModelLibrary::modules, or null.
  MLF_API const graph::Topology* network_of(std::size_t module) const;
};

/// Returns the kinds of a module's targets, each once: those of metadata.json, which lacks external
/// compilers, and those of kernels. `network` may be null.
MLF_API std::vector<std::string> target_kinds(const Module& module, const graph::Topology* network);

/// Reads everything in an archive. TIR that cannot be read becomes a `failure`, and the rest is
/// read.
MLF_API Inspection inspect(const Deployment& deployment);

/// Returns the text of `mlf inspect --json` (schemas/inspect.schema.json).
MLF_API std::string to_json(const Deployment& deployment, const Inspection& inspection,
                            const DocumentForm& form);

}  // namespace mlf
