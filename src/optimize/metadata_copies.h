// The copies of pool constants in packed archives, for TVM's C++ runtime: the `TVMConstantInfo` of
// `get_c_metadata`, each with a serialised NDArray as a string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edit/edited_archive.h"
#include "optimize/c_constants.h"

namespace mlf::optimize {

/// One entry. TVM writes (src/target/metadata_utils.cc)
///     "w_let" /* name_hint*/,
///     64UL /* byte_offset*/,
///     88,
///     "\x3f\xa1…"
struct MetadataCopy {
  std::string name;
  std::uint64_t offset = 0;      ///< in the pool
  tir::SourceRange offset_text;  ///< its digits
  tir::SourceRange length_text;
  tir::SourceRange data_text;  ///< between the quotes
};

/// Returns the entries of a file of C that have this form.
std::vector<MetadataCopy> metadata_copies(std::string_view text);

/// Whether this is the entry of the constant.
bool is_copy_of(const MetadataCopy& copy, const CConstant& constant);

/// Whether the copy is an NDArray with the type and data of the constant.
bool is_exact(const MetadataCopy& copy, std::string_view text, const CConstant& constant);

/// Returns the edits that update a copy to the new constant; nullopt if it is not exact.
std::optional<std::vector<edit::Edit>> edits_of(const MetadataCopy& copy, std::string_view text,
                                                const CConstant& constant);

}  // namespace mlf::optimize
