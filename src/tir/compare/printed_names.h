// How TVM's printers spell names, as far as it tells whether a printed name may come from a hint.
#pragma once

#include <string_view>

#include "mlf/tir/kind.h"

namespace mlf::tir::compare_detail {

/// Whether the TVMScript printer may print `hint`, a name of a node of `kind`, as `whole`.
bool is_script_name_of(std::string_view whole, std::string_view hint, Kind kind);

/// The same for the legacy printer.
bool is_legacy_name_of(std::string_view printed, std::string_view hint, Kind kind);

/// The same for the TVMScript printer before v0.12.
bool is_old_script_name_of(std::string_view printed, std::string_view hint, Kind kind);

/// Whether `name` is one that readers give to a variable that is in the text only as a part of the
/// buffer `buffer`: its data pointer, its offset, or the parameter it is bound to.
bool is_name_of_part(std::string_view name, std::string_view buffer);

}  // namespace mlf::tir::compare_detail
