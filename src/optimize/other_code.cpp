#include "optimize/other_code.h"

#include <algorithm>

#include "optimize/c_words.h"

namespace mlf::optimize {

using archive::Member;

OtherCode::OtherCode(const Deployment& deployment, const EditedMembers& edited) {
  std::set<std::string_view> sources;
  for (const Module& module : deployment.library().modules) {
    for (const FileRef& file : module.files.sources) sources.insert(file.name);
  }
  for (const Member& member : deployment.archive().members()) {
    if (!may_have_code(member) || sources.contains(member.name)) continue;
    const std::string_view text = edited.text_of(member);
    for_each_word(text, [&](std::string_view word, std::size_t) {
      Counts& counts = words_[word];
      if (counts.empty() || counts.back().first != &member) counts.emplace_back(&member, 0);
      ++counts.back().second;
    });
    const std::string_view type = optimize::type_macro(text);
    if (!type.empty()) type_macros_.emplace_back(&member, type);
  }
}

std::size_t OtherCode::count(std::string_view word, const std::set<const Member*>& except) const {
  const auto found = words_.find(word);
  if (found == words_.end()) return 0;
  std::size_t total = 0;
  for (const auto& [member, count] : found->second) {
    if (!except.contains(member)) total += count;
  }
  return total;
}

std::string_view OtherCode::type_macro(const std::set<const Member*>& except) const {
  const auto found = std::ranges::find_if(
      type_macros_, [&](const auto& one) { return !except.contains(one.first); });
  return found == type_macros_.end() ? std::string_view() : found->second;
}

}  // namespace mlf::optimize
