// Finds the module and the target that a TIR and its functions belong to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mlf/deployment.h"
#include "mlf/export.h"
#include "support/name_map.h"
#include "support/prefix_table.h"

namespace mlf::deployment {

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
