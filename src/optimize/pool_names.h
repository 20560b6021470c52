// Where code names a pool, the macro of its size, or the section of a pool or a constant: TVM's C
// does in few places, and other code may depend on the size or the offsets.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "edit/edited_archive.h"
#include "mlf/deployment.h"
#include "optimize/other_code.h"

namespace mlf::optimize {

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
  ModuleCode(const Deployment& deployment, std::size_t module, const OtherCode& others,
             const edit::EditedMembers& edited);

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
