// The one way into an archive: `Deployment::open` joins its metadata, the TIR in it, which TIR
// belongs to which module and target, and the networks. See include/mlf/README.md for an example.
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
#include "mlf/graph/topology.h"
#include "mlf/model_library.h"
#include "mlf/tir/document.h"

namespace mlf {

namespace tir {
struct CSources;
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
  no_main,    ///< there is TIR, but not of the module's main
};

/// One sentence about the module, without its name.
MLF_API std::string_view to_string(NoNetwork reason);

struct MissingNetwork {
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  NoNetwork reason{};
};

/// Every module is in one of the two lists; both are in the order of the modules.
struct Networks {
  std::vector<Network> found;
  std::vector<MissingNetwork> missing;
};

/// TIR in a file beside the archive, such as a sidecar of `tvmc compile --dump-code tir`.
struct TirFile {
  std::string path;
  std::string text;

  /// The path's last part.
  MLF_API std::string_view name() const noexcept;
};

/// Reads a whole file, or a stream to its end; "-" is standard input. Errors: `io`; `invalid_input`
/// for more than `max_bytes`, of which no more is read.
MLF_API Result<TirFile> load_tir_file(const std::string& path,
                                      std::uint64_t max_bytes = tir::ReadLimits{}.max_source_bytes);

/// As `load_tir_file`, where an archive may come instead: its first bytes decide which bound holds.
MLF_API Result<TirFile> load_tir_or_archive(const std::string& path, std::uint64_t max_tir_bytes,
                                            std::uint64_t max_archive_bytes);

/// Several, in their order; stops at the first that cannot be read.
MLF_API Result<std::vector<TirFile>> load_tir_files(
    std::span<const std::string> paths,
    std::uint64_t max_bytes = tir::ReadLimits{}.max_source_bytes);

/// A TIR that an archive holds. Where it holds the same TIR twice, as text (`src/tir-1.txt`) and
/// as its lossless twin (`src/tir-1.tvm.json`, written by `tvm.ir.save_json`), the twin counts and
/// the text is not read. Generated C is a TIR as well, and its files are read together.
struct TirSource {
  std::string stem;   ///< "tir-1", "tir-1-cmsis-nn", "tir-1.unplanned"; its JSON is src/<stem>.json
  std::string stage;  ///< "lowered" unless the stem names another: what follows its first dot
  std::string name;   ///< the member that is read ("src/tir-1.txt"), or the name of a file beside
  std::string path;   ///< the archive's path, or that of the file
  std::string_view text;            ///< its bytes; they live as long as the Deployment
  const archive::Member* member{};  ///< null for a file beside the archive
  /// Where `member` is a lossless twin: the text of the same TIR, if the archive has it.
  const archive::Member* twin_of{};
  /// Of generated C, where `member` is the file with functions of one target: what is read as one
  /// TIR. Null for every other source.
  std::shared_ptr<const tir::CSources> c{};
  std::vector<const archive::Member*> c_members{};  ///< the files of its module that `c` is made of
  /// A text that allocates constants. Texts cut or leave out their data; `Deployment::document`
  /// takes it from other members.
  bool allocates_constants = false;
};

/// What a TIR belongs to.
struct TirOwners {
  std::vector<std::size_t> modules;  ///< indices into ModelLibrary::modules, ascending
  const Target* target = nullptr;    ///< part of the ModelLibrary; null where none fits
};

struct DeploymentOptions {
  /// TIR beside the archive. A file whose name is that of a TIR member counts as if it were in
  /// `src/`; every other gets the next free stem `tir-<device type>`, `tir-<device type>-<kind>`,
  /// `tir-<device type>-<kind>-<n>` of the archive's first target.
  std::vector<TirFile> tir_files{};
  archive::Limits archive_limits{};
  tir::ReadLimits tir_limits{};
  /// Sizes of pools that the application allocates and that no member declares, of all modules.
  std::vector<graph::PoolSize> pool_sizes{};
};

/// One archive and everything that mlf knows about it.
///
/// What takes long is done when it is first asked for, once: reading a TIR, collecting the
/// constants that texts lack, reading generated C. What it returns by pointer, reference or view
/// lives as long as the Deployment; moving the Deployment does not matter.
///
/// Threads: all const functions may be called from several threads at once.
class MLF_API Deployment {
 public:
  /// Opens the archive at `path`: a tar, an unpacked directory, or "-" for standard input.
  ///
  /// Errors: those of `archive::Archive::open`; `invalid_input` for missing or malformed metadata
  /// and for a TIR stage called "tvm" (its JSON would have the name of a lossless twin); `usage`
  /// for a file beside the archive that the archive has already; `io`. TIR itself is not read yet.
  static Result<Deployment> open(const std::string& path, DeploymentOptions options = {});

