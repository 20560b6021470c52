// The names of members that hold TIR: src/tir-<type>[-<kind>[-<k>]][.<stage>].txt and, for the
// lossless twin of a text, .tvm.json instead of .txt. The module and the target that a TIR and its
// functions belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mlf/archive.h"
#include "mlf/deployment.h"
#include "mlf/export.h"
#include "mlf/target.h"
#include "support/name_map.h"
#include "support/prefix_table.h"

namespace mlf::deployment {

/// Returns the directory of the archive that holds captured TIR and the files that mlf makes of it:
/// "src/", or "" for builds and for directories that hold captured TIR only.
std::string_view source_directory(const archive::Archive& archive);

/// How the names of functions that TVM generates begin.
inline constexpr std::string_view kSymbolPrefix = "tvmgen_";

inline constexpr std::string_view kDefaultStage = "lowered";

enum class TirForm : std::uint8_t { text, twin };

/// The parts of a member's name (without `src/`).
struct TirName {
  std::string_view stem;  ///< "tir-1.unplanned"
  TirForm form;
};

/// Returns the text after the first dot of a stem, or kDefaultStage.
std::string_view stage_of_stem(std::string_view stem);

/// Returns nullopt if the name is not that of a TIR source.
std::optional<TirName> parse_tir_name(std::string_view name);

/// The same for a member. Returns nullopt for names outside of `directory`, the archive's
/// `source_directory`.
std::optional<TirName> parse_tir_member(std::string_view directory, std::string_view member);

/// The target that a stem names.
struct StemTarget {
  std::int32_t device_type = 0;  ///< DLDeviceType
  std::string_view kind;         ///< may be empty, and may end in a further "-<k>"
};

/// Returns nullopt for stems of other forms, such as "tir-main".
std::optional<StemTarget> target_of_stem(std::string_view stem);

/// The stems of the TIR of an archive. Thousands of modules may have one target, so this remembers
/// which numbers are taken.
class Stems {
 public:
  /// With the stems of `below`, if any, which must outlive this and stay unchanged.
  explicit Stems(const Stems* below = nullptr) : below_(below) {}

  void add(std::string_view stem) { taken_.emplace(stem); }

  /// Adds the first of tir-<type>, tir-<type>-<kind>, tir-<type>-<kind>-1, … for `target` that is
  /// free, and returns it. A null target is unknown, and named like C for a CPU.
  std::string add_free(const Target* target);

 private:
  bool contains(std::string_view stem) const;
  std::size_t first_number(std::string_view stem) const;
  std::string free_stem(const Target* target);

  const Stems* below_;
  support::NameSet<std::string> taken_;
  support::NameMap<std::string, std::size_t> next_;  // numbers before it are taken
};

/// Returns whether `kind`, as written in a stem, is the target kind `wanted`.
bool names_kind(std::string_view kind, std::string_view wanted);

/// Returns the module's name as in symbols: everything but letters and digits becomes `_`.
MLF_API std::string symbol_part(std::string_view module_name);

/// Returns the prefix of a module's symbols: `tvmgen_<module>_`, as TVM mangles them since v0.8.
std::string symbol_prefix(std::string_view module_name);

/// The modules of a library by the symbols of their functions.
class ModuleSymbols {
 public:
  explicit ModuleSymbols(const ModelLibrary& library);

  /// See `Deployment::module_of_function`.
  std::optional<std::size_t> module_of(std::string_view symbol) const;

 private:
  bool is_only_one_;
  support::PrefixTable prefixes_;
};

/// Owners that a build states for its TIR. An archive states none.
class StatedOwners {
 public:
  /// `library` must outlive this.
  explicit StatedOwners(const ModelLibrary& library);

  std::optional<TirOwners> of(std::string_view stem) const;

 private:
  support::NameMap<std::string_view, TirOwners> owners_;
};

/// See `Deployment::owners_of`. `symbols` and `stated` are those of the library.
TirOwners owners_of(const tir::Module& module, std::string_view stem, const ModelLibrary& library,
                    const ModuleSymbols& symbols, const StatedOwners& stated);

}  // namespace mlf::deployment
