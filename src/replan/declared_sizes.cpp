#include "replan/declared_sizes.h"

#include <algorithm>
#include <string>

#include "json/document.h"

namespace mlf::replan {
namespace {

/// A member of an object on the way to a number; throws where it is not there.
json::Value member(const json::Value& object, std::string_view key) {
  const auto found = object.is_object() ? object.find(key) : std::nullopt;
  if (!found) refuse("it has no '" + std::string(key) + "'", "metadata.json");
  return *found;
}

/// The entries of memory.functions.main: one a device, or from version 7 on in `modules`.
json::Value main_memory(const json::Value& root, std::string_view module) {
  json::Value owner = root;
  if (const auto modules = root.find("modules")) owner = member(*modules, module);
  return member(member(member(owner, "memory"), "functions"), "main");
}

}  // namespace

// Applications size their own memory by the header's macros, such as a pool that they give. TVM
// writes each on a line (src/target/source/interface_c.cc).
bool add_macro_edit(const support::SourceText& source, std::string_view name,
                    const NumberChange& size, std::vector<Edit>& edits) {
  const std::string define = "#define " + std::string(name) + " ";
  bool found = false;
  for (std::size_t at = source.text.find(define); at != std::string_view::npos;
       at = source.text.find(define, at + 1)) {
    if (at > 0 && source.text[at - 1] != '\n') continue;
    const auto digits = static_cast<std::uint32_t>(at + define.size());
    const auto end =
        static_cast<std::uint32_t>(std::min(source.text.find('\n', at), source.text.size()));
    edits.push_back(number_edit(source, {digits, end}, size, name));
    found = true;
  }
  return found;
}

// TVM adds up the pools of the network for the device of main, with the largest workspace that a
// kernel has elsewhere, and leaves about nothing for the others (`_build_function_memory_map`,
// model_library_format.py).
std::optional<NumberChange> add_metadata_edit(const support::SourceText& source,
                                              std::string_view module,
                                              const ModuleAssignment& assignment,
                                              std::span<const std::uint64_t> beside,
                                              std::vector<Edit>& edits) {
  const json::Document document(source, {});
  const json::Value main = main_memory(document.root(), module);
  for (const std::uint64_t more : beside) {
    std::optional<NumberChange> changed;
    for (const json::Value device : main.elements()) {
      const json::Value number = member(device, "workspace_size_bytes");
      const auto value = number.integer();
      if (!value || *value < 0) refuse("workspace_size_bytes is not a number", "metadata.json");
      if (static_cast<std::uint64_t>(*value) != assignment.old_total() + more) continue;
      if (changed) refuse("two devices of main have the workspace of its pools", "metadata.json");
      const auto after = static_cast<std::uint64_t>(*value - assignment.saved());
      changed = NumberChange{static_cast<std::uint64_t>(*value), after};
      const auto begin = static_cast<std::uint32_t>(number.offset());
      const auto end = static_cast<std::uint32_t>(begin + number.length());
      edits.push_back({{begin, end}, std::to_string(after)});
    }
    if (changed) return changed;
  }
  if (assignment.saved() != 0) {
    refuse("workspace_size_bytes of main is not " + std::to_string(assignment.old_total()) +
               ", the sum of its pools",
           "metadata.json");
  }
  return std::nullopt;
}

}  // namespace mlf::replan
