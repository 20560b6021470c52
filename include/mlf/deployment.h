// Opens an archive with everything that mlf knows about it: metadata, TIR, the module and target of
// each TIR, and the networks. include/mlf/README.md has an example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/archive.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/formats.h"
#include "mlf/graph/topology.h"
#include "mlf/model_library.h"
#include "mlf/tir/document.h"

namespace mlf {

namespace tir {
struct CSources;
}
namespace deployment {
struct Agreement;
}
namespace graph {
class DocumentCode;
}

/// The network of one module.
struct Network {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  graph::Topology topology;
};

/// Why a module has no network.
enum class NoNetwork : std::uint8_t {
  operators,  ///< an operator archive: bare functions
  no_tir,     ///< no TIR, no generated C and no graph: its code is in objects
  no_graph,   ///< the graph executor, without its graph
  no_main,    ///< there is TIR, but not of the module's main
};

/// One sentence about the module, without its name.
MLF_API std::string_view to_string(NoNetwork reason);

struct MissingNetwork {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  NoNetwork reason{};
};

/// Each module is in exactly one of the two lists. Both are in the order of the modules.
struct Networks {
  std::vector<Network> found;
  std::vector<MissingNetwork> missing;

  /// The network of a module; null if there is none.
  MLF_API const graph::Topology* of(std::size_t module) const noexcept;
  /// Why a module has no network; null if it has one.
  MLF_API const MissingNetwork* missing_of(std::size_t module) const noexcept;
};

/// TIR in a file beside the archive, such as a sidecar of `tvmc compile --dump-code tir`.
struct TirFile {
  std::string path;
  std::string text;

  /// The path's last part.
  MLF_API std::string_view name() const noexcept;
};

/// Reads a whole file, or a stream to its end; "-" is standard input. Errors: `io`; `invalid_input`
/// if there are more than `max_bytes`; reading stops there.
MLF_API Result<TirFile> load_tir_file(const std::string& path,
                                      std::uint64_t max_bytes = tir::ReadLimits{}.max_source_bytes);

/// As `load_tir_file`, for input that may be an archive: its first bytes decide which limit
/// applies.
MLF_API Result<TirFile> load_tir_or_archive(const std::string& path, std::uint64_t max_tir_bytes,
                                            std::uint64_t max_archive_bytes);

/// Reads several files in this order. Stops at the first that cannot be read.
MLF_API Result<std::vector<TirFile>> load_tir_files(
    std::span<const std::string> paths,
    std::uint64_t max_bytes = tir::ReadLimits{}.max_source_bytes);

/// A TIR module of an archive. If the archive has the same TIR twice, as text (`src/tir-1.txt`) and
/// as its lossless twin (`src/tir-1.tvm.json`, written by `tvm.ir.save_json`), mlf reads the twin
/// and not the text. Generated C is a source too; mlf reads all its files as one.
struct TirSource {
  std::string stem;   ///< "tir-1", "tir-1-cmsis-nn", "tir-1.unplanned"; its JSON is src/<stem>.json
  std::string stage;  ///< "lowered" unless the stem names another: what follows its first dot
  std::string name;   ///< the member that is read ("src/tir-1.txt"), or the name of a file beside
  std::string path;   ///< the archive's path, or that of the file
  std::string_view text;            ///< its bytes; they live as long as the Deployment
  const archive::Member* member{};  ///< null for a file beside the archive
  /// If `member` is a lossless twin: the text of the same TIR, if the archive has it.
  const archive::Member* twin_of{};
  /// For generated C, where `member` is the file with the functions of one target: the files that
  /// are read as one TIR. Null for every other source.
  std::shared_ptr<const tir::CSources> c{};
  std::vector<const archive::Member*> c_members{};  ///< the files of its module that `c` is made of
  /// Whether the text allocates constants. Texts truncate or omit their data;
  /// `Deployment::document` takes it from other members.
  bool allocates_constants = false;
};

/// The modules and the target of a TIR.
struct TirOwners {
  std::vector<std::size_t> modules;  ///< indices into ModelLibrary::modules, ascending
  const Target* target = nullptr;    ///< part of the ModelLibrary; null if none fits
};

struct DeploymentOptions {
  /// TIR files beside the archive. A file with the name of a TIR member is treated as if it were in
  /// `src/`; any other file gets the next free stem `tir-<device type>`, `tir-<device
  /// type>-<kind>`, `tir-<device type>-<kind>-<n>` of the archive's first target.
  std::vector<TirFile> tir_files{};
  archive::Limits archive_limits{};
  tir::ReadLimits tir_limits{};
  /// Sizes of pools, of all modules, that the application allocates and that no member declares.
  std::vector<graph::PoolSize> pool_sizes{};
  tir::MacroValues macros{};  ///< decide conditions of the preprocessor in C
};

/// One archive and everything that mlf knows about it.
///
/// Slow work happens once, at the first call that needs it: reading a TIR, collecting the constants
/// that texts lack, reading generated C. Pointers, references and views that it returns live as
/// long as the Deployment, even if it is moved.
///
/// Threads: all const functions may be called from several threads at once.
class MLF_API Deployment {
 public:
  /// Opens the archive at `path`: a tar, an unpacked directory, or "-" for standard input.
  ///
  /// Errors: those of `archive::Archive::open`; `invalid_input` for missing or malformed metadata
  /// and for a TIR stage called "tvm" (its JSON would have the name of a lossless twin); `usage` if
  /// the archive already has a TIR file that is given beside it; `io`. Does not read TIR yet.
  static Result<Deployment> open(const std::string& path, DeploymentOptions options = {});