  /// The same of an archive that is open already, for update maybe.
  static Result<Deployment> open(archive::Archive archive, DeploymentOptions options = {});

  Deployment(Deployment&& other) noexcept;
  Deployment& operator=(Deployment&& other) noexcept;
  ~Deployment();

  const archive::Archive& archive() const noexcept;
  const ModelLibrary& library() const noexcept;

  /// The TIR of the archive, sorted by stem: members `src/tir-<name>.txt` and
  /// `src/tir-<name>.tvm.json`, and the files beside it.
  ///
  /// A module that none of these shows has its generated C instead, one TIR a target, under the
  /// next free stem of that target and of stage "codegen". A module is shown by TIR that mentions
  /// its main (AOT) or one of its functions (graph executor), an operator archive by any TIR.
  const std::vector<TirSource>& tir_sources() const noexcept;

  /// The source with that stem ("tir-1") or member name ("src/tir-1.txt"); null where none has it.
  const TirSource* find_tir(std::string_view name) const noexcept;

  /// A TIR, read when it is first asked for and then kept.
  ///
  /// The data of constants that its text cuts or leaves out is taken from captured save_json,
  /// generated C and parameters, where exactly one constant there has the name, dtype, number of
  /// elements and first elements that the text shows; `recovered` of the document says from where.
  /// Any other stays a loss.
  ///
  /// `source` is one of `tir_sources()` or `generated_c()`.
  /// Errors: `invalid_input` with member, line and column.
  Result<std::shared_ptr<const tir::Document>> document(const TirSource& source) const;

  /// The same read anew: the caller's own, to change.
  Result<tir::Document> read_tir(const TirSource& source) const;

  /// Lets go of the documents that were read so far, to bound memory between stages. Who holds one
  /// keeps it; asked for again, they are read again.
  void release_documents();

  /// The modules and the target that a TIR belongs to. The target is, among those of its modules,
  /// the one of the kind that the functions' `target` attribute names; else the one that the stem
  /// names by device type and kind. Reads the TIR; errors as there.
  Result<TirOwners> owners_of(const TirSource& source) const;

  /// The module that a function belongs to: the one whose name its symbol carries
  /// (`tvmgen_<module>_…`), or the only module there is. An index into ModelLibrary::modules.
  std::optional<std::size_t> module_of_function(std::string_view symbol) const;

  /// The generated C of one module as TIR, one a target, whether or not the archive has better.
  /// Errors: `io`.
  Result<std::span<const TirSource>> generated_c(std::size_t module) const;

  /// The networks of all modules: from the TIR of their AOT main, or the graph executor's JSON.
  /// What the stage "lowered" shows counts before other stages. Reads all TIR.
  ///
  /// Errors: `invalid_input` for TIR or another member that does not read; `usage` where
  /// `DeploymentOptions::pool_sizes` names a pool that no network has, or whose size is declared
  /// otherwise.
  Result<Networks> networks() const;

  /// As they were given.
  const std::vector<graph::PoolSize>& pool_sizes() const noexcept;

  /// Members that the document of `source` is made from: its own, and those that its constants may
  /// be in. Each once, in the order in which they are asked. Errors: `io`.
  Result<std::vector<const archive::Member*>> members_of(const TirSource& source) const;

  /// Members beside metadata and TIR that the networks are made from: C headers, Relay text, graphs
  /// of the graph executor, and parameters where those need their names. In the order of the
  /// archive.
  std::vector<const archive::Member*> network_members() const;

 private:
  struct State;
  explicit Deployment(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace mlf
