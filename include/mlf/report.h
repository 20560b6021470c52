// What a network costs and why: memory, constants and arithmetic of every module, call by call,
// with the lines of TIR and C that each kernel became. `mlf report` prints it, `mlf table` prints
// it as rows for spreadsheets. A Report owns its content, and shares the documents of its kernels.
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
#include <set>
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

/// What a profile states about one call, or about all of them. Unknown without a profile.
struct CallTimes {
  analysis::Count instructions = analysis::Count::unknown();
  analysis::Count cycles = analysis::Count::unknown();
  analysis::Count nanoseconds = analysis::Count::unknown();
};

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

/// Whether only a profile has the number.
MLF_API bool is_of_profile(CallMeasure measure);

/// Returns the measure of all these calls together.
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

/// Returns "lib0.c:12-40", without the directory, which is the same for all generated C; "-" for
/// none.
MLF_API std::string lines_text(const std::optional<CodeLines>& lines);

/// A kernel: a function that main calls; without a main, any function.
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

/// Returns the first name of a layer. TFLite joins the names of the operators that it fuses; the
/// first one is the name in the model.
inline std::string_view first_layer(std::string_view layer) {
  return layer.substr(0, layer.find(';'));
}

/// The real value of a quantized integer is scale * (integer - zero_point).
struct Quantization {
  double scale = 0;
  std::int64_t zero_point = 0;
  friend bool operator==(const Quantization&, const Quantization&) = default;
};

/// The layer of the model whose result a call writes.
struct CallLayer {
  std::string name{};                          ///< as the model has it; empty: not known
  std::optional<Quantization> quantization{};  ///< of its result
};

/// One execution of a kernel.
struct CallReport {
  graph::CallId call{};
  std::size_t kernel = 0;            ///< index into ModuleReport::kernels
  std::string layer{};               ///< name of its layer in the model; empty: not known
  std::optional<CodeLines> relay{};  ///< the operator of that layer in Relay's text
  /// Multiply-accumulates that its operator in Relay's text needs; nothing: not known.
  std::optional<std::uint64_t> relay_macs{};
  CallLayer result{};          ///< as Relay's text states it, where `relay` is known
  graph::TensorType output{};  ///< of the first tensor that it writes
  CallNumbers numbers{};       ///< measures.def

  const analysis::Count& operator[](CallMeasure measure) const {
    return numbers[static_cast<std::size_t>(measure)];
  }
};

/// A quotient of two numbers of which one may have bounds.
struct Ratio {
  double min = 0;
  std::optional<double> max{};  ///< nothing: there is no upper bound

  /// For percent.
  friend Ratio operator*(const Ratio& ratio, double factor) {
    return {ratio.min * factor, ratio.max ? std::optional(*ratio.max * factor) : std::nullopt};
  }
  friend bool operator==(const Ratio&, const Ratio&) = default;
};
/// Returns "6.7", "6.5..7.1" or ">=6.5", with one digit behind the point.
MLF_API std::string to_string(const Ratio& ratio);

/// Where times come from, and those of one run.
struct TimesReport {
  std::string origin{};  ///< one sentence: what counted or measured them
  CallTimes total{};     ///< of all calls
  /// Whether nanoseconds follow from assumed cycles per instruction.
  bool are_assumed = false;
};

/// RAM that the network needs, in bytes, as in a linker map: on the CPU, or if it has no memory
/// there, on the first of its devices.
struct RamReport {
  analysis::Count pools;     ///< workspace pools, as they are declared
  analysis::Count io;        ///< inputs and outputs of the network outside of pools and storages
  analysis::Count executor;  ///< storages of the graph executor
  analysis::Count heap;      ///< most that TVMBackendAllocWorkspace has given at one time
  analysis::Count stack;     ///< most that workspaces take at one time that are arrays of kernels
  /// Arrays on the stack in which a main with packed calls, and an entry point that is called so,
  /// pass arguments.
  analysis::Count arguments;

  /// Returns the sum: RAM beside the program's own memory. Of stack frames it includes only these
  /// arrays.
  MLF_API analysis::Count total() const;
};

/// Memory on another device than RamReport is about, in bytes. Its kinds are those of RamReport.
struct DeviceReport {
  graph::Device device = 0;
  analysis::Count io;
  analysis::Count executor;
  analysis::Count heap;
  analysis::Count stack;
  std::vector<std::string> uncertain{};  ///< why they are not exact, one sentence each
};

