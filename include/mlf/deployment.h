// One archive with everything mlf knows about it joined: its metadata, the TIR in it, and which TIR
// belongs to which module and target.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/archive.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/model_library.h"
#include "mlf/tir/c.h"
#include "mlf/tir/document.h"

namespace mlf {

namespace deployment {
class ConstantLibrary;
}

/// TIR in a file beside the archive, such as a sidecar of `tvmc compile --dump-code tir`.
struct TirFile {
  std::string path;
  std::string text;

  /// The path's last part.
  MLF_API std::string_view name() const noexcept;
};

/// Reads a whole file; "-" is standard input. Errors: `io`.
MLF_API Result<TirFile> load_tir_file(const std::string& path);

/// Several, in their order; stops at the first that cannot be read.
MLF_API Result<std::vector<TirFile>> load_tir_files(std::span<const std::string> paths);

/// What an archive has beside a text of TIR that may lack constants, see `read_tir`.
struct ConstantSources {
  std::vector<tir::Input> save_json;            ///< TIR that was captured without loss
  std::vector<tir::CSources> c;                 ///< generated C, of each module and target
  std::vector<tir::Input> params;               ///< parameters/<module>.params
  std::vector<const archive::Member*> members;  ///< all that these come from
  /// The constants in these files, shared by all texts of an archive: parsed for the first one that
  /// lacks a constant, under the limits it is read with, and kept. Several threads may read texts
  /// that share it.
  std::shared_ptr<deployment::ConstantLibrary> library{};
};

/// A TIR that an archive holds. Where it holds the same TIR twice, as text (`src/tir-1.txt`) and
/// as its lossless twin (`src/tir-1.tvm.json`, written by `tvm.ir.save_json`), the twin counts and
/// the text is not read. Generated C is a TIR as well, and its files are read together.
struct TirSource {
  std::string stem;   ///< "tir-1", "tir-1-cmsis-nn", "tir-1.unplanned"; its JSON is src/<stem>.json
  std::string stage;  ///< "lowered" unless the stem names another: what follows its first dot
  std::string name;   ///< the member that is read ("src/tir-1.txt"), or the name of a file beside
  std::string path;   ///< the archive's path, or that of the file
  std::string_view text;            ///< its bytes; they live as long as the archive or the TirFile
  const archive::Member* member{};  ///< null for a file beside the archive
  /// Of generated C, where this is the file with functions of one target: the files of its module
  /// that are read as one TIR.
  std::optional<tir::CSources> c{};
  std::vector<const archive::Member*> c_members{};  ///< those of `c.files`
  ConstantSources constants{};  ///< of a text that allocates constants; else empty
};

/// The TIR of an archive: members `src/tir-<name>.txt` and `src/tir-<name>.tvm.json`, and `beside`.
/// A file beside the archive whose name is like that counts as if it stood in `src/`; every other
/// gets the next free stem `tir-<device type>`, `tir-<device type>-<kind>`,
/// `tir-<device type>-<kind>-<n>` of the first target in `library`.
///
/// A module that none of these shows has its generated C instead, one TIR a target, under the next
/// free stem of that target and of stage "codegen". A module is shown by TIR that mentions its main
/// (AOT) or one of its functions (graph executor), an operator archive by any TIR. Sorted by stem.
///
/// Errors: `invalid_input` for a stage called "tvm" (its JSON would have the name of a twin),
/// `usage` for a file beside the archive that the archive has already, `io`.
MLF_API Result<std::vector<TirSource>> find_tir(const archive::Archive& archive,
                                                const ModelLibrary& library,
                                                std::span<const TirFile> beside = {});

/// Reads the archive's `metadata.json`. Errors: `invalid_input`, also where there is none.
MLF_API Result<ModelLibrary> read_model_library(const archive::Archive& archive);

/// What a TIR belongs to.
struct Ownership {
  std::vector<std::size_t> modules;  ///< indices into ModelLibrary::modules, ascending
  const Target* target = nullptr;    ///< part of the ModelLibrary; null where none fits
};

/// The module that a function belongs to: the one whose name its symbol carries
/// (`tvmgen_<module>_…`), or the only module there is. An index into ModelLibrary::modules.
MLF_API std::optional<std::size_t> module_of_function(std::string_view symbol,
                                                      const ModelLibrary& library);

/// Joins one TIR with the archive's metadata.
///
/// The target is, among those of its modules, the one of the kind that the functions' `target`
/// attribute names; else the one that the stem names by device type and kind.
MLF_API Ownership owners_of(const tir::Module& module, std::string_view stem,
                            const ModelLibrary& library);

/// Reads one TIR and names its target.
///
/// The data of constants that its text cuts or leaves out is taken from `source.constants` where
/// exactly one there has the name, dtype, number of elements and first elements that the text
/// shows; `recovered` of the document says from where. Any other stays a loss. Errors:
/// `invalid_input` with member, line and column.
MLF_API Result<tir::Document> read_tir(const TirSource& source, const ModelLibrary& library,
                                       const tir::ReadLimits& limits = {});

}  // namespace mlf
