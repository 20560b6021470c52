// What an application needs to run the modules of an archive: functions to call, tensors, memory to
// provide, functions and headers that the archive does not have, and what keeps state. `mlf inspect
// --integration` prints it.
//
//     const auto list = mlf::integration_of(deployment);
//     if (list) print(mlf::to_json(deployment, *list, mlf::JsonLayout::pretty));
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/report.h"

namespace mlf {

/// How an application runs a module.
enum class ModuleInterface : std::uint8_t {
  c,          ///< one function that takes structs of pointers
  packed,     ///< one function that takes an array of TVMValue
  graph,      ///< TVM's graph executor calls the functions in the order of the graph
  operators,  ///< the functions themselves
};

/// "c", "packed", "graph" or "operators".
MLF_API std::string_view to_string(ModuleInterface interface);

/// An input, an output, or an argument of an operator.
struct IntegrationTensor {
  std::string name;
  std::string field{};  ///< of the struct that has its address, or empty
  graph::TensorType type{};
  analysis::Count bytes = analysis::Count::unknown();  ///< at least: what calls certainly access
  std::uint64_t alignment = 0;                 ///< of its address, in bytes: more than enough
  std::optional<Quantization> quantization{};  ///< if Relay's text states it
  std::string direction{};  ///< of an operator's argument: "input", "output"; not in documents
};

/// A function that the application calls.
struct IntegrationFunction {
  std::string symbol;
  std::string prototype{};  ///< in one line; empty: the archive has none
  std::string member{};     ///< that declares or defines it; empty: an object file
  std::vector<IntegrationTensor> arguments{};  ///< of an operator
};

enum class MemoryUseKind : std::uint8_t {
  workspace_pool,
  constant_pool,
  heap,     ///< that TVMBackendAllocWorkspace gives, with the rounding of TVM's allocator
  storage,  ///< of the graph executor
  stack,    ///< of one run
};

/// "workspace-pool", …
MLF_API std::string_view to_string(MemoryUseKind kind);

struct IntegrationMemory {
  std::string name;  ///< of a pool, which is the field of its struct, or of a storage; or empty
  MemoryUseKind kind{};
  bool is_in_archive = false;  ///< the C defines it; otherwise, the application has to
  analysis::Count bytes;
  std::uint64_t alignment = 0;
  std::string section{};  ///< where the C puts it, or empty
  std::string data{};     ///< macro of the header with the content, or empty
  std::string missing{};  ///< why `bytes` are not exact, if it is known; not in documents
};

/// A function, a variable or a header that the archive does not define.
struct ExternalName {
  std::string name;
  std::string origin;  ///< "libm", "c-library", "compiler", "tvm", "cmsis", "ethos-u" or "unknown"
  bool is_variable = false;
};

/// Memory that has values between two runs, or that two runs at one time share.
struct KeptState {
  std::string name;
  analysis::Count bytes;
  std::string why;  ///< one sentence
};

/// A loop of a function. `cost.iterations` are those of one execution of the function. Of a loop
/// that only the text shows, extent and iterations are unknown, and its keyword is the variable.
struct IntegrationLoop {
  std::string function;
  std::string member{};                 ///< of its C; empty: the archive has none
  std::optional<std::uint32_t> line{};  ///< in the member
  analysis::LoopCost cost{};
};

struct ModuleIntegration {
  std::string name;
  std::optional<ModuleInterface> interface {};
  std::vector<IntegrationFunction> functions{};  ///< to call
  std::vector<CStruct> structs{};  ///< that the function takes, in the order of its parameters
  /// Elements that the function reads of the list of type codes: TVM's own pools have some, too.
  std::size_t type_codes = 0;  ///< 0 unless the interface is packed
  std::vector<IntegrationTensor> inputs{};
  std::vector<IntegrationTensor> outputs{};
  /// Inputs and outputs to which the C header gives another size than calls access; one sentence
  /// each.
  std::vector<std::string> other_sizes{};
  std::vector<IntegrationMemory> memory{};
  /// In alphabetical order. Those that the object files lack if a compiler is given and compiles
  /// all, otherwise those that the C names, and macros of other headers.
  std::vector<ExternalName> external{};
  bool is_linked = false;  ///< whether `external` is what object files lack
  /// In alphabetical order. Functions of the C, and all that object files define, of which a
  /// program can have one.
  std::vector<std::string> defined{};
  std::vector<ExternalName> headers{};             ///< to be on the include path
  std::vector<std::string> include_directories{};  ///< of the archive
  std::vector<std::string> definitions{};          ///< names that the C uses and no file defines
  std::vector<std::string> flags{};                ///< of the compiler, by the targets
  std::vector<std::string> contents{};  ///< members whose bytes the graph executor is given
  std::vector<KeptState> state{};
  std::vector<IntegrationLoop> loops{};  ///< function by function, outer before inner
};

struct Integration {
  Report report;                           ///< that the numbers come from
  std::vector<ModuleIntegration> modules;  ///< in the order of the report's
};

/// Errors: those of `report_of`.
MLF_API Result<Integration> integration_of(const Deployment& deployment,
                                           const ReportOptions& options = {});

/// Returns the text of `mlf inspect --integration --json` (schemas/integration.schema.json).
MLF_API std::string to_json(const Deployment& deployment, const Integration& integration,
                            const DocumentForm& form);

}  // namespace mlf
