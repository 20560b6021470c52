#include "tir/c/write/code.h"

#include <algorithm>

#include "tir/c/language.h"

namespace mlf::tir::c {
namespace {

constexpr std::size_t kIndent = 2;
// Deeper statements are not indented further: a thousand levels would be a million blanks.
constexpr std::size_t kMostIndented = 256;

/// Whether the first parenthesis closes with the last character.
bool is_in_parentheses(std::string_view text) {
  if (text.empty() || text.front() != '(' || text.back() != ')') return false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0) return i + 1 == text.size();
  }
  return false;
}

}  // namespace

// --- Names -------------------------------------------------------------------------------------

NameSupply::NameSupply(const Forms& forms)
    : separator_(forms.has(TvmFeature::c_numbers_follow_names) ? "" : "_") {
  for (const std::string_view word : reserved_words()) counters_.emplace(word, 0);
}

/// The number counts on from the last one that this name got, as in TVM's NameSupply (GetUniqueName
/// up to v0.9).
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

// --- Lines, blocks, temporaries ----------------------------------------------------------------

std::string_view Code::temporary_stem(const Forms& forms) {
  return forms.has(TvmFeature::c_temporaries_v) ? "v_" : "_";
}

void Code::indent() {
  text_.append(std::min(indent_, kMostIndented), ' ');
}

void Code::plain_line(std::string_view text) {
  indent();
  text_ += text;
  text_ += '\n';
}

Code::Scope Code::begin_scope() {
  is_open_.push_back(true);
  indent_ += kIndent;
  return is_open_.size() - 1;
}

void Code::end_scope(Scope scope) {
  is_open_[scope] = false;
  indent_ -= kIndent;
}

void Code::mark_constant(const std::string& literal) {
  temporaries_.try_emplace(literal, Entry{literal, 0});
}

/// SSAGetID of TVM: the same text is the same temporary while its scope is open, and a text in
/// parentheses loses one pair.
std::string Code::temporary(const std::string& source, std::string_view type) {
  // A variable needs no other name.
  if (names_.contains(source)) return source;
  const auto known = temporaries_.find(source);
  if (known != temporaries_.end() && is_open_[known->second.scope]) return known->second.name;
  std::string name = names_.fresh(stem_);
  // The scope that began last, not the innermost one: once a block was closed, what is made behind
  // it is not used again.
  temporaries_.insert_or_assign(source, Entry{name, is_open_.size() - 1});
  const std::string_view value = is_in_parentheses(source)
                                     ? std::string_view(source).substr(1, source.size() - 2)
                                     : std::string_view(source);
  line("{} {} = {};", type, name, value);
  return name;
}

}  // namespace mlf::tir::c
