// Faults of what the entry point of a module passes to main.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/c/read/file_items.h"

namespace mlf::tir::c {

/// The number of parameters of a function, and the file that declares it so.
struct Arity {
  std::size_t parameters = 0;
  bool takes_pointers = false;  ///< in all of them, none to a pointer
  std::string_view file;
};
using Arities = support::NameMap<std::string_view, Arity>;

/// Whether the body of an entry point has the form that TVM prints: one call of main, and before it
/// the array of a packed call. What people write there may do anything.
bool has_form_of_tvm(const support::SourceText& source, const Item& item);

/// Checks `tvmgen_<m>_run`, which is `item` of `source`: members of structs that the headers do not
/// have, or have as numbers, addresses of pointers, another number of arguments than `arities` has,
/// and variables that nothing declares. Only in the form of TVM, without `macros` there.
std::vector<DeclarationFault> entry_faults(const support::SourceText& source, const Item& item,
                                           std::span<const support::SourceText> headers,
                                           const Arities& arities,
                                           const support::NameSet<std::string_view>& macros);

}  // namespace mlf::tir::c
