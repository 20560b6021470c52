// Reads TIR: a module together with where it came from (dialect, version of TVM) and what its
// source had already lost. A Document owns all that it says.
//
//     const auto document = mlf::tir::read({.file = "tir-1.txt", .text = text});
//     if (!document) return fail(document.error());
//     for (const mlf::tir::Loss& loss : document->losses) print(info(loss.code).meaning);
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/tir/module.h"

namespace mlf::tir {

/// Macros that the compiler's command line states (`-DNAME=VALUE`, `-UNAME`), by name; nullopt for
/// one that is not defined.
using MacroValues = std::map<std::string, std::optional<std::string>, std::less<>>;

/// Minor versions (the x of 0.x) of the releases that mlf knows, oldest first.
inline constexpr std::uint8_t kTvmReleases[] = {
#define MLF_TVM_RELEASE(minor) minor,
#include "mlf/tir/tvm_versions.def"
};
inline constexpr std::uint8_t kOldestTvm = *std::begin(kTvmReleases);
inline constexpr std::uint8_t kNewestTvm = *std::rbegin(kTvmReleases);

/// `until` of features that the newest TVM still has; larger than every release, also future ones.
inline constexpr std::uint8_t kStillThere = UINT8_MAX;

/// TVM minor versions (the x of 0.x) that a text may come from, both ends included.
struct VersionRange {
  std::uint8_t first = kOldestTvm;
  std::uint8_t last = kNewestTvm;
  std::string exact;  ///< the full version where the source names it, such as "0.16.dev0"
  friend bool operator==(const VersionRange&, const VersionRange&) = default;
};

/// Parses a version of TVM: "0.16", "0.16.1", "0.16.dev0", "0.16.1rc0", the last three with or
/// without a build ("0.16.dev0+g1234abc"). Returns nullopt for other texts, and for versions that
/// mlf does not know.
MLF_API std::optional<VersionRange> tvm_version_named(std::string_view text);

/// The ways in which TVM (and mlf) write TIR.
enum class Dialect : std::uint8_t {
  save_json,      ///< tvm.ir.save_json, all versions
  tvmscript,      ///< new TVMScript, v0.12 to v0.18
  legacy_text,    ///< `primfn` text, v0.8 to v0.11
  tir_json,       ///< mlf's own tir-N.json
  old_tvmscript,  ///< TVMScript of v0.8 to v0.11
  c,              ///< what TVM's C code generator prints, v0.8 to v0.18
};

MLF_API std::string_view to_string(Dialect dialect);
MLF_API std::optional<Dialect> dialect_named(std::string_view name);

enum class LossCode : std::uint8_t {
#define MLF_LOSS(name, code, severity, subject, fields, meaning) name,
#include "mlf/tir/losses.def"
#undef MLF_LOSS
};

/// How far to trust the values that a document has instead of lost ones.
enum class LossSeverity : std::uint8_t {
  semantic,     ///< missing or possibly wrong: the program may compute something else
  approximate,  ///< inferred from TVM's rules or from the context, and possibly wrong
  cosmetic,     ///< no code depends on it: names, order, spelling, places
};
MLF_API std::string_view to_string(LossSeverity severity);

/// What the name of a place of a loss refers to.
enum class LossSubject : std::uint8_t {
  nothing,    ///< it has no names
  object,     ///< a reference into metadata as the text spells it; a kind, or a field of one
  function,   ///< a function of the module
  constant,   ///< a constant, by the name of its variable
  callee,     ///< an operator or function that is called
  buffer,     ///< a buffer
  intrinsic,  ///< an intrinsic of LLVM
  producer,   ///< a producer
  literal,    ///< a number as the text spells it
  type_key,   ///< a class of TVM by its type key, or an attribute of one behind a dot
  field,      ///< `Kind.field`
  construct,  ///< the beginning of text outside of the grammar
};
/// Null for `nothing`.
MLF_API std::optional<std::string_view> to_string(LossSubject subject);

struct LossInfo {
  LossCode loss;
  std::string_view code;  ///< as in `losses`
  LossSeverity severity;
  LossSubject subject;
  std::string_view fields;   ///< `Kind.field`, `Kind` or `*`, with blanks between them (losses.def)
  std::string_view meaning;  ///< one sentence
};
MLF_API const LossInfo& info(LossCode loss);
MLF_API std::optional<LossCode> loss_named(std::string_view code);

/// The part of the module that a loss is about.
enum class LossScope : std::uint8_t {
  everywhere,  ///< the module, its functions and their contents
  module,      ///< fields of the module itself: its attributes, which functions it has
  function,    ///< one function
};
MLF_API std::string_view to_string(LossScope scope);

/// One fact that the source does not state.
struct Loss {
  LossCode code;
  LossScope scope;
  std::string where;      ///< the function's name; empty for other scopes
  std::string name;       ///< name of the subject of its code; empty if it has none
  std::size_t count = 1;  ///< how often
  friend bool operator==(const Loss&, const Loss&) = default;
};

/// Where a module was read from.
struct Source {
  std::string member;  ///< archive member or file name
  Dialect dialect = Dialect::save_json;
  std::string stage;  ///< the compiler stage; "lowered" unless the capture states another
  VersionRange tvm_version;
  std::string sha256;  ///< of the source's bytes, lower-case hex
  friend bool operator==(const Source&, const Source&) = default;
};

/// A constant whose data the source truncates or omits, and mlf found elsewhere.
struct Recovered {
  NodeId constant;     ///< the NDArray
  std::string source;  ///< where its data is, such as an archive member
  friend bool operator==(const Recovered&, const Recovered&) = default;
};

/// A constant without data in a source that omits it on purpose (`--constants none`, or a missing
/// NumPy file). Its digest is known, so this is no loss.
struct LeftOut {
  NodeId constant;     ///< the NDArray
  std::string sha256;  ///< of its data, lower-case hex
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

/// Where generated C defines a function; lines and columns count from 1.
struct CodePlace {
  std::string member;  ///< archive member
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t last_line = 0;  ///< that of its last brace
  friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

/// C that a schedule imported with `pragma_import_c`, in consecutive pieces of the file: each ends
/// with the last brace of a function; the last piece may have no function.
struct ImportedC {
  std::string name;       ///< of the function; empty if the piece has none
  std::string signature;  ///< the text before its body, in one line; empty without a function
  std::string text;       ///< with the preprocessor lines, types and comments before it
  friend bool operator==(const ImportedC&, const ImportedC&) = default;
};

enum class OtherKind : std::uint8_t {
  variable,            ///< beside the pools
  constant,            ///< no code of a function with TIR uses it: compilers may leave it out
  constant_in_kernel,  ///< the same, but it counts as a constant of a function with TIR
  padding,             ///< at the end of a pool of constants
  writable,            ///< a pool of constants that is not `const`
};

/// Memory of generated C that belongs to no function and is no pool.
struct OtherMemory {
  OtherKind kind{};
  std::string name;                      ///< its own, or that of the function or pool
  std::optional<std::uint64_t> bytes{};  ///< nothing: not read
  std::string section{};                 ///< of OtherKind::writable; empty: not stated
};

struct Document {
  Source source;
  std::optional<std::string> target;  ///< target text of the module, if known
  Module module;
  std::vector<Loss> losses;  ///< in the order of their members
  std::vector<Recovered> recovered{};
  std::vector<LeftOut> left_out{};  ///< of tir-N.json alone
  /// Places of the functions in the generated C, by the names of their GlobalVars. Only for
  /// archives and tir-N.json.
  std::map<std::string, CodePlace, std::less<>> c_places{};
  /// Only for generated C and tir-N.json; `write_c` prints it again.
  std::vector<ImportedC> imported_c{};
  std::vector<OtherMemory> other_memory{};  ///< of generated C
};

/// Where a constant is.
enum class ConstantSite : std::uint8_t {
  statement,           ///< AllocateConst
  pool,                ///< ConstantInfo of a pool that the memory planner filled
  function_attribute,  ///< in the lists and maps of a function's attributes
  module_attribute,    ///< in those of the module's attributes
};

/// A constant as its source shows it.
struct ConstantQuery {
  ConstantSite site = ConstantSite::statement;
  /// The function that contains it. For pools and attributes of the module: the last of the
  /// module's functions by name.
  std::string_view function;
  /// The name of its variable as printed, or of the constant in a pool; or its path in the
  /// attributes, such as `constants[2]`.
  std::string_view name;
  std::optional<DType> dtype{};                          ///< if the source states it
  std::optional<std::span<const std::int64_t>> shape{};  ///< the same
  std::span<const std::byte> elements{};  ///< the first ones, little-endian; maybe none
  unsigned digits = 0;  ///< significant digits that `elements` are known to; 0: all of them
  std::optional<std::int64_t> pool_offset{};  ///< bytes from the start of its pool
};

/// A constant that was found, with all of its data.
struct FoundConstant {
  DType dtype;
  std::vector<std::int64_t> shape;  ///< maybe flat, if that is all that is known
  std::span<const std::byte> data;  ///< little-endian; owned by the finder
  std::string source;
  bool is_flat = false;  ///< the source has lost the shape
};

/// Finds a constant. Returns nullopt unless exactly one matches.
using ConstantFinder = std::function<std::optional<FoundConstant>(const ConstantQuery&)>;

/// The default limit on nodes that a writer writes when it expands shared nodes. For a module with
/// a quarter of this number of nodes or more, the limit is four times its nodes.
inline constexpr std::uint64_t kMaxWrittenNodes = 10'000'000;

/// Limits on untrusted TIR. Exceeding a limit is an error of kind invalid_input.
struct ReadLimits {
  std::uint32_t max_nesting = 1'000'000;        ///< brackets, blocks, or nodes below one another
  std::uint32_t max_nodes = 200'000'000;        ///< nodes of one module
  std::uint64_t max_source_bytes = 1ull << 30;  ///< bytes of one source
  std::uint64_t max_written_nodes = kMaxWrittenNodes;  ///< nodes written out when a DAG is expanded
};

/// The text of one module. `read` does not copy the bytes; they must outlive the call.
struct Input {
  std::string file;    ///< archive or file, for messages
  std::string member;  ///< archive member; empty for a bare file
  std::string_view text;
  std::string stage = "lowered";
  ConstantFinder constants{};  ///< finds the constants that the text does not have
  /// Returns the SHA-256 of `text`, for a caller that has it; called after the text was read.
  /// Empty: `read` computes it.
  std::function<std::string()> sha256{};
};

/// Returns the dialect of a text, by its content.
MLF_API std::optional<Dialect> detect(std::string_view text);

/// Reads a module in any dialect that `detect` knows.
MLF_API Result<Document> read(const Input& input, const ReadLimits& limits = {});

}  // namespace mlf::tir
