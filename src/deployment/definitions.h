// Finds definitions of functions that the readers of C do not understand.
#pragma once

#include <string>
#include <string_view>

#include "mlf/archive.h"
#include "support/name_map.h"

namespace mlf::deployment {

/// Returns those of `functions`, which begin with "tvmgen_", that a member of the archive may
/// define in a form that mlf does not read: it names them in another way than by a call or a
/// prototype. Members that describe the network define nothing.
support::NameSet<std::string> possible_definitions(const archive::Archive& archive,
                                                   const support::NameSet<std::string>& functions);

}  // namespace mlf::deployment
