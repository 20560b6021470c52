// What a network costs and why: memory, constants and arithmetic of every module, call by call,
// with the lines of TIR and C that each kernel became. `mlf report` shows it, and `mlf table` as
// rows for spreadsheets. A Report owns all that it says, and shares the documents of its kernels.
//
//     const auto report = mlf::report_of(deployment);
//     if (!report) return fail(report.error());
//     for (const mlf::ModuleReport& module : report->modules) print(to_string(module.ram.total()));
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mlf/analysis/cost.h"
#include "mlf/compile.h"
#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/inspection.h"

namespace mlf {

struct CallReport;
struct ModuleReport;

/// A number of every call: rows of measures.def.
enum class CallMeasure : std::uint8_t {
#define MLF_CALL_MEASURE(name, column, title, unit, sum, value, words) name,
#include "mlf/measures.def"
};

#define MLF_CALL_MEASURE(name, column, title, unit, sum, value, words) +1
inline constexpr std::size_t kCallMeasures = 0
#include "mlf/measures.def"
    ;

/// The numbers of one call, by CallMeasure.
using CallNumbers = std::array<analysis::Count, kCallMeasures>;

/// How numbers of several calls become one.
enum class MeasureSum : std::uint8_t { added, largest };

struct CallMeasureInfo {
  CallMeasure measure;
  std::string_view name;    ///< key in JSON, column of `mlf table`
  std::string_view column;  ///< of `mlf report`
  std::string_view title;   ///< of a column for people
  std::string_view unit;
  MeasureSum sum;
  std::string_view words;  ///< what it is, with the unit
};
MLF_API std::span<const CallMeasureInfo> call_measures();

/// That of all these calls.
MLF_API analysis::Count total(std::span<const CallReport> calls, CallMeasure measure);

/// Where a number of a module is shown, beside `mlf table`.
enum class MeasurePlaces : std::uint8_t {
  documents,    ///< JSON, text and page
  differences,  ///< `mlf diff`
  everywhere,   ///< both
};

struct ModuleMeasureInfo {
  std::string_view key;     ///< "ram.pools": of JSON and of differences
  std::string_view column;  ///< of `mlf table`, or empty
  std::string_view label;   ///< for people, beside the others of its group
  std::string_view unit;
  MeasurePlaces places;
  analysis::Count (*value)(const ModuleReport& module);
  std::string_view words;  ///< what it is, with the unit

  /// "ram" of "ram.pools"; empty where there is no dot.
  std::string_view group() const {
    return key.substr(0, key.find('.') == key.npos ? 0 : key.find('.'));
  }
  /// "pools" of "ram.pools".
  std::string_view name() const { return key.substr(key.find('.') + 1); }
  bool is_in_documents() const { return places != MeasurePlaces::differences; }
  bool is_compared() const { return places != MeasurePlaces::documents; }
};
MLF_API std::span<const ModuleMeasureInfo> module_measures();

/// Lines of a member of the archive, both included, counted from 1.
struct CodeLines {
  std::string file;  ///< the member, or the name of a file beside the archive
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// "lib0.c:12-40", without the directory, which is the same for all generated C; "-" for none.
MLF_API std::string lines_text(const std::optional<CodeLines>& lines);

/// A kernel: a function that main calls, or any function where there is no main.
struct KernelReport {
  std::string symbol;
  std::string short_name;          ///< without the prefixes that all have; unique in the module
  std::string source;              ///< stem of the TIR that defines it; empty: it has none
  std::string target{};            ///< kind of its target ("c"), or its external compiler; or empty
  std::optional<CodeLines> tir{};  ///< in the text of that TIR, where the dialect has places
  std::optional<CodeLines> c{};    ///< in generated C; nothing in archives of objects
  std::optional<analysis::KernelCost> cost{};       ///< of one execution; nothing without TIR
  std::shared_ptr<const tir::Document> document{};  ///< the TIR that defines it
  tir::NodeId function{};                           ///< the PrimFunc in it
};

/// One execution of a kernel.
struct CallReport {
  graph::CallId call{};
  std::size_t kernel = 0;            ///< index into ModuleReport::kernels
  std::string layer{};               ///< name of its layer in the model; empty: not known
  std::optional<CodeLines> relay{};  ///< the operator of that layer in Relay's text
  graph::TensorType output{};        ///< of the first tensor that it writes
  CallNumbers numbers{};             ///< measures.def

  const analysis::Count& operator[](CallMeasure measure) const {
    return numbers[static_cast<std::size_t>(measure)];
  }
};

/// What has to be in RAM, in bytes, as a linker map and a board see it.
struct RamReport {
  analysis::Count pools;     ///< workspace pools, as they are declared
  analysis::Count io;        ///< inputs and outputs of the network outside of pools and storages
  analysis::Count executor;  ///< storages of the graph executor
  analysis::Count heap;      ///< most that TVMBackendAllocWorkspace has given at one time
  analysis::Count stack;     ///< most that workspaces take at one time that are arrays of kernels
  /// Arrays on the stack in which a main with packed calls hands over their arguments.
  analysis::Count arguments;

