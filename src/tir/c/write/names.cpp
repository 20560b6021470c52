#include "tir/c/write/names.h"

#include <algorithm>

#include "tir/c/language.h"

namespace mlf::tir::c {
NameSupply::NameSupply(const Forms& forms)
    : separator_(forms.has(Form::numbers_follow_names) ? "" : "_") {
  for (const std::string_view word : reserved_words()) counters_.emplace(word, 0);
}

std::string NameSupply::fresh(std::string_view hint) {
  std::string name(hint);
  std::ranges::replace(name, '.', '_');
  std::string unique = name;
  if (const auto taken = counters_.find(name); taken != counters_.end()) {
    int& counter = taken->second;
    do {
      unique = name;
      unique += separator_;
      unique += std::to_string(++counter);
    } while (counters_.contains(unique));
  }
  counters_.emplace(unique, 0);
  // What is not legal in C either is replaced when the name is final.
  std::ranges::replace_if(
      unique, [](char c) { return c == ':' || c == '-'; }, '_');
  return unique;
}

}  // namespace mlf::tir::c
