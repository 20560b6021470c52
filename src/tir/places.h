// Where integers and statements are in the text that a module was read from, for edits of the text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/tir/document.h"
#include "support/lookup.h"

namespace mlf::tir {

struct CSources;

/// Bytes of one source.
struct Place {
  std::uint32_t file = 0;  ///< index into CSources::files; 0 in other dialects
  SourceRange range;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Where generated C declares a constant: an array, or a member of a pool.
struct DeclaredConstant {
  NodeId array = NodeId::none;  ///< NDArray
  std::uint32_t file = 0;       ///< index into CSources::files
  SourceRange declaration;      ///< of an array, its values are in it
  SourceRange type;             ///< of its elements
  SourceRange count;            ///< digits of the number of elements
  SourceRange values;           ///< between the braces
  SourceRange initializer;      ///< of a member, `.name = {…},`; empty for an array
  std::int64_t alignment = 1;   ///< in bytes, as an attribute states it
};

/// `I.ConstantInfo("w", byte_offset=64, data=…)` in a list of constants of a pool. Of several
/// mentions of one constant the IR has one node.
struct ListedConstant {
  NodeId info = NodeId::none;  ///< ConstantInfo
  SourceRange mention;
  SourceRange offset;  ///< its digits
};

/// The places that a reader notes when it is asked to: the digits of each IntImm that the text
/// spells, each statement, and each load of a buffer. In generated C also the declarations of
/// constants, and the StringImm that names the function of a call; in TVMScript and legacy text the
/// types of elements of pointers and buffers, and constants in lists of pools. Of the metadata
/// section of a text only integers.
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

  /// The type of the elements behind a Var or a Buffer; every place that spells it.
  void add_dtype(NodeId id, Place place) {
    std::vector<Place>& places = dtypes_[id];
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  std::span<const Place> dtypes(NodeId id) const {
    const auto* const places = support::find_value(dtypes_, id);
    return places == nullptr ? std::span<const Place>() : std::span(*places);
  }

  // Lists are in the order of the text.

  /// Loads with their texts. One of which the IR keeps another copy, such as the second operand of
  /// `(a) < (b) ? (a) : (b)`, is a node of the module that nothing refers to.
  std::vector<std::pair<NodeId, Place>> loads;
  /// The elements of an AllocateConst in TVMScript, `[1, 2]`, by its variable.
  std::unordered_map<NodeId, Place> values;
  /// The names of parameters of generated C: empty ranges where they begin.
  std::unordered_map<NodeId, Place> parameters;
  std::vector<ListedConstant> listed;
  std::vector<DeclaredConstant> constants;

 private:
  std::unordered_map<NodeId, Place> places_;
  std::unordered_map<NodeId, std::vector<Place>> dtypes_;
};

/// The same as `read`, and notes the places. Old TVMScript and JSON have none.
/// Throws its errors.
Document read_with_places(const Input& input, const ReadLimits& limits, Places& places);
/// The same as `read_c`, and notes the places.
Document read_c_with_places(const CSources& sources, const ReadLimits& limits, Places& places);

}  // namespace mlf::tir
