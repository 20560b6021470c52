#include "tir/tvmscript/write/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace mlf::tir::tvmscript {
namespace {

/// Words of Python, and what a script refers to beside its own names.
constexpr std::string_view kReserved[] = {
    "False",  "None",    "True",   "and",      "as",       "assert", "async",  "await",
    "break",  "class",   "cls",    "continue", "def",      "del",    "elif",   "else",
    "except", "finally", "for",    "from",     "global",   "if",     "import", "in",
    "is",     "lambda",  "meta",   "metadata", "nonlocal", "not",    "or",     "pass",
    "raise",  "range",   "return", "try",      "tvm",      "while",  "with",   "yield",
    "I",      "Module",  "R",      "T",        "ir",       "relax",  "tir"};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool starts_like_a_name(std::string_view text) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9');
}

/// The hint with `_` for what Python does not take.
std::string legal(std::string_view hint) {
  std::string name(hint);
  std::ranges::replace_if(
      name, [](char c) { return !is_word_character(c); }, '_');
  return starts_like_a_name(name) ? name : "v" + name;
}

}  // namespace

bool is_identifier(std::string_view name) {
  return starts_like_a_name(name) && std::ranges::all_of(name, is_word_character) &&
         std::ranges::find(kReserved, name) == std::end(kReserved);
}

/// The hint itself, or with the first number that makes it a new name.
std::string ScopedNames::fresh(std::string_view hint) {
  const std::string base = legal(hint);
  std::string name = base;
  const bool is_reserved = std::ranges::find(kReserved, base) != std::end(kReserved);
  if (is_reserved || taken_.contains(name)) {
    std::size_t& number = next_number_[base];
    do {
      name = fmt::format("{}_{}", base, ++number);
    } while (taken_.contains(name));
  }
  taken_.insert(name);
  undo_.push_back({NodeId::none, name, {}, Lifetime::scope});
  return name;
}

std::string_view ScopedNames::bind(NodeId id, std::string_view hint, Lifetime lifetime) {
  std::string& text = texts_[index(id)];
  const std::string before = std::exchange(text, fresh(hint));
  undo_.back().id = id;
  undo_.back().before = before;
  undo_.back().lifetime = lifetime;
  return text;
}

/// What the text means outside of its scope comes back when that ends.
void ScopedNames::alias(NodeId id, std::string text) {
  std::string& current = texts_[index(id)];
  undo_.push_back({id, {}, std::exchange(current, std::move(text)), Lifetime::scope});
}

std::string_view ScopedNames::find(NodeId id) const {
  const auto found = texts_.find(index(id));
  return found == texts_.end() ? std::string_view() : found->second;
}

/// Undoes in reverse order, so that an outer meaning of a node comes back.
void ScopedNames::release(std::size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) {
    const Undo& last = undo_.back();
    if (!last.name.empty() && last.lifetime == Lifetime::scope) {
      taken_.erase(last.name);
      // Counting starts anew, so that equal scopes print alike.
      next_number_.clear();
    }
    if (last.id != NodeId::none) texts_[index(last.id)] = last.before;
  }
}

void ScopedNames::clear() {
  texts_.clear();
  taken_.clear();
  next_number_.clear();
  undo_.clear();
}

// --- Objects in the metadata -------------------------------------------------------------------

namespace {

/// Objects are listed once, in the order in which the text mentions them.
std::string reference_in(std::vector<NodeId>& listed, std::string_view type_key, Node object) {
  const auto found = std::ranges::find(listed, object.id());
  const auto position = found - listed.begin();
  if (found == listed.end()) listed.push_back(object.id());
  return fmt::format("metadata[\"{}\"][{}]", type_key, position);
}

}  // namespace

std::string MetadataObjects::reference(Node object) {
  const std::string key(object.is(Kind::Opaque) ? object.text(f::Opaque::type_key)
                                                : object.info().type_key);
  return reference_in(objects_[key], key, object);
}

std::string MetadataObjects::reference_to_left_out(Node array) {
  note_missing();
  return reference_in(left_out_, array.info().type_key, array);
}

}  // namespace mlf::tir::tvmscript
