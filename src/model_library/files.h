// Which member of the archive belongs to which module.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mlf/archive.h"
#include "mlf/model_library.h"

namespace mlf::model_library {

/// The member that makes an archive a model library.
inline constexpr std::string_view kMetadata = "metadata.json";
/// The file that makes a directory of captured TIR a build, see schemas/build.md.
inline constexpr std::string_view kBuild = "build.json";

/// The file that states the modules. Null if there is none.
const archive::Member* description_of(const archive::Archive& archive);

// Where generated code is.
inline constexpr std::string_view kSources = "codegen/host/src/";
inline constexpr std::string_view kObjects = "codegen/host/lib/";
inline constexpr std::string_view kHeaders = "codegen/host/include/";

/// The part of a name after `directory`; empty for names outside of it.
std::string_view below(std::string_view name, std::string_view directory);

/// The module in the name of a file in one of these directories: `<m>_lib<N>.c`; empty for
/// `lib<N>.c`; nothing for names of another form.
std::optional<std::string_view> module_of_library_file(std::string_view name);
/// Returns the module's name as in the name of its header: in lower case, with `_` for characters
/// that are neither letters nor digits.
std::string header_form(std::string_view module);
/// The module in the name of its header `tvmgen_<m>.h`.
std::optional<std::string_view> module_of_header(std::string_view name);

/// Fills `files` of every module and `shared` of the library.
void assign_files(ModelLibrary& library, std::span<const FileRef> members);

}  // namespace mlf::model_library
