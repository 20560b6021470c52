#include "optimize/loads.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "mlf/tir/visit.h"
#include "support/characters.h"
#include "tir/c/write/code.h"
#include "tir/node_queries.h"

namespace mlf::optimize {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

LoadPlaces loads_by_variable(const tir::Module& module, const tir::Places& places) {
  LoadPlaces loads;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> known;
  for (const auto& [load, place] : places.loads()) {
    if (!known.emplace(place.file, place.range.begin, place.range.end).second) continue;
    const Node variable = module.node(load)[f::BufferLoad::buffer][f::Buffer::data];
    loads[variable.id()].push_back(place);
  }
  return loads;
}

std::optional<tir::SourceRange> plain_index(std::string_view text, tir::SourceRange load) {
  constexpr std::string_view kOther = "_.()*+-/%,<> ";
  if (load.end <= load.begin || text[load.end - 1] != ']') return std::nullopt;
  std::uint32_t begin = load.end - 1;
  while (begin > load.begin && text[begin - 1] != '[') {
    --begin;
    if (!support::is_word_character(text[begin]) && kOther.find(text[begin]) == kOther.npos)
      return std::nullopt;
  }
  if (begin == load.begin || begin + 1 == load.end) return std::nullopt;
  return tir::SourceRange{begin, load.end - 1};
}

bool has_plain_indices(Node load) {
  constexpr std::array<std::string_view, 6> kPure{"tir.shift_left",  "tir.shift_right",
                                                  "tir.bitwise_and", "tir.bitwise_or",
                                                  "tir.bitwise_xor", "tir.bitwise_not"};
  bool are_plain = true;
  for (const Node index : load.list(f::BufferLoad::indices)) {
    are_plain = are_plain && index.dtype() == tir::DType::Int(32);
    tir::for_each_pre_order(index, [&](Node node) {
      const auto is_it = [&](std::string_view op) { return tir::is_call_of(node, op); };
      are_plain = are_plain && (!node.is(Kind::Call) || std::ranges::any_of(kPure, is_it));
    });
  }
  return are_plain;
}

std::optional<CLoad> c_load(std::string_view text, tir::SourceRange range) {
  const std::string_view load = edit::text_in(text, range);
  if (load.empty() || load.front() != '(') {
    return load.empty() || !support::is_word_character(load.front()) ? std::nullopt
                                                                     : std::optional(CLoad{});
  }
  constexpr std::string_view kCast = "((";
  const std::size_t star = load.find('*');
  if (!load.starts_with(kCast) || star == load.npos) return std::nullopt;
  const std::string_view type = load.substr(kCast.size(), star - kCast.size());
  if (type.empty() || !std::ranges::all_of(type, support::is_word_character)) return std::nullopt;
  const auto begin = static_cast<std::uint32_t>(range.begin + kCast.size());
  return CLoad{tir::SourceRange{begin, static_cast<std::uint32_t>(begin + type.size())}};
}

std::vector<edit::Edit> cast_edits(std::string_view text, tir::SourceRange load, tir::DType from,
                                   tir::DType to) {
  std::vector<edit::Edit> edits{{{load.begin, load.begin}, "((" + tir::c::type_text(from) + ")"}};
  const auto parts = c_load(text, load);
  if (parts && parts->type) edits.push_back({*parts->type, tir::c::type_text(to)});
  edits.push_back({{load.end, load.end}, ")"});
  return edits;
}

}  // namespace mlf::optimize