/// Flash that the network needs, in bytes, without code: see ModuleReport::code.
struct FlashReport {
  analysis::Count constants;  ///< of main and kernels
  analysis::Count copies;     ///< copies of constants, such as the strings of get_c_metadata
  /// What no object has: the parameters of the graph executor, at most with its graph and the rest
  /// of their file.
  analysis::Count beside_code{};
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
/// Errors: `usage`; the message lists all codes.
MLF_API Result<CostFindingCode> finding_named(std::string_view code);

/// An avoidable cost or a defect, with its evidence.
struct CostFinding {
  CostFindingCode code{};
  std::string where;      ///< symbol of the kernel, or name of the constant
  analysis::Count bytes;  ///< bytes that could be saved at most; unknown for other kinds of cost
  std::string evidence;   ///< one sentence with the names and numbers in it
  /// The part, 0 to 1, that the kernel has of what all calls take, if the kind of finding costs
  /// time: the most that it could cost. Nothing without a profile.
  std::optional<Ratio> share{};
};

/// Why there may be findings of a code that the report does not show.
struct UnsearchedFinding {
  CostFindingCode code{};
  std::string why;  ///< one sentence
};

/// Where the data of constants is that the documents of kernels lack.
struct ConstantSources {
  std::shared_ptr<const tir::Document> main{};   ///< has the constants of main; null: not known
  std::shared_ptr<const tir::Document> pools{};  ///< main lists them; null: no pool has constants
  std::shared_ptr<const std::string> file{};     ///< of parameters, for the graph executor
  std::vector<Param> parameters{};               ///< in `file`
  std::string member{};                          ///< the name of that file, or of C with pools
  std::map<std::string, CodeLines, std::less<>> c{};  ///< in generated C, by name

  /// Returns the parameter with the name of a value; null if there is none.
  MLF_API const Param* parameter_of(const graph::Value& value) const;
};

struct ModuleReport {
  std::string name;
  std::optional<std::string> exported{};  ///< when, as metadata.json has it
  std::vector<std::string> targets{};     ///< see `target_kinds`
  std::optional<NoNetwork> no_network{};  ///< why there are no calls
  std::optional<graph::Topology> network{};
  std::set<std::string, std::less<>> own_pools{};  ///< workspaces that its C defines: not shared
  /// Functions and variables of which a program can have one, by the text of C that no compiler has
  /// compiled.
  std::set<std::string, std::less<>> defined{};
  std::vector<KernelReport> kernels{};  ///< in the order of their first calls
  std::vector<CallReport> calls{};      ///< in execution order
  ConstantSources constants{};
  analysis::Count mac;  ///< of all calls
  /// Where a compiler was given, or where the archive has object files and no C.
  std::optional<CompiledCode> code{};
  std::optional<ObjectCode> objects{};  ///< where the archive has object files
  std::optional<TimesReport> times{};   ///< where a profile was given (mlf/profile.h)
  RamReport ram;
  std::vector<DeviceReport> devices{};  ///< of other memory than `ram`
  FlashReport flash;
  analysis::RamPeak peak;
  /// The least memory of the kinds in `peak` that this order of calls needs, wherever tensors are.
  analysis::Count lower_bound;
  std::vector<CostFinding> findings{};  ///< in the order of findings.def
  std::vector<UnsearchedFinding> unsearched{};
  std::uint64_t saved_by_optimize = 0;  ///< bytes of constants (mlf/optimize.h)
  /// Why numbers are not exact, one sentence each.
  std::vector<std::string> uncertain{};
  /// Statements of the archive about the module that cannot all be true.
  std::vector<Contradiction> contradictions{};

