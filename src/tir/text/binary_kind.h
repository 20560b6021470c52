// What binary operators are in the texts of TVM's old printers, legacy and repr.
#pragma once

#include <optional>

#include "mlf/tir/kind.h"
#include "tir/text/sign.h"

namespace mlf::tir::text {

/// The kind of `a sign b`; nothing for a sign that is no such operator. TVMScript has kinds of its
/// own: `%` is FloorMod there.
std::optional<Kind> binary_kind(Sign sign);

}  // namespace mlf::tir::text
