// An archive with buffers of its pools at other offsets.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "archive/output_file.h"
#include "edit/edited_archive.h"
#include "optimize/steps.h"
#include "support/error.h"

namespace mlf::test {

/// Writes it, and returns the members that change.
inline Result<std::vector<std::string>> write_moves(const Deployment& deployment,
                                                    std::span<const optimize::PoolMove> moves,
                                                    const std::string& output) {
  return support::to_result([&] {
    edit::EditedMembers edited(deployment);
    const Networks networks = support::get_or_throw(deployment.networks());
    optimize::NetworkOfModule of_module;
    for (const Network& one : networks.found) of_module.emplace(one.module, &one.topology);
    optimize::move_buffers(edited, of_module, moves);
    static_cast<void>(edited.write(output));
    return edited.names();
  });
}

}  // namespace mlf::test