  /// Of all of these: what has to be there beside the program's own memory. Of functions' frames
  /// only these arrays count.
  MLF_API analysis::Count total() const;
};

/// What has to be in flash, in bytes. Code is known to compilers only: see ModuleReport::code.
struct FlashReport {
  analysis::Count constants;  ///< of main and kernels
  analysis::Count copies;     ///< the same constants once more, such as those of get_c_metadata
};

enum class CostFindingCode : std::uint8_t {
#define MLF_FINDING(name, code, meaning) name,
#include "mlf/findings.def"
#undef MLF_FINDING
};

struct CostFindingInfo {
  CostFindingCode finding;
  std::string_view code;     ///< as in the JSON
  std::string_view meaning;  ///< one sentence
};
MLF_API std::span<const CostFindingInfo> all_cost_findings();
MLF_API const CostFindingInfo& info(CostFindingCode finding);
/// Errors: `usage`, with all codes that there are.
MLF_API Result<CostFindingCode> finding_named(std::string_view code);

/// Something that costs more than it has to, or does not work, with what shows it.
struct CostFinding {
  CostFindingCode code{};
  std::string where;      ///< symbol of the kernel, or name of the constant
  analysis::Count bytes;  ///< that could be saved at most; unknown where bytes are not the point
  std::string evidence;   ///< one sentence with the names and numbers in it
};

/// Why there may be findings of a code though none is shown.
struct UnsearchedFinding {
  CostFindingCode code{};
  std::string why;  ///< one sentence
};

struct ModuleReport {
  std::string name;
  std::optional<std::string> exported{};  ///< when, as metadata.json has it
  std::vector<std::string> targets{};     ///< their kinds, as metadata.json has them
  std::optional<NoNetwork> no_network{};  ///< why there are no calls
  std::optional<graph::Topology> network{};
  std::vector<KernelReport> kernels{};  ///< in the order of their first calls
  std::vector<CallReport> calls{};      ///< in execution order
  analysis::Count mac;                  ///< of all calls
  std::optional<CompiledCode> code{};   ///< where a compiler was given
  std::optional<ObjectCode> objects{};  ///< where the archive has object files
  RamReport ram;
  FlashReport flash;
  analysis::RamPeak peak;
  /// What calls in this order need of the memory of `peak`, wherever tensors are.
  analysis::Count lower_bound;
  std::vector<CostFinding> findings{};  ///< in the order of findings.def
  std::vector<UnsearchedFinding> unsearched{};
  /// Why numbers are not exact, one sentence each.
  std::vector<std::string> uncertain{};
  /// What the archive says of the module and cannot all be true.
  std::vector<Contradiction> contradictions{};
};

struct Report {
  std::vector<ModuleReport> modules;  ///< in the order of the archive's modules
};

struct ReportOptions {
  std::optional<Compiler> compiler{};  ///< compiles the C of every module that has any
};

/// Reads all TIR and all generated C of the archive.
///
/// Errors: `invalid_input` for TIR or another member that does not read; those of `compile_module`;
/// `io`.
MLF_API Result<Report> report_of(const Deployment& deployment, const ReportOptions& options = {});

/// Bytes that another placement for the same order of calls could save at most.
MLF_API analysis::Count placement_loss(const ModuleReport& module);

/// Bytes of stack that a run takes, by the compiler. At least the frames of main and of the kernel
/// with the largest one. At most these and the frames of all other functions but kernels, as none
/// calls itself; there is no maximum where the C calls what is not in the archive, or where a frame
/// has no bound. Nothing is known without a compiler.
///
/// `library` is what functions outside of the archive take at most, where that is known.
MLF_API analysis::Count stack_frames(const ModuleReport& module,
                                     std::optional<std::uint64_t> library = {});

/// What an archive says of one of its modules and cannot all be true.
struct ModuleContradiction {
  std::string module;
  Contradiction what;
};

/// Those of all modules.
MLF_API std::vector<ModuleContradiction> contradictions_of(const Report& report);

/// Writes a report as JSON (schemas/report.schema.json).
MLF_API Result<void> write_report_json(const Report& report, JsonLayout layout, const Sink& sink);

/// That of one execution of the kernel, as far as it is not of main: all others are unknown.
MLF_API analysis::Count number_of(const KernelReport& kernel, CallMeasure measure);

/// Writes a number of every call as node data of Model Explorer, which colours with it the graph of
/// `graph::write_model_explorer_json`. A call whose number is not exact is left out: there is no
/// way to say so.
MLF_API Result<void> write_node_data(const Report& report, CallMeasure measure, JsonLayout layout,
                                     const Sink& sink);

/// What a row is about.
enum class RowKind : std::uint8_t {
  archive,   ///< one module of an archive, and what it needs
  call,      ///< one execution of a kernel
  tensor,    ///< one value of a network
  constant,  ///< one constant of a kernel or of main
  finding,   ///< something that costs more than it has to
};

/// What is in the cells of a column, where they are not empty.
enum class CellType : std::uint8_t { number, text };

/// A column of the rows of one kind. Columns are only ever added, at the end.
struct RowColumn {
  std::string_view name;
  std::string_view meaning;  ///< with the unit; empty where the name says all
  CellType type = CellType::number;
};

/// Numbers that are not exact are two columns, `…_min` and `…_max`. An unknown maximum is empty.
MLF_API std::span<const RowColumn> columns_of(RowKind kind);

/// Empty, a number or a text.
using Cell = std::variant<std::monostate, std::uint64_t, std::string>;

/// As many cells a row as `columns_of` has columns; in the order of modules, then that of the
/// network.
MLF_API std::vector<std::vector<Cell>> rows_of(const Report& report, RowKind kind);

/// One line of CSV by RFC 4180 with its line break. An empty cell is empty.
MLF_API std::string csv_line(std::span<const Cell> cells);
/// One object of JSON with a line break; an empty cell is null. As many names as cells.
MLF_API std::string json_line(std::span<const std::string> names, std::span<const Cell> cells);

}  // namespace mlf
