// Where integers and statements are in the text that a module was read from, for edits of the text.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "mlf/tir/document.h"

namespace mlf::tir {

struct CSources;

/// Bytes of one source.
struct Place {
  std::uint32_t file = 0;  ///< index into CSources::files; 0 in other dialects
  SourceRange range;
  friend bool operator==(const Place&, const Place&) = default;
};

/// The places that a reader notes when it is asked to: the digits of each IntImm that the text
/// spells, and each statement of the text. In save_json, which spells a node once and refers to it
/// by number, the place of a statement is the number in the SeqStmt that lists it beside others.
class Places {
 public:
  /// A node that is added at two places has none.
  void add(NodeId id, Place place) {
    const auto [known, is_new] = places_.try_emplace(id, place);
    if (!is_new && known->second != place) known->second = {};
  }
  /// Null where the reader noted none, or several.
  const Place* find(NodeId id) const {
    const auto found = places_.find(id);
    const bool is_known = found != places_.end() && found->second != Place();
    return is_known ? &found->second : nullptr;
  }

 private:
  std::unordered_map<NodeId, Place> places_;
};

/// The same as `read`, and notes the places. Old TVMScript, repr text and tir-N.json have none.
Result<Document> read_with_places(const Input& input, const ReadLimits& limits, Places& places);
/// The same as `read_c`, and notes the places.
Result<Document> read_c_with_places(const CSources& sources, const ReadLimits& limits,
                                    Places& places);

}  // namespace mlf::tir
