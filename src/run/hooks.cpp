#include "run/hooks.h"

#include <fmt/core.h>

#include "edit/call_slots.h"
#include "edit/edit.h"
#include "run/program.h"
#include "support/error.h"

namespace mlf::run {

edit::EditedMembers with_hooks(const Deployment& deployment, const Network& network) {
  edit::EditedMembers edited(deployment.archive());
  const edit::MainCalls main =
      edit::calls_of_main(deployment, edited, network.module, network.topology, {});
  const std::string& member = main.member->name;
  std::vector<edit::Edit> edits;
  std::string declarations;
  for (std::size_t i = 0; i < main.slots.size(); ++i) {
    const edit::CallSlot& slot = main.slots[i];
    const std::string hook = hook_of(graph::CallId{static_cast<std::uint32_t>(i)});
    if (!slot.callee)
      edit::refuse("a call of '" + slot.symbol + "' is not in its statement", member);
    edits.push_back({slot.callee->range, hook});
    // Without parameters, because the program contains the definition. In the first line, so that
    // line numbers do not change.
    declarations += fmt::format("int {}(); ", hook);
  }
  if (main.text.starts_with('#')) declarations += '\n';
  edited.replace({member, declarations + edit::apply(main.text, std::move(edits))});
  return edited;
}

}  // namespace mlf::run
