#include "run/hooks.h"

#include <fmt/core.h>

#include "optimize/call_slots.h"
#include "optimize/edit.h"
#include "run/program.h"
#include "support/error.h"

namespace mlf::run {

optimize::EditedMembers with_hooks(const Deployment& deployment, const Network& network) {
  optimize::EditedMembers edited(deployment.archive());
  const optimize::MainCalls main =
      optimize::calls_of_main(deployment, edited, network.module, network.topology, {});
  const std::string& member = main.member->name;
  std::vector<optimize::Edit> edits;
  std::string declarations;
  for (std::size_t i = 0; i < main.slots.size(); ++i) {
    const optimize::CallSlot& slot = main.slots[i];
    const std::string hook = hook_of(graph::CallId{static_cast<std::uint32_t>(i)});
    if (!slot.callee)
      optimize::refuse("a call of '" + slot.symbol + "' is not in its statement", member);
    edits.push_back({slot.callee->range, hook});
    // Without parameters, because the program contains the definition. In the first line, so that
    // line numbers do not change.
    declarations += fmt::format("int {}(); ", hook);
  }
  if (main.text.starts_with('#')) declarations += '\n';
  edited.replace({member, declarations + optimize::apply(main.text, std::move(edits))});
  return edited;
}

}  // namespace mlf::run
