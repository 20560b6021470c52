// One typed view of an archive's `metadata.json`, whichever version of the format it has, and the
// parameters of a model: `parameters/<module>.params`, TVM's named list of arrays. A Param is a
// view of the bytes that it was read from; everything else owns its content.
//
//     const auto library = mlf::read_model_library(metadata_json, {});
//     if (!library) return fail(library.error());
//     for (const mlf::Module& module : library->modules) print(module.name);
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/target.h"

namespace mlf {

/// A member of the archive, named without the leading "./".
struct FileRef {
  std::string name;
  std::uint64_t size = 0;  ///< bytes

  friend bool operator==(const FileRef&, const FileRef&) = default;
};

enum class Style : std::uint8_t {
  full_model,     ///< a network with its executor
  operator_only,  ///< bare functions from `tvm.build`: no network, no executor
};

enum class Executor : std::uint8_t { aot, graph };

/// "full-model" or "operator".
MLF_API std::string_view to_string(Style style);
/// "aot" or "graph".
MLF_API std::string_view to_string(Executor executor);

/// A target of a module. Up to version 5 metadata keys targets by device type, later it lists them.
struct ModuleTarget {
  Target target;
  std::int32_t device_type_key = 0;  ///< DLDeviceType; 0 if metadata does not state it
};

/// Something outside the archive that the generated code links to (TVM v0.9+).
struct ExternalDependency {
  std::string short_name;    ///< "tvm_standalone_crt"
  std::string url;           ///< "./runtime"
  std::string url_type;      ///< "mlf_path"
  std::string version_spec;  ///< of TVM: "0.9.0"
};

/// One entry of the graph executor's storage table. In places TVM computes sizes and bindings with
/// the wrong index: trust the graph instead.
struct StorageId {
  std::int64_t storage_id = 0;
  std::uint64_t size_bytes = 0;
  std::optional<std::string> input_binding;
};

struct DeviceWorkspace {
  std::int32_t device = 0;  ///< DLDeviceType
  std::uint64_t workspace_size_bytes = 0;
};

/// Workspace of one kernel. TVM lists kernels in hash order and leaves out those without TIR; in
/// v0.8 those are here without any workspace.
struct FunctionWorkspace {
  std::string function_name;  ///< mangled: "tvmgen_default_fused_add"
  std::vector<DeviceWorkspace> workspace;
};

/// An input or output tensor. `name` is Relay's, unsanitised ("conv:0").
struct IoTensor {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::string dtype;  ///< TVM's spelling
};

/// Memory of the main function on one device type. Where several targets have the same device type,
/// TVM keeps only the figures of the last.
struct MainMemory {
  std::int32_t device = 0;                 ///< DLDeviceType
  std::uint64_t workspace_size_bytes = 0;  ///< own plan + largest kernel workspace
  std::optional<std::uint64_t> constants_size_bytes;
  std::optional<std::uint64_t> io_size_bytes;  ///< all inputs and outputs
  /// TVM v0.11.1+; absent before and on devices without inputs and outputs. The file is sorted by
  /// name: the order here is NOT the order of the parameters.
  std::optional<std::vector<IoTensor>> inputs;
  std::optional<std::vector<IoTensor>> outputs;
};

/// A buffer of a function in an operator archive, in the order of its buffer map.
struct OperatorBuffer {
  std::uint64_t size_bytes = 0;
  std::vector<std::int64_t> shape;  ///< TVM v0.9–v0.10: flattened to one dimension
  std::string dtype;
  std::optional<std::string> input_binding;  ///< always null from TVM v0.12 on
};

struct OperatorFunction {
  std::string name;
  std::vector<OperatorBuffer> buffers;
};

/// The memory that metadata declares. Style and executor decide which parts are present.
struct ModuleMemory {
  std::vector<StorageId> storage_ids;                 ///< graph executor
  std::vector<FunctionWorkspace> operator_functions;  ///< full model, version 2+
  std::vector<MainMemory> main;                       ///< full model, version 2+
  std::vector<OperatorFunction> operators;            ///< operator style
};

/// Members that belong to one module.
struct ModuleFiles {
  std::vector<FileRef> sources;       ///< codegen/host/src, by TVM's number
  std::vector<FileRef> objects;       ///< codegen/host/lib, by TVM's number
  std::vector<FileRef> headers;       ///< codegen/host/include
  std::optional<FileRef> parameters;  ///< parameters/<m>.params, for `read_params`
  std::optional<FileRef> relay;  ///< relay.txt, src/relay.txt (version 4–6), src/<m>.relay (7)
  std::optional<FileRef> graph;  ///< the graph executor's JSON
};

/// Captured TIR of a build.
struct CapturedTir {
  std::string stem;                     ///< "tir-4", "tir-4.codegen"
  std::optional<std::size_t> target{};  ///< an index into Module::targets
};

struct Module {
  std::string name;  ///< key in `modules` (version 7), else `model_name`; may be empty: operators
  std::optional<std::string> model_name;       ///< null in nameless operator archives
  std::optional<std::string> export_datetime;  ///< local time although it ends in Z
  Style style = Style::full_model;             ///< stated from version 4 on
  std::vector<Executor> executors;             ///< empty in operator style; `runtimes` up to 4
  std::vector<ModuleTarget> targets;
  std::vector<ExternalDependency> external_dependencies;
  ModuleMemory memory;
  ModuleFiles files;
  std::vector<CapturedTir> captures;    ///< of a build
  std::vector<std::string> parameters;  ///< of a build: names of parameters in `files.graph`
};

/// Members that belong to no module in particular.
struct SharedFiles {
  std::vector<FileRef> tir;        ///< src/tir-*.txt
  std::vector<FileRef> runtime;    ///< runtime/**, the C runtime (TVM v0.9+)
  std::vector<FileRef> templates;  ///< templates/** (TVM v0.12+)
  std::vector<FileRef> other;      ///< everything else except metadata.json
};

struct ModelLibrary {
  /// 1–7; TVM v0.8 writes 5, v0.9–v0.18 write 7. 0: the archive has no metadata.json, and this
  /// information comes from its other files.
  std::int32_t version = 0;
  std::vector<Module> modules;  ///< at least one; several only from version 7 on
  SharedFiles shared;
  /// A directory of captured TIR with a build.json, which states modules, executors and targets.
  bool is_build = false;

