// Where the numbers of a plan are in each kind of member: which digits become which number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mlf/tir/c.h"
#include "mlf/tir/document.h"
#include "replan/assignment.h"
#include "replan/edit.h"
#include "replan/pool_sites.h"
#include "support/source_text.h"

namespace mlf::replan {

// Each throws `Error` (check_failed) where a number is not where TVM writes it. That nothing was
// forgotten is found out afterwards, by reading what comes out.

/// TVMScript or legacy text of one function.
void add_text_edits(const support::SourceText& source, tir::SourceRange function_range,
                    const ModuleAssignment& assignment, const FunctionSites& function,
                    std::vector<Edit>& edits);

/// The metadata section of such a text, where it has one: sizes in AllocatedPoolInfo.
void add_metadata_section_edits(const support::SourceText& source,
                                std::span<const ModuleAssignment> assignments,
                                std::vector<Edit>& edits);

/// The definition of one function in generated C.
void add_c_edits(const support::SourceText& source, tir::SourceRange definition,
                 const ModuleAssignment& assignment, const FunctionSites& function,
                 std::vector<Edit>& edits);

/// All functions of a save_json document; `sites` returns those of the module that it is given, and
/// the values are asked for by integer.
struct SaveJsonPlaces {
  tir::Module module;
  /// Byte range of the digits of each IntImm, by node id; of other nodes empty.
  std::vector<tir::SourceRange> integers;
};
SaveJsonPlaces read_with_places(const support::SourceText& source, const tir::ReadLimits& limits);

/// The array of a pool, `static uint8_t global_workspace[104192]`; whether it is here.
bool add_array_edit(const support::SourceText& source, std::string_view pool, const PoolSize& size,
                    std::vector<Edit>& edits);

/// `#define NAME 104192`; whether it is here.
bool add_macro_edit(const support::SourceText& source, std::string_view name, const PoolSize& size,
                    std::vector<Edit>& edits);

/// What metadata.json says of main's workspace: the pools, and perhaps one of `beside`, the bytes
/// that it may count with them. Returns the number before and after, where it says one.
std::optional<PoolSize> add_metadata_edit(const support::SourceText& source,
                                          std::string_view module,
                                          const ModuleAssignment& assignment,
                                          std::span<const std::uint64_t> beside,
                                          std::vector<Edit>& edits);

}  // namespace mlf::replan