  /// The times of all calls; unknown without a profile.
  CallTimes call_times() const { return times ? times->total : CallTimes(); }
};

struct Report {
  std::vector<ModuleReport> modules;  ///< in the order of the archive's modules
};

struct ReportOptions {
  std::optional<Compiler> compiler{};  ///< compiles the C of every module that has any
  bool searches_findings = true;       ///< a third of the time of a report
};

/// Reads all TIR and all generated C of the archive.
///
/// Errors: `invalid_input` for TIR or another member that cannot be read; those of
/// `compile_module`; `io`.
MLF_API Result<Report> report_of(const Deployment& deployment, const ReportOptions& options = {});

/// The number that a profile has counted or measured: instructions, else cycles, else nanoseconds.
MLF_API CallMeasure counted_measure(const ModuleReport& module);

/// Returns the part, 0 to 1, that these calls of the module have of what all its calls take. Bounds
/// are those of any run: the calls at their least with the others at their most, and the reverse.
/// Nothing without a profile.
MLF_API std::optional<Ratio> share_of(const ModuleReport& module,
                                      std::span<const graph::CallId> calls);

/// Returns the bytes that a kernel loads and stores for each multiply-accumulate: the kernels with
/// the most wait for memory. Nothing unless its multiply-accumulates are an exact number above 0.
MLF_API std::optional<Ratio> bytes_per_mac(const analysis::KernelCost& cost);

/// Returns what the call takes for each multiply-accumulate, in the unit of `counted_measure`.
/// Nothing without a profile, and unless its multiply-accumulates are an exact number above 0.
MLF_API std::optional<Ratio> per_mac(const ModuleReport& module, const CallReport& call);

/// `bytes` of `code`: files that were not compiled may have more.
MLF_API analysis::Count compiled_bytes(const CompiledCode& code, std::uint64_t bytes);

/// Returns the stack of one run in bytes, as the compiler reports frames. The minimum is the frame
/// of main plus the largest frame of a kernel. The maximum adds the frames of all functions that
/// are not kernels. There is no maximum if the C calls functions outside of the archive, if a
/// function may call itself, or if a frame has no bound. Unknown without a compiler.
///
/// `library` is the most that functions outside of the archive take, if known.
MLF_API analysis::Count stack_frames(const ModuleReport& module,
                                     std::optional<std::uint64_t> library = {});

/// "scratch 56192 + input 16000 + output 16000": the tensors at the peak, summed up by role. Empty
/// without a peak.
MLF_API std::string parts_of_peak(const ModuleReport& module);

/// A contradiction and its module.
struct ModuleContradiction {
  std::string module;
  Contradiction what;
};

/// Returns the contradictions of all modules.
MLF_API std::vector<ModuleContradiction> contradictions_of(const Report& report);

/// Writes a report as JSON (schemas/report.schema.json).
MLF_API Result<void> write_report_json(const Report& report, const DocumentForm& form,
                                       const Sink& sink);

/// Returns a measure of one execution of the kernel. A measure that depends on main is unknown.
MLF_API analysis::Count number_of(const KernelReport& kernel, CallMeasure measure);

/// Writes a number of every call as node data of Model Explorer, which colours the graph of
/// `graph::write_model_explorer_json` by it. Leaves out a call whose number is not exact: the
/// format has no bounds.
MLF_API Result<void> write_node_data(const Report& report, CallMeasure measure, JsonLayout layout,
                                     const Sink& sink);

/// Returns a number of a module, of one of its devices; nothing if devices do not have it.
MLF_API std::optional<analysis::Count> number_of(const DeviceReport& device,
                                                 const ModuleMeasureInfo& measure);

/// What a row is about.
enum class RowKind : std::uint8_t {
  archive,   ///< one module of an archive, and what it needs
  call,      ///< one execution of a kernel
  tensor,    ///< one value of a network, or a workspace of a kernel
  constant,  ///< one constant of a kernel or of main
  finding,   ///< an avoidable cost or a defect
  device,    ///< the memory of a module on another device than its RAM
};

struct RowKindInfo {
  RowKind kind;
  std::string_view name;
  std::string_view meaning;  ///< "a call of a network"
};
MLF_API std::span<const RowKindInfo> row_kinds();

/// The type of the cells of a column that are not empty.
enum class CellType : std::uint8_t { number, text };

/// A column of the rows of one kind. Columns are only ever added, at the end.
struct RowColumn {
  std::string_view name;
  std::string_view meaning;  ///< with the unit; empty where the name says all
  CellType type = CellType::number;
};

/// Returns the columns. A number that may be a bound has two, `…_min` and `…_max`; an unknown
/// maximum is an empty cell.
MLF_API std::span<const RowColumn> columns_of(RowKind kind);

/// Empty, a number or a text.
using Cell = std::variant<std::monostate, std::uint64_t, std::string>;

/// Returns the rows, in the order of modules, then of the network. A row has one cell for each
/// element of `columns_of`.
MLF_API std::vector<std::vector<Cell>> rows_of(const Report& report, RowKind kind);

/// Returns one line of CSV (RFC 4180) with its line break. An empty cell is an empty field. A text
/// that a spreadsheet would run as a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a
/// carriage return and is no number, gets an apostrophe in front.
MLF_API std::string csv_line(std::span<const Cell> cells);
/// Returns one JSON object with a line break; an empty cell is null. There must be as many names as
/// cells.
MLF_API std::string json_line(std::span<const std::string> names, std::span<const Cell> cells);

}  // namespace mlf
