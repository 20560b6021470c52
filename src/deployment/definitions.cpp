#include "deployment/definitions.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "deployment/tir_name.h"
#include "support/error.h"
#include "tir/c/read/words.h"

namespace mlf::deployment {
namespace {

constexpr std::string_view kWhitespace = " \t\r\n";

bool describes_network(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings{".json", ".txt", ".relay", ".params",
                                                     ".graph"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

/// Whether `(…)` and then the rest of an expression or the end of a statement follows. A body, a
/// declaration of an old parameter or an attribute such as `alias` follows in a definition.
bool is_call_or_prototype(std::string_view text, std::size_t at) {
  at = text.find_first_not_of(kWhitespace, at);
  if (at == text.npos || text[at] != '(') return false;
  constexpr std::size_t kMostText = 4'096;  // of one call
  text = text.substr(0, at + kMostText);
  std::size_t depth = 0;
  for (; at != text.npos; at = text.find_first_of("()", at + 1)) {
    if (text[at] == '(') {
      ++depth;
    } else if (--depth == 0) {
      at = text.find_first_not_of(kWhitespace, at + 1);
      return at != text.npos && std::string_view(";,)!=<>&|?:").find(text[at]) != text.npos;
    }
  }
  return false;
}

}  // namespace

support::NameSet<std::string> possible_definitions(const archive::Archive& archive,
                                                   const support::NameSet<std::string>& functions) {
  support::NameSet<std::string> found;
  if (functions.empty()) return found;
  for (const archive::Member& member : archive.members()) {
    if (member.type != archive::MemberType::file || describes_network(member.name)) continue;
    const std::string_view text = support::get_or_throw(archive.read(member));
    std::size_t end = 0;
    for (std::size_t at = text.find(kSymbolPrefix); at != text.npos;
         at = text.find(kSymbolPrefix, end)) {
      const std::string_view word = tir::c::word_at(text, at);
      end = at + word.size();
      const bool is_word = tir::c::word_before(text, at).empty();
      const auto function = functions.find(word);
      if (!is_word || function == functions.end() || is_call_or_prototype(text, end)) continue;
      found.insert(*function);
    }
  }
  return found;
}

}  // namespace mlf::deployment
