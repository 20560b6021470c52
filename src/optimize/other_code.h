// Where code names a pool, the macro of its size, or the section of a pool or a constant: C of the
// module, where TVM does in few places, and other members, such as headers and files of users. It
// may depend on the size or the offsets.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "edit/edited_archive.h"

namespace mlf::optimize {

/// Whether a file may be code or a linker script: C may include a file of any name, so it is any
/// file but the data and documents of an archive.
bool may_have_code(const archive::Member& member);

/// The text of a member with blanks in place of the comments of C; of a file that has another name
/// than C and C++ have, the text as it is.
std::string code_of(const archive::Member& member, std::string_view text);

/// An index of these words: an archive may have many modules, and each asks for its own names.
class OtherCode {
 public:
  using Members = std::set<const archive::Member*>;

  explicit OtherCode(const edit::EditedMembers& edited);

  /// The first place of a word in members that are not in `except`, "line 2 of app.c"; empty if
  /// there is none.
  std::string place_of(std::string_view word, const Members& except) const;
  /// The same for the name of a section, where code may depend on the size of the section.
  std::string use_of_section(const std::string& section, const Members& except) const;
  /// The first member that may join parts of words to a name; empty if none does.
  const std::string& joining() const { return joining_; }
  /// The first type of constants that one of these members defines as a macro; empty if none does.
  std::string_view type_macro(const Members& except) const;

 private:
  std::span<const archive::Member* const> members_with(std::string_view word) const;

  std::map<const archive::Member*, std::string> codes_;  ///< without comments
  std::unordered_map<std::string_view, std::vector<const archive::Member*>> words_;
  std::vector<std::pair<const archive::Member*, std::string_view>> type_macros_;
  std::string joining_;
};

/// "line 2 of app.c".
std::string place_in(std::string_view text, std::size_t at, std::string_view member);

/// Whether a function receives the pool in the parameter with this index.
using TakesPool = std::function<bool(std::string_view function, std::size_t parameter)>;

/// How code uses a pool.
struct PoolNames {
  bool is_given = false;    ///< once to a function that takes it, as TVM does
  std::string other_use{};  ///< "line 3 of u.c": the first other place; empty if there is none
};

/// The sources and headers of a module, and other code of its archive.
class ModuleCode {
 public:
  /// The arguments must outlive this, and the texts must not change meanwhile.
  ModuleCode(std::size_t module, const OtherCode& others, const edit::EditedMembers& edited);

  PoolNames names_of_pool(std::string_view pool, const TakesPool& takes) const;
  /// The first place where code uses a macro; empty if it is only defined.
  std::string use_of_macro(std::string_view macro) const;
  /// The first place that names a section of this module's C, and does not put something into it.
  std::string use_of_sections() const;
  /// Why one of these names may occur in parts; empty if none can.
  std::string joined(const std::set<std::string, std::less<>>& names) const;

 private:
  struct Text {
    std::string_view member;
    std::string text;  ///< without comments
  };

  const OtherCode& others_;
  std::vector<Text> texts_;
  OtherCode::Members members_;
};

}  // namespace mlf::optimize
