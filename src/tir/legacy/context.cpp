// What holds for a whole text: its names, and its metadata section.
#include "tir/legacy/context.h"

#include "tir/text/literals.h"

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

/// The definitions that are statements; all others have a colon behind the name.
bool defines_buffer(std::string_view behind_name) {
  return behind_name.starts_with(" = alloc_buffer(") ||
         behind_name.starts_with(" = decl_buffer(") || behind_name.starts_with(" = match_buffer(");
}

constexpr std::string_view kHeading = "#[metadata]\n";
constexpr std::string_view kOmitted = "/* For debugging purposes the metadata section has been";

/// Offset of the last line that starts with `start`; npos where there is none. Searched forwards,
/// for the first character of `start` is rare.
std::size_t last_line(std::string_view text, std::string_view start) {
  std::size_t last = std::string_view::npos;
  for (std::size_t at = text.find(start); at != std::string_view::npos;
       at = text.find(start, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') last = at;
  }
  return last;
}

struct Reference {
  std::string type_key;
  std::int64_t index;
};

/// `meta[relay.attrs.X][0]`
Reference parse_reference(std::string_view text) {
  const std::size_t key = text.find('[') + 1;
  const std::size_t close = text.find("][", key);
  const std::string_view digits = text.substr(close + 2, text.size() - close - 3);
  return {std::string(text.substr(key, close - key)), text::parse_integer(digits).value_or(-1)};
}

}  // namespace

// --- Names -------------------------------------------------------------------------------------

std::size_t NameTable::place_of_definition(std::string_view name) {
  if (!is_indexed_) index_definitions();
  const auto found = places_.find(name);
  return found == places_.end() ? kNotFound : found->second;
}

/// Done once a text, when the first name is used in front of its definition.
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

// --- Metadata ----------------------------------------------------------------------------------

Sections sections_of(std::string_view text) {
  if (const std::size_t at = last_line(text, kHeading); at != std::string_view::npos) {
    return {at, at + kHeading.size()};
  }
  if (const std::size_t at = last_line(text, kOmitted); at != std::string_view::npos) {
    return {at, text.size()};
  }
  return {text.size(), text.size()};
}

VersionRange Metadata::read(const support::SourceText& source, std::size_t begin,
                            const ReadLimits& limits) {
  section_ = read_metadata(source, begin, source.text.size(), limits, make_.builder(), losses_);
  make_.adopt_ops(section_.ops);
  return section_.version;
}

NodeId Metadata::find(std::string_view reference, std::string_view where) {
  const Reference wanted = parse_reference(reference);
  if (const auto found = section_.objects.find(wanted.type_key); found != section_.objects.end()) {
    const auto index = static_cast<std::size_t>(wanted.index);
    if (wanted.index >= 0 && index < found->second.size()) return found->second[index];
  }
  return missing_.mention(wanted.type_key, wanted.index, reference, where);
}

}  // namespace mlf::tir::legacy
