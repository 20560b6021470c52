// Changes of the nodes of a TIR: its IR and its text make the same ones.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "edit/call_slots.h"
#include "edit/edited_archive.h"
#include "mlf/tir/module.h"
#include "optimize/constant_uses.h"
#include "support/lookup.h"

namespace mlf::optimize {

struct NewConstant {
  tir::DType dtype{};        ///< of its elements
  std::uint64_t offset = 0;  ///< in its pool
  bool is_removed = false;   ///< an equal constant of its pool is at `offset`, or nothing reads it
  /// The one element that remains, of type `dtype`; empty if all remain.
  std::vector<std::byte> single{};

  bool is_single() const { return !single.empty(); }
  bool changes(tir::DType element) const { return is_single() || dtype != element; }
};

/// A number that a TIR states.
struct StatedNumber {
  tir::NodeId integer;        ///< IntImm
  edit::NumberChange change;  ///< `before` and `after` may be equal
  std::string what;           ///< names it in errors: "the offset of 'sid_4'"
};

struct NewConstants;

/// What becomes of the nodes of one module. Uses and lists of constants must outlive this.
class TirChanges {
 public:
  /// Throws `Error` (check_failed) if the number gets another value, too.
  void set_number(StatedNumber number);
  /// Call `order[i]` goes to the place of call i. Throws `Error` (check_failed) if something else
  /// is between calls that would change places.
  void set_order(const std::vector<edit::CallSlot>& slots, const std::vector<std::size_t>& order);
  /// A function that is not in the module any more.
  void drop(tir::NodeId function) { dropped_.insert(function); }
  /// What `wanted` has for the constants in functions of one module of the archive: other types, or
  /// one element. Around each load is a Cast to the old type. Both must outlive this. Throws
  /// `Error` (check_failed) if these have another value for a number or a list of constants.
  void add(const ModuleConstants& constants, const NewConstants& wanted);

  bool empty() const;
  /// Returns the module with these changes.
  tir::Module made_in(tir::Module module) const;
  /// Adds the edits that make them in the texts of `tir`, except that definitions of C do not go.
  /// Numbers that a text does not spell follow from others. Throws `Error` (check_failed) if a text
  /// has another form.
  void add_edits(const edit::PlacedTir& tir, const edit::EditedMembers& edited,
                 edit::FileEdits& edits) const;

 private:
  friend class IrChange;
  friend class TextChange;
  struct Constant {
    const ConstantUse* use;
    const NewConstant* after;
  };
  struct Pool {
    const ConstantPool* pool;
    std::vector<const NewConstant*> wanted;
  };
  struct Order {
    std::vector<edit::CallSlot> slots;
    std::vector<std::size_t> order;
  };

  void set_pool(const ConstantPool& pool, std::vector<const NewConstant*> wanted);

  std::unordered_map<tir::NodeId, StatedNumber> numbers_;
  std::vector<Constant> constants_;
  std::map<tir::NodeId, Pool> pools_;  // by ConstantPoolInfo
  std::set<tir::NodeId> removed_;      // ConstantInfo
  std::vector<Order> orders_;
  std::set<tir::NodeId> dropped_;  // PrimFunc
};

/// The new constants of one module of the archive, for all of its representations.
struct NewConstants {
  std::map<ConstantKey, NewConstant> constants;
  std::map<std::string, edit::NumberChange, std::less<>> pool_sizes;

  /// Null if it does not change.
  const NewConstant* of(const ConstantKey& key) const {
    return support::find_value(constants, key);
  }
};

inline TirChanges changes_of(const ModuleConstants& constants, const NewConstants& wanted) {
  TirChanges changes;
  changes.add(constants, wanted);
  return changes;
}

/// TIR, and what becomes of it.
struct ChangedTir {
  edit::PlacedTir before;
  TirChanges changes{};
};

/// Makes the changes of all of these, whose texts may share files, and further edits of members.
/// Prints lossless twins anew. Reads texts again: throws `Error` (check_failed) unless each of them
/// equals its old TIR with its changes. `edited` keeps the new TIR.
void change_all(std::vector<ChangedTir> all, edit::FileEdits edits, edit::EditedMembers& edited);

/// Whether the constant may get one element: its extents are numbers, its indices may become 0, and
/// a text spells all of that.
bool may_have_one_element(const ConstantUse& use, const edit::PlacedTir& tir,
                          const edit::EditedMembers& edited);

/// Returns T of the load `((T*)name)[i]` of generated C; an empty range for `name[i]` of an array
/// that has a type itself; nullopt for a load of another form.
std::optional<tir::SourceRange> type_of_c_load(std::string_view text, tir::SourceRange load);

}  // namespace mlf::optimize
