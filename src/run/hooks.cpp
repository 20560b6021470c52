#include "run/hooks.h"

#include <fmt/core.h>

#include "optimize/call_slots.h"
#include "optimize/edit.h"
#include "run/program.h"
#include "support/characters.h"
#include "support/error.h"
#include "tir/places.h"

namespace mlf::run {
namespace {

using optimize::CallSlot;
using optimize::Edit;
using optimize::refuse;
using support::get_or_throw;

/// The range of `symbol` in its call in `range`: the whole word before a parenthesis.
tir::SourceRange called_word(std::string_view text, tir::SourceRange range, std::string_view symbol,
                             const std::string& member) {
  const std::string_view statement = text.substr(range.begin, range.end - range.begin);
  std::size_t at = support::find_word(statement, symbol);
  for (; at != statement.npos; at = support::find_word(statement, symbol, at + 1)) {
    const std::size_t behind = statement.find_first_not_of(" \t\r\n", at + symbol.size());
    if (behind == statement.npos || statement[behind] != '(') continue;
    const auto begin = static_cast<std::uint32_t>(range.begin + at);
    return {begin, begin + static_cast<std::uint32_t>(symbol.size())};
  }
  refuse("a call of '" + std::string(symbol) + "' is not in its statement", member);
}

}  // namespace

MainCalls calls_of_main(const Deployment& deployment, const Network& network) {
  const graph::Topology& topology = network.topology;
  const optimize::EditedMembers members(deployment.archive());
  optimize::Symbols kernels;
  for (const graph::Kernel& kernel : topology.kernels) kernels.insert(kernel.symbol);
  for (const TirSource& c : get_or_throw(deployment.generated_c(network.module))) {
    tir::Places places;
    const tir::Document document = tir::read_c_with_places(members.files_of(c), {}, places);
    const tir::Node main =
        optimize::function_with_symbol(document.module, topology.provenance.symbol);
    if (!main) continue;
    std::vector<CallSlot> slots = optimize::call_slots(main, places, kernels);
    const std::size_t file = slots.empty() ? 0 : slots.front().place.file;
    const archive::Member& member = *c.c_members[file];
    bool is_same = slots.size() == topology.calls.size();
    for (std::size_t i = 0; is_same && i < slots.size(); ++i) {
      is_same = slots[i].symbol == topology.kernel_of(topology.calls[i]).symbol &&
                slots[i].place.file == file;
    }
    if (!is_same) refuse("main does not show the calls of the network here", member.name);
    return {&member, members.text_of(member), std::move(slots)};
  }
  refuse("the archive has no C of function '" + topology.provenance.symbol + "'");
}

optimize::EditedMembers with_hooks(const Deployment& deployment, const Network& network) {
  const MainCalls main = calls_of_main(deployment, network);
  const std::string& member = main.member->name;
  std::vector<Edit> edits;
  std::string declarations;
  for (std::size_t i = 0; i < main.slots.size(); ++i) {
    const CallSlot& slot = main.slots[i];
    const std::string hook = hook_of(graph::CallId{static_cast<std::uint32_t>(i)});
    edits.push_back({called_word(main.text, slot.place.range, slot.symbol, member), hook});
    // Without parameters, because the program contains the definition. In the first line, so that
    // line numbers do not change.
    declarations += fmt::format("int {}(); ", hook);
  }
  if (main.text.starts_with('#')) declarations += '\n';
  optimize::EditedMembers edited(deployment.archive());
  edited.replace({member, declarations + optimize::apply(main.text, std::move(edits))});
  return edited;
}

}  // namespace mlf::run
