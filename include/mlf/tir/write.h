// Writes modules: tir-N.json, with its constants beside it, tvm.ir.save_json, TVMScript and C.
//
//     std::string text;
//     const auto written = mlf::tir::write_tvmscript(
//         document, {}, [&](std::string_view bytes) { text += bytes; });
//
// Threads: functions have no shared state; a Sink is called from the thread that writes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/tir/document.h"

namespace mlf::tir {

/// The place of the data of constants in tir-N.json.
enum class ConstantPlace : std::uint8_t {
  inside,  ///< in the JSON, as base64
  npy,     ///< in NumPy files beside it, from `npy_threshold` bytes on; smaller ones inside
  none,    ///< nowhere: dtype, shape and digest only
};

struct JsonOptions {
  JsonLayout layout = JsonLayout::compact;
  ConstantPlace constants = ConstantPlace::inside;
  std::uint64_t npy_threshold = 0;          ///< bytes of data
  std::string npy_directory = "constants";  ///< what goes before "/<name>.npy" in the JSON
  std::uint64_t max_written_nodes =
      kMaxWrittenNodes;  ///< nodes written out where a DAG is expanded
};

/// A NumPy file that the JSON refers to; `write_npy` makes its content.
struct ConstantFile {
  std::string path;  ///< as in the JSON: "<npy_directory>/<id>.npy"
  NodeId constant;   ///< the NDArray
};

/// Writes `document` as tir-N.json (schemas/tir.md). Returns the NumPy files that belong beside it.
///
/// Errors: `invalid_input` if the module is not an IRModule, if a field that TVM always sets is
/// undefined, if two functions have one name, or if expanded sharing exceeds the limit.
MLF_API Result<std::vector<ConstantFile>> write_tir_json(const Document& document,
                                                         const JsonOptions& options,
                                                         const Sink& sink);

/// Writes an NDArray that has data as a NumPy file, format version 1.0. Element types that NumPy
/// lacks (bfloat16, the 8-bit floats) are raw bytes of their size (`|V2`, `|V1`); integers of less
/// than 8 bits are int8 or uint8, as in memory.
MLF_API Result<void> write_npy(Node constant, const Sink& sink);

/// Writes `document` as the JSON of tvm.ir.save_json, for `tvm.ir.load_json` of the TVM that the
/// document names (the last of its range of versions where it names none).
///
/// Errors: `invalid_input` if the module has something that save_json cannot express: a constant
/// without data, a reference into a missing metadata section, before v0.16 lanes that are not a
/// number.
MLF_API Result<void> write_save_json(const Document& document, const Sink& sink);

/// An attribute of a function or of the module, or an annotation.
struct OmittedAttribute {
  std::string function;  ///< empty if it is the module's
  std::string name;
};

/// Removes from `document` the attributes and annotations that `dialect` cannot express, which
/// `write_save_json` and `write_tvmscript` reject: references into a missing metadata section, and for
/// TVMScript before v0.12, by the version of the document, objects such as AllocatedPoolInfo, which
/// TVM's printer rejects as well. Keeps references that statements and expressions need. Returns what
/// it removed, in the order of functions.
MLF_API std::vector<OmittedAttribute> omit_missing(Document& document,
                                                   Dialect dialect = Dialect::save_json);

struct ScriptOptions {
  std::uint64_t max_written_nodes =
      kMaxWrittenNodes;  ///< nodes written out where a DAG is expanded
  /// `none`: since v0.12 a constant is a reference into a missing metadata section, as in TVM's
  /// `script(show_meta=False)`; before, it is its dtype and extents. mlf reads such a text, TVM
  /// does not. Otherwise the text contains the data.
  ConstantPlace constants = ConstantPlace::inside;
};

/// Writes `document` as TVMScript for the parser of the TVM that the document names (the last of
/// its range of versions), in the old syntax before v0.12. Since v0.12 objects that TVMScript
/// cannot express come first, in a metadata section as in TVM's `script(show_meta=True)`.
///
/// Loses what TVM's own text loses: the nesting of sequences, names that are not identifiers,
/// spans, the domain of a loop's thread binding, storage indices of constants, features of targets.
/// Before v0.12 also the attributes of the module, SizeVar, the initial values and the condition of
/// a Reduce, and empty sequences, which become `T.evaluate(0)`.
///
/// Errors: `invalid_input` if expanded sharing exceeds the limit, or if the module has something
/// that TVMScript cannot express; the message names it. In all versions: producers, unknown nodes,
/// a constant without data, a loop over threads whose thread the source lost, names of functions
/// that are not identifiers or not unique. Since v0.12: tir.Load and tir.Store. Before v0.12:
/// objects, constants that a list of numbers cannot express, predicates of buffer accesses, and,
/// without data, the constants of memory pools.
MLF_API Result<void> write_tvmscript(const Document& document, const ScriptOptions& options,
                                     const Sink& sink);

/// One function as TVMScript for people.
struct FunctionScript {
  std::string text;  ///< without indentation of the whole
  /// The line, counted from 1, on which each statement and each buffer of a block begins.
  std::map<NodeId, std::uint32_t> lines{};
};

/// Writes one function of `document` like `write_tvmscript`, without the header and the metadata
/// section: objects and the data of constants are references into it.
MLF_API Result<FunctionScript> write_function(const Document& document,
                                              const NamedFunction& function);

/// Fails if the parser of the TVM that the document names (the last of its range of versions)
/// cannot read the output of `write_tvmscript`, or reads another module from it. Such constructs
/// are, before v0.12, numbers and types of unusual dtypes, shuffles, reductions, calls of other
/// functions, and constants of bool or with infinities; in all versions auto-broadcast buffers
/// without strides.
///
/// Errors: `invalid_input`. The message names the construct, the function, the version, and the
/// first version that supports the construct.
MLF_API Result<void> require_parsable(const Document& document);

/// Prints a module as the C that TVM's `c` target generates for it: one file with its functions and
/// constants, and the pools of the memory planner at the end. Follows the version that the document
/// names (the last one of its range). The calling convention of a function follows from the calls
/// of it; a function without calls is packed.
///
/// Supports what `read` makes of such a file: flat buffers, serial loops from zero, scalars, and
/// operators that the generator supports. The result equals the generator's output, token for
/// token: the writer repeats the host passes (packed calls, workspaces, prologues, floor
/// divisions). Options of the generator that the IR does not have are at their default: a call of
/// CMSIS-NN that fails sets no message.
///
/// Errors: `invalid_input` if the module has anything else ("Block cannot be printed as C"), if a
/// constant has no data, or if expanded sharing exceeds `max_written_nodes` nodes. The writer
/// checks this before it writes anything.
MLF_API Result<void> write_c(const Document& document, const Sink& sink,
                             std::uint64_t max_written_nodes = kMaxWrittenNodes);

}  // namespace mlf::tir
