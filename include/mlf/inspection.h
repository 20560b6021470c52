// What is in an archive: modules, memory, TIR, functions, members; what metadata.json claims of its
// memory, and what it says that cannot all be true. `mlf inspect` shows it.
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

/// What an archive says about a module and cannot all be true. Numbers of such a module are worth
/// no more than the statements that they follow from: every command that shows them shows this too.
struct Contradiction {
  /// Of a check of the network with severity `error` (mlf/graph/checks.def), or
  /// "metadata-too-small" or "c-invalid".
  std::string code;
  std::string detail;  ///< one sentence

  friend bool operator==(const Contradiction&, const Contradiction&) = default;
};

/// The numbers that `memory.functions.main` of metadata.json has.
enum class ClaimKind : std::uint8_t { inputs_and_outputs, constants, workspace };

/// "inputs-and-outputs", …
MLF_API std::string_view to_string(ClaimKind kind);

/// What TVM does, by which it comes to another number.
enum class ClaimReason : std::uint8_t {
#define MLF_CLAIM_REASON(name, code, sentence) name,
#include "mlf/claim_reasons.def"
#undef MLF_CLAIM_REASON
};

/// "every-value", …
MLF_API std::string_view to_string(ClaimReason reason);

/// One of these numbers, of all devices together, and the same number worked out from the network.
struct MemoryClaim {
  ClaimKind kind{};
  std::uint64_t claimed = 0;
  graph::ByteCount found;
  /// Why TVM comes to another number: only where what TVM does, done again, gives just the number
  /// that is claimed. Nothing where that is not known, and where they agree.
  std::optional<ClaimReason> reason_code{};
  std::string reason{};  ///< the same as a sentence; empty where there is none

  /// Whether both can be true.
  MLF_API bool agrees() const;
};

/// The claims about one module in the order of ClaimKind; those that its metadata does not make are
/// left out. `topology` is the module's network.
MLF_API std::vector<MemoryClaim> memory_claims(const Module& module,
                                               const graph::Topology& topology);

/// The same where nothing is known of the network.
MLF_API std::vector<MemoryClaim> memory_claims(const Module& module);

/// A function of a TIR module.
struct FunctionFacts {
  std::string name;
  std::string symbol;  ///< global_symbol, or the name where it has none
  std::string module;  ///< of the model library; empty where none fits
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

/// How a program runs a module that the AOT executor runs.
struct EntryPoint {
  std::string function;  ///< "tvmgen_default_run"
  CInterface interface {};
  std::string member;  ///< the header that declares it, else the C that defines it
  /// Fields of the structs of the header, in the order of main's parameters. Empty without a
  /// header.
  std::vector<std::string> inputs{};
  std::vector<std::string> outputs{};
};

/// What reading everything in an archive came to, beside what the Deployment itself knows.
struct Inspection {
  std::vector<std::optional<EntryPoint>> entry_points;  ///< by module; nothing where none is found
  std::vector<TirFacts> tir;
  Networks networks;                             ///< none where `networks_failure` says why
  std::optional<Diagnostic> networks_failure{};  ///< a TIR or a graph that does not read

  /// The network of a module, by its index in ModelLibrary::modules; null where it has none.
  MLF_API const graph::Topology* network_of(std::size_t module) const;
};

/// TIR that does not read is a `failure`, so that all others are shown.
MLF_API Inspection inspect(const Deployment& deployment);

/// The text of `mlf inspect --json` (schemas/inspect.schema.json).
MLF_API std::string to_json(const Deployment& deployment, const Inspection& inspection,
                            JsonLayout layout);

}  // namespace mlf
