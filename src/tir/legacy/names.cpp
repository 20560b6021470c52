#include "tir/legacy/names.h"

namespace mlf::tir::legacy {
namespace {

constexpr std::size_t kNotFound = std::string_view::npos;

/// Start of the name that ends at `end`, parentheses as in `T_add(red)` included.
std::size_t name_begin(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  if (begin > 0 && text[begin - 1] == ')') {
    const std::size_t open = text.rfind('(', begin - 1);
    if (open != kNotFound) begin = open;
  }
  while (begin > 0 && continues_name(text[begin - 1])) --begin;
  return begin;
}

bool defines_buffer(std::string_view behind_name) {
  return behind_name.starts_with(" = alloc_buffer(") ||
         behind_name.starts_with(" = decl_buffer(") || behind_name.starts_with(" = match_buffer(");
}

}  // namespace

std::size_t NameTable::place_of_definition(std::string_view name) {
  if (!is_indexed_) index_definitions();
  const auto found = places_.find(name);
  return found == places_.end() ? kNotFound : found->second;
}

void NameTable::index_definitions() {
  is_indexed_ = true;
  for (std::size_t i = text_.find_first_of("\": "); i != kNotFound;
       i = text_.find_first_of("\": ", i + 1)) {
    if (text_[i] == '"') {
      const std::size_t end = string_end(strings_, text_, i);
      if (end == kNotFound) return;
      i = end - 1;
      continue;
    }
    const bool is_definition =
        text_[i] == ':' ? annotation_end(text_, i + 1) != i + 1 : defines_buffer(text_.substr(i));
    if (!is_definition) continue;
    const std::size_t begin = name_begin(text_, i);
    if (begin < i) places_.try_emplace(text_.substr(begin, i - begin), begin);
  }
}

}  // namespace mlf::tir::legacy
