// The names of members that hold TIR: src/tir-<type>[-<kind>[-<k>]][.<stage>].txt and, for the
// lossless twin of a text, .tvm.json instead of .txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mlf/archive.h"
#include "mlf/target.h"
#include "support/name_map.h"

namespace mlf::deployment {

/// Returns the directory of the archive that holds captured TIR and the files that mlf makes of it:
/// "src/", or "" for builds and for directories that hold captured TIR only.
std::string_view source_directory(const archive::Archive& archive);

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

}  // namespace mlf::deployment