  /// The same for an archive that is already open, possibly for update.
  static Result<Deployment> open(archive::Archive archive, DeploymentOptions options = {});

  Deployment(Deployment&& other) noexcept;
  Deployment& operator=(Deployment&& other) noexcept;
  ~Deployment();

  const archive::Archive& archive() const noexcept;
  const ModelLibrary& library() const noexcept;

  /// The TIR of the archive, sorted by stem: members `src/tir-<name>.txt` and
  /// `src/tir-<name>.tvm.json`, and the files beside it.
  ///
  /// A module without TIR among these has its generated C instead: one source for each target, with
  /// the next free stem of that target and the stage "codegen". A module has TIR if a source
  /// mentions its main (AOT) or one of its functions (graph executor); an operator archive has it
  /// if there is any source.
  const std::vector<TirSource>& tir_sources() const noexcept;

  /// Returns the source with this stem ("tir-1") or member name ("src/tir-1.txt"), or null. Finds
  /// the C that decides once `agreement` or `networks` was called.
  const TirSource* find_tir(std::string_view name) const noexcept;

  /// Returns a TIR. Reads it at the first call and keeps it.
  ///
  /// If the text truncates or omits the data of a constant, mlf takes it from captured save_json,
  /// generated C or parameters, if exactly one constant there has the name, dtype, number of
  /// elements and first elements that the text shows. `recovered` of the document names the source.
  /// Otherwise the data stays a loss.
  ///
  /// `source` is an element of `tir_sources()` or `generated_c()`. Errors: `invalid_input` with
  /// member, line and column.
  Result<std::shared_ptr<const tir::Document>> document(const TirSource& source) const;

  /// The functions of a TIR, each read once (src/graph/kernels/document_code.h; for mlf's own
  /// programs). Keeps the document alive. Errors: those of `document`.
  Result<std::shared_ptr<const graph::DocumentCode>> code(const TirSource& source) const;

  /// Reads the TIR again, into a document that the caller owns and may change.
  Result<tir::Document> read_tir(const TirSource& source) const;

  /// Returns the errors of sources of constants that could not be read. These sources are read when
  /// a document lacks data. Constants that only such a source contains stay a loss.
  std::vector<Diagnostic> unread_constants() const;

  /// Releases the documents that were read so far, to bound memory between stages. A document that
  /// a caller holds stays alive; a later call reads the TIR again.
  void release_documents();

  /// Returns the modules and the target that a TIR belongs to. The target is the one among those of
  /// its modules whose kind the functions' `target` attribute names; otherwise the one whose device
  /// type and kind the stem names. Reads the TIR. Errors: those of `document`.
  Result<TirOwners> owners_of(const TirSource& source) const;

  /// Returns the module that a function belongs to: the module whose name is in its symbol
  /// (`tvmgen_<module>_…`), or the only module. An index into ModelLibrary::modules.
  std::optional<std::size_t> module_of_function(std::string_view symbol) const;

  /// Returns the generated C of one module as TIR, one source for each target, even if the archive
  /// has a better source. Errors: `io`.
  Result<std::span<const TirSource>> generated_c(std::size_t module) const;

  /// Compares captured TIR of the stage "lowered" with the generated C of its module and target,
  /// function by function (src/deployment/agreement.h; for mlf's own programs). A function of C
  /// that was not read completely, or differs, decides: networks and costs come from it and not
  /// from the capture. Errors: those of `document` for captured TIR.
  Result<const deployment::Agreement*> agreement() const;

  /// Returns the networks of all modules, from the TIR of their AOT main or from the graph
  /// executor's JSON. Prefers the stage "lowered" to other stages. Reads all TIR, and generated C,
  /// which decides where the two are not equal (`agreement`).
  ///
  /// Errors: `invalid_input` for TIR or another member that cannot be read; `usage` if
  /// `DeploymentOptions::pool_sizes` names a pool that no network has, or a pool whose declared
  /// size differs.
  Result<Networks> networks() const;

  /// The pool sizes of the options.
  const std::vector<graph::PoolSize>& pool_sizes() const noexcept;
  /// The macros of the options.
  const tir::MacroValues& macros() const noexcept;

  /// Returns the members, besides metadata and TIR, that the networks depend on: C headers, Relay
  /// text, graphs of the graph executor, and parameters if these graphs need their names. In the
  /// order of the archive.
  std::vector<const archive::Member*> network_members() const;

  /// Returns the file that states the modules, the members that the documents of `tir_sources`
  /// depend on (their own, and those that may contain their constants), and `network_members`. Each
  /// once, in the order in which mlf searches them. TIR beside the archive counts for none. Errors:
  /// `io`.
  Result<std::vector<const archive::Member*>> members_read() const;

  /// Returns the TIR beside the archive: last names, as paths depend on the caller.
  std::vector<FileDigest> files_read() const;

  /// Returns digests of the archive, if it is a file, and of `members_read` and `files_read`.
  /// Errors: `io`.
  Result<ArchiveOrigin> origin() const;

 private:
  struct State;
  explicit Deployment(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace mlf
