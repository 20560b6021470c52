// Sizes of pools that the archive declares outside of its functions.
#include <string>

#include "json/document.h"
#include "replan/edits.h"
#include "replan/words.h"
#include "support/error.h"

namespace mlf::replan {
namespace {

[[noreturn]] void refuse_at(const support::SourceText& source, const Word& word,
                            std::string message) {
  throw support::Error(ErrorKind::check_failed, std::move(message),
                       source.locate(word.offset, word.text.size()));
}

/// Exchanges the number `number`, which has to be the old size.
void put(const support::SourceText& source, const Word& number, const std::string& what,
         const PoolSize& size, std::vector<Edit>& edits) {
  if (number_of(number) != size.old_size) {
    refuse_at(source, number,
              what + " is not " + std::to_string(size.old_size) + ", the size in the plan");
  }
  edits.push_back({number.offset, number.text.size(), size.new_size});
}

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

// Pools that TVM allocates itself are static arrays in the file of the entry
// (src/target/source/source_module.cc); those of the caller are macros of the header alone.
bool add_array_edit(const support::SourceText& source, std::string_view pool, const PoolSize& size,
                    std::vector<Edit>& edits) {
  const std::vector<Word> words = words_of(source.text, Comments::c);
  bool found = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (!matches(words, at, {"uint8_t", pool, "[", "", "]"})) continue;
    if (found) refuse_at(source, words[at + 1], "pool '" + std::string(pool) + "' is here twice");
    put(source, words[at + 3], "the array of pool '" + std::string(pool) + "'", size, edits);
    found = true;
  }
  return found;
}

// Applications size their own memory by the header's macros, such as a pool that they give.
bool add_macro_edit(const support::SourceText& source, std::string_view name, const PoolSize& size,
                    std::vector<Edit>& edits) {
  const std::vector<Word> words = words_of(source.text, Comments::c);
  bool found = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (!matches(words, at, {"#", "define", name, ""})) continue;
    put(source, words[at + 3], std::string(name), size, edits);
    found = true;
  }
  return found;
}

// TVM adds up the pools of the network for the device of main, with the largest workspace that a
// kernel has elsewhere, and leaves about nothing for the others (`_build_function_memory_map`,
// model_library_format.py).
std::optional<PoolSize> add_metadata_edit(const support::SourceText& source,
                                          std::string_view module,
                                          const ModuleAssignment& assignment,
                                          std::span<const std::uint64_t> beside,
                                          std::vector<Edit>& edits) {
  const json::Document document(source, {});
  const json::Value main = main_memory(document.root(), module);
  for (const std::uint64_t more : beside) {
    std::optional<PoolSize> changed;
    for (const json::Value device : main.elements()) {
      const json::Value number = member(device, "workspace_size_bytes");
      const auto value = number.integer();
      if (!value || *value < 0) refuse("workspace_size_bytes is not a number", "metadata.json");
      if (static_cast<std::uint64_t>(*value) != assignment.old_total() + more) continue;
      if (changed) refuse("two devices of main have the workspace of its pools", "metadata.json");
      const auto after = static_cast<std::uint64_t>(*value - assignment.saved());
      changed = PoolSize{static_cast<std::uint64_t>(*value), after};
      edits.push_back({number.offset(), number.length(), after});
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
