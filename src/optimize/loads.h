// Loads of constants, and what an edit replaces in their text.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "edit/edit.h"
#include "mlf/tir/module.h"
#include "tir/places.h"

namespace mlf::optimize {

/// The places of the loads through each variable, each place once: the reader may read a statement
/// twice.
using LoadPlaces = std::map<tir::NodeId, std::vector<tir::Place>>;
LoadPlaces loads_by_variable(const tir::Module& module, const tir::Places& places);

/// Returns the text between the last brackets of a load, if it consists of numbers, variables,
/// operators and calls, but no other load; nullopt for any other index.
std::optional<tir::SourceRange> plain_index(std::string_view text, tir::SourceRange load);

/// Returns whether all indices of a BufferLoad may become the number 0: they are int32, and call
/// nothing but operators on bits.
bool has_plain_indices(tir::Node load);

/// `((T*)name)[i]` of generated C, or `name[i]` of an array that has a type itself.
struct CLoad {
  std::optional<tir::SourceRange> type{};  ///< T, if the load states it
};
/// Returns nullopt for a load of another form.
std::optional<CLoad> c_load(std::string_view text, tir::SourceRange range);

/// The edits of a load through memory that has elements of another type: `((T*)x)[i]` becomes
/// `((T)((S*)x)[i])`. The conversion to T gives what the load gave. The load must have a form that
/// `c_load` knows.
std::vector<edit::Edit> cast_edits(std::string_view text, tir::SourceRange load, tir::DType from,
                                   tir::DType to);

}  // namespace mlf::optimize
