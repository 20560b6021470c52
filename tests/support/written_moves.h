// An archive with buffers of its pools at other offsets.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "archive/output_file.h"
#include "optimize/edited_archive.h"
#include "optimize/moves.h"
#include "support/error.h"

namespace mlf::test {

/// Writes it, and returns the members that change.
inline Result<std::vector<std::string>> write_moves(const Deployment& deployment,
                                                    std::span<const optimize::PoolMove> moves,
                                                    const std::string& output) {
  return support::to_result([&] {
    optimize::EditedMembers edited(deployment.archive());
    for (archive::EditedMember& one : optimize::with_offsets(deployment, moves, {})) {
      edited.replace(std::move(one));
    }
    static_cast<void>(edited.write(output, {}));
    return edited.names();
  });
}

}  // namespace mlf::test
