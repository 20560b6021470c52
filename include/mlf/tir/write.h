// Writes modules: tir-N.json, with its constants beside it, tvm.ir.save_json, TVMScript and C.
//
//     std::string text;
//     const auto written = mlf::tir::write_tvmscript(
//         document, {}, [&](std::string_view bytes) { text += bytes; });
//
// Threads: functions have no shared state; a Sink is called from the thread that writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/tir/document.h"

namespace mlf::tir {

/// Where tir-N.json keeps the data of constants.
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

/// Writes `document` as tir-N.json (schemas/tir.md) and says which files belong beside it.
///
/// Errors: `invalid_input` where the module is not an IRModule, where a field that TVM always has
/// is undefined, where two functions have one name, and where sharing expands beyond the limit.
MLF_API Result<std::vector<ConstantFile>> write_tir_json(const Document& document,
                                                         const JsonOptions& options,
                                                         const Sink& sink);

/// Writes an NDArray that has data as a NumPy file, format version 1.0. Element types that NumPy
/// lacks (bfloat16, the 8-bit floats) are raw bytes of their size (`|V2`, `|V1`); integers of less
/// than 8 bits are int8 or uint8, as they are in memory.
MLF_API Result<void> write_npy(Node constant, const Sink& sink);

/// Writes `document` as the JSON of tvm.ir.save_json, for `tvm.ir.load_json` of the TVM that the
/// document names (the last of its range of versions where it names none).
///
/// Errors: `invalid_input` where the module holds what save_json cannot say: a constant without
/// data, a reference into a metadata section that was left out, lanes that are not a number before
/// v0.16.
MLF_API Result<void> write_save_json(const Document& document, const Sink& sink);

/// An attribute of a function or of the module, or an annotation.
struct OmittedAttribute {
  std::string function;  ///< empty where it is the module's
  std::string name;
};

/// Takes out of `document` the attributes and annotations of which a text without its metadata
/// section left nothing but references, for `write_save_json` and `write_tvmscript`, which refuse
/// such references. What statements and expressions need stays where it is. Says what it took, in
/// the order of functions.
MLF_API std::vector<OmittedAttribute> omit_missing(Document& document);

struct ScriptOptions {
  std::uint64_t max_written_nodes =
      kMaxWrittenNodes;  ///< nodes written out where a DAG is expanded
  /// `none`: since v0.12 a constant is a reference into a metadata section that is not there, as in
  /// TVM's `script(show_meta=False)`; before, it is its dtype and extents. mlf reads such a text,
  /// TVM does not. Else data is in the text.
  ConstantPlace constants = ConstantPlace::inside;
};

/// Writes `document` as TVMScript for the parser of the TVM that the document names (the last of
/// its range of versions), in the old spelling before v0.12. Since then objects that TVMScript has
/// no words for come first, as TVM's `script(show_meta=True)` puts them there.
///
/// What TVM's own text loses is lost: the nesting of sequences, names that are not identifiers,
/// spans, the domain of a loop's thread binding, storage indices of constants, features of targets.
/// Before v0.12 also the attributes of the module, SizeVar, the initial values and the condition of
/// a Reduce, and empty sequences, which become `T.evaluate(0)`.
///
/// Errors: `invalid_input` where the module holds what TVMScript has no words for (producers,
/// unknown nodes, a constant without data, a loop over threads whose thread the source has lost,
/// names of functions that are not identifiers or that two functions have; since v0.12
/// tir.Load and tir.Store; before it objects, constants of which no list of numbers says all,
/// predicates of buffer accesses; without data, the constants of memory pools), and where sharing
/// expands beyond the limit. The message names it.
MLF_API Result<void> write_tvmscript(const Document& document, const ScriptOptions& options,
                                     const Sink& sink);

/// Fails where the parser of the TVM that the document names (the last of its range of versions)
/// could not read the text that `write_tvmscript` makes of it, or would read another module: before
/// v0.12 numbers and types of unusual dtypes, shuffles, reductions, calls of other functions,
/// constants of bool or with infinities; in all versions auto-broadcast buffers without strides.
///
/// Errors: `invalid_input`. The message names the construct, the function, the version and the
/// first one that can.
MLF_API Result<void> require_parsable(const Document& document);

/// Prints a module as the C that TVM's `c` target generates for it: one file with its functions and
/// constants, and the pools of the memory planner at the end. The forms are those of the version
/// that the document names (the last one of its range, where they leave a choice). How a function
/// takes its arguments follows from the calls of it; one without a call is packed.
///
/// Written is what `read` can make of such a file: flat buffers, serial loops from zero, scalars,
/// operators that the generator has a word for. The result is what the generator prints, token for
/// token: host passes are redone (packed calls, workspaces, prologues, floor divisions). Options of
/// the generator that the IR does not have are at their default: a call of CMSIS-NN that fails sets
/// no message.
///
/// Errors: `invalid_input` where the module holds anything else ("Block cannot be printed as C"),
/// where a constant has no data, and where sharing expands to more than `max_written_nodes` nodes,
/// which is found out before anything is written.
MLF_API Result<void> write_c(const Document& document, const Sink& sink,
                             std::uint64_t max_written_nodes = kMaxWrittenNodes);

}  // namespace mlf::tir
