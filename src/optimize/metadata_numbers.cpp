#include "optimize/steps.h"

#include <string>

namespace mlf::optimize {
namespace {

/// A member of an object on the path to a number; throws if it is missing.
json::Value member(const json::Value& object, std::string_view key) {
  const auto found = object.is_object() ? object.find(key) : std::nullopt;
  if (!found) edit::refuse("it has no '" + std::string(key) + "'", kMetadata);
  return *found;
}

}  // namespace

edit::FileEdits edits_of_metadata(
    const edit::EditedMembers& edited,
    const std::function<void(const json::Document&, std::vector<edit::Edit>&)>& add) {
  edit::FileEdits edits;
  const archive::Member* const member = edited.archive().find(kMetadata);
  if (member != nullptr) add(json::Document(edited.source_of(*member)), edits[member]);
  return edits;
}

json::Value metadata_of(const json::Value& root, std::string_view module) {
  const auto modules = root.find("modules");
  return modules ? member(*modules, module) : root;
}

std::optional<edit::NumberChange> change_metadata(const json::Document& metadata,
                                                  std::string_view module, std::string_view field,
                                                  std::span<const edit::NumberChange> possible,
                                                  std::vector<edit::Edit>& edits) {
  const json::Value memory = member(metadata_of(metadata.root(), module), "memory");
  const json::Value main = member(member(memory, "functions"), "main");
  for (const edit::NumberChange& change : possible) {
    std::optional<tir::SourceRange> found;
    for (const json::Value device : main.elements()) {
      const auto number = device.is_object() ? device.find(field) : std::nullopt;
      // Releases before v0.9 do not count constants.
      if (!number) continue;
      const auto value = number->integer();
      if (!value || *value < 0) edit::refuse(std::string(field) + " is not a number", kMetadata);
      if (static_cast<std::uint64_t>(*value) != change.before) continue;
      if (found) edit::refuse("two devices of main have the same " + std::string(field), kMetadata);
      found = edit::range_of(*number);
    }
    if (!found) continue;
    edits.push_back({*found, std::to_string(change.after)});
    return change;
  }
  return std::nullopt;
}

}  // namespace mlf::optimize
