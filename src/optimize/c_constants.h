// The constants that the generated C of one module declares, also as captured TIR has them, the
// reasons why some cannot change, what becomes of the others, and the edits for that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edit/edited_archive.h"
#include "mlf/optimize.h"
#include "optimize/constant_uses.h"
#include "optimize/narrow_type.h"
#include "optimize/other_code.h"
#include "optimize/tir_changes.h"
#include "support/lookup.h"
#include "tir/places.h"

namespace mlf::optimize {

/// One TIR of generated C, read for edits.
struct CReading {
  edit::PlacedTir tir;
  ModuleConstants constants;
  std::map<tir::NodeId, std::size_t> declared;  ///< NDArray: index into CConstants::all

  /// The index in CConstants::all of the constant that the use points to; nullopt for one that the
  /// C does not declare.
  std::optional<std::size_t> constant_of(const ConstantUse& use) const {
    return support::value_at(declared, use.array);
  }
};

/// A constant as C declares it.
struct CConstant {
  std::string name;
  const archive::Member* member = nullptr;  ///< the file of C
  tir::DeclaredConstant place;
  tir::DType dtype{};
  std::span<const std::byte> data;
  std::string pool{};                      ///< empty for an array
  std::uint64_t offset = 0;                ///< in the pool
  std::vector<const ConstantUse*> uses{};  ///< of the readings
  std::string kept{};                      ///< why it stays as it is; empty where it may change
  std::string type_kept{};                 ///< why its type stays; empty where `kept` decides
  std::string all_kept{};  ///< why it keeps all elements; empty where `kept` decides
  bool is_unused = false;  ///< nothing in the archive reads it
  bool has_copy = false;   ///< in get_c_metadata

  bool could_be_smaller = false;       ///< by its values
  std::optional<std::size_t> equal{};  ///< the constant that is stored in its place
  NewConstant after{};                 ///< what becomes of it

  std::uint64_t bytes() const { return data.size(); }
  std::uint64_t elements() const { return data.size() / dtype.element_bytes(); }
  std::uint64_t new_bytes() const {
    if (after.is_removed) return 0;
    return (after.is_single() ? 1 : elements()) * after.dtype.element_bytes();
  }
  std::vector<std::byte> new_data() const {
    return after.is_single() ? after.single : converted(dtype, data, after.dtype);
  }
};

struct CPoolOfConstants {
  std::string name;
  std::vector<std::size_t> constants;  ///< in the order of the text
  std::uint64_t bytes = 0;
  std::uint64_t new_bytes = 0;
  std::string kept{};  ///< why its offsets stay; empty if they may change
};

/// The constants in the C of one module.
struct CConstants {
  std::vector<CReading> readings;
  std::vector<CConstant> all;  ///< in the order of the text
  std::vector<CPoolOfConstants> pools;
  /// Why the C may have other constants as well; empty where these are all.
  std::string incomplete{};

  void keep_pool(std::string_view name, const std::string& why) {
    for (CPoolOfConstants& pool : pools) {
      if (pool.name == name) keep(pool.kept, why);
    }
  }
  void keep_all_pools(const std::string& why) {
    for (CPoolOfConstants& pool : pools) keep(pool.kept, why);
  }
};

/// Reads the present C of a module, or takes the TIR of it that `edited` kept. `others` has the
/// words of `edited`. Throws `Error` if it cannot be read.
CConstants read_constants(std::size_t module, const OtherCode& others, edit::EditedMembers& edited);

/// Returns what becomes of the constants, the field `after` of each.
NewConstants new_constants_of(const CConstants& constants);

/// Returns the edits of declarations, comments and copies in the C. Those of uses are `TirChanges`.
edit::FileEdits declaration_edits(const CConstants& constants, const edit::EditedMembers& edited);

// --- What becomes of them ------------------------------------------------------------------------

/// Makes the constants smaller in these ways. Each counts savings relative to those before it.
ConstantSavings make_smaller(CConstants& constants, const Optimizations& what);

/// Undoes all decisions.
void reset(CConstants& constants);

/// Bytes of all constants, with the alignment of pools.
std::uint64_t total_before(const CConstants& constants);
std::uint64_t total_after(const CConstants& constants);

/// Bytes that the archive has no more because of the change of one constant. In a pool, the next
/// constant begins at an aligned offset.
std::uint64_t bytes_saved(const CConstant& constant);

/// Why a constant is larger than its values need; empty if it is not.
std::string why_kept(const CConstants& constants, const CConstant& constant);

// --- In captured TIR, text and lossless twin, which must agree with the generated C --------------

/// One member with captured TIR.
struct CapturedReading {
  edit::PlacedTir tir;
  std::map<std::size_t, ModuleConstants> constants;  ///< by module
};

/// The constants in the C of modules, by module.
using ConstantsByModule = std::map<std::size_t, CConstants>;

/// Reads the present TIR of these modules, or takes that which `edited` kept, each member once.
/// Throws `Error` if a member with captured TIR cannot be read.
std::vector<CapturedReading> read_captured(const ConstantsByModule& constants,
                                           edit::EditedMembers& edited);

/// Marks each constant of a module as kept that differs between one of these and the C, or whose
/// text lacks a value that would change.
void keep_by_captured(const std::vector<CapturedReading>& captured, std::size_t module,
                      const edit::EditedMembers& edited, CConstants& constants);

/// Returns the members with their changes. `wanted` has the modules that change. Throws `Error`
/// (check_failed) if modules share a part of a member.
std::vector<ChangedTir> changed(std::vector<CapturedReading> captured,
                                const std::map<std::size_t, NewConstants>& wanted);

}  // namespace mlf::optimize
