#include "run/hooks.h"

#include <fmt/core.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "edit/call_slots.h"
#include "edit/edit.h"
#include "run/program.h"
#include "support/error.h"

namespace mlf::run {

namespace {

/// The hook of a kernel is in another file.
void export_static(const std::string& symbol, std::string_view text,
                   std::vector<edit::Edit>& edits) {
  constexpr std::string_view kStatic = "static";
  const std::string head = fmt::format("{} int32_t {}(", kStatic, symbol);
  for (std::size_t at = text.find(head); at != text.npos; at = text.find(head, at + 1)) {
    edits.push_back({edit::at(at, at + kStatic.size()), std::string(kStatic.size(), ' ')});
  }
}

}  // namespace

edit::EditedMembers with_hooks(const Deployment& deployment, const Network& network) {
  edit::EditedMembers edited(deployment.archive());
  const edit::MainCalls main =
      edit::calls_of_main(deployment, edited, network.module, network.topology, {});
  const std::string& member = main.member->name;
  std::vector<edit::Edit> edits;
  std::string declarations;
  std::set<std::string> symbols;
  for (std::size_t i = 0; i < main.slots.size(); ++i) {
    const edit::CallSlot& slot = main.slots[i];
    const std::string hook = hook_of(graph::CallId{static_cast<std::uint32_t>(i)});
    if (!slot.callee)
      edit::refuse("a call of '" + slot.symbol + "' is not in its statement", member);
    edits.push_back({slot.callee->range, hook});
    if (symbols.insert(slot.symbol).second) export_static(slot.symbol, main.text, edits);
    // Without parameters, because the program contains the definition. In the first line, so that
    // line numbers do not change.
    declarations += fmt::format("int {}(); ", hook);
  }
  if (main.text.starts_with('#')) declarations += '\n';
  edited.replace({member, declarations + edit::apply(main.text, std::move(edits))});
  return edited;
}

}  // namespace mlf::run
