// Which members mlf makes. A manifest that lists any other is not believed: it could have been
// written to make mlf remove what it never made.
#pragma once

#include <string>
#include <string_view>

namespace mlf::process {

inline constexpr std::string_view kManifestName = "src/mlf.json";

/// `src/<stem>.json`.
std::string tir_json_name(std::string_view stem);

/// `<stem>.constants`: the folder of its constants, seen from the folder of its JSON.
std::string constants_folder(std::string_view stem);

/// The member that a tir-N.json calls `path`.
std::string beside_tir_json(std::string_view path);

/// `src/<module>.topology.json` and `src/<module>.graph.json`. Throw `Error`, with `file` as its
/// place, for a module whose name cannot be that of a file.
std::string topology_name(std::string_view module, std::string_view file);
std::string graph_name(std::string_view module, std::string_view file);

/// Whether mlf may have made a member of this name; the manifest itself is not among them.
bool is_output_name(std::string_view name);

}  // namespace mlf::process
