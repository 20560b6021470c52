#include "tir/legacy/metadata.h"

#include "tir/text/literals.h"

namespace mlf::tir::legacy {
namespace {

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

Reference parse_reference(std::string_view text) {
  const std::size_t key = text.find('[') + 1;
  const std::size_t close = text.find("][", key);
  const std::string_view digits = text.substr(close + 2, text.size() - close - 3);
  return {std::string(text.substr(key, close - key)), text::parse_integer(digits).value_or(-1)};
}

}  // namespace

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