  bool has_metadata() const noexcept { return version != 0; }
  /// Whether a file states the modules. Otherwise they follow from the names of other files.
  bool states_modules() const noexcept { return has_metadata() || is_build; }
};

struct MetadataOptions {
  std::size_t max_nesting = 64;  ///< arrays and objects around one value
};

/// Reads the text of `metadata.json`, and assigns each of `members` (regular files, names without
/// "./") to its module.
///
/// A file belongs to the module whose name is in its own, where TVM puts it (`<m>_lib<N>.c`,
/// `tvmgen_<m>.h`, `<m>.params`, …). A file below codegen/host with another form of name belongs to
/// the module with the longest name that its own begins with, or to the only module.
///
/// Errors: `invalid_input` in member "metadata.json" with line, column and, if the syntax is right,
/// the JSON pointer: missing keys, wrong types, sizes that are negative, fractional or beyond 63
/// bits, duplicate keys, unknown versions, styles and executors, targets that do not parse.
MLF_API Result<ModelLibrary> read_model_library(std::string_view metadata,
                                                std::span<const FileRef> members,
                                                const MetadataOptions& options = {});

/// Element type of a parameter, as DLPack's DLDataType stores it.
struct ParamType {
  std::uint8_t code = 0;  ///< 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 5 complex, …
  std::uint8_t bits = 0;  ///< of one lane
  std::uint16_t lanes = 1;

  friend bool operator==(const ParamType&, const ParamType&) = default;
};

/// TVM's spelling: "int8", "float32x4", "bool" (uint, 1 bit); "code7_8" for a code without a name.
MLF_API std::string to_string(ParamType type);

struct Param {
  std::string name;
  ParamType type;
  std::vector<std::int64_t> shape;  ///< empty: one element
  std::int32_t device_type = 1;     ///< DLDeviceType, always written as 1 (CPU)
  std::int32_t device_id = 0;
  /// Little-endian, C order, (bits+7)/8 bytes per element (lanes are not counted); a view into the
  /// bytes that were read.
  std::span<const std::byte> data;
  std::size_t offset = 0;  ///< of `data` in those bytes
};

/// Reads a whole parameter file (the same in TVM v0.8–v0.18). Order as written, which is TVM's hash
/// order. AOT archives from v0.9 on usually have no entry at all.
///
/// Errors: `invalid_input`; each names `member` and the byte offset of the field that is wrong:
/// truncation, magic numbers, counts that disagree, negative or overflowing shapes, a data size
/// that does not follow from type and shape, a name given twice, bytes after the last array.
MLF_API Result<std::vector<Param>> read_params(std::span<const std::byte> bytes,
                                               std::string_view member);

}  // namespace mlf
