#include "replan/edit.h"

#include <algorithm>

#include "support/error.h"

namespace mlf::replan {

std::string apply(std::string_view text, std::vector<Edit> edits) {
  // Each representation is gone through function by function, in whatever order it has them.
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  std::string result;
  result.reserve(text.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const Edit& edit = edits[i];
    if (i > 0 && edits[i - 1].offset == edit.offset) {
      // One number that two sites share, such as a node that save_json writes once.
      if (edits[i - 1].value == edit.value) continue;
      refuse("one number would have to be two: " + std::to_string(edits[i - 1].value) + " and " +
             std::to_string(edit.value));
    }
    result += text.substr(kept, edit.offset - kept);
    result += std::to_string(edit.value);
    kept = edit.offset + edit.length;
  }
  result += text.substr(kept);
  return result;
}

// One kind of error for all refusals: the archive is what it was, and the exit code is 1.
void refuse(std::string message, std::string_view where) {
  Location place;
  place.member = std::string(where);
  throw support::Error(ErrorKind::check_failed, std::move(message), place);
}

}  // namespace mlf::replan
