// Small questions about one node that several readers and writers ask.
#pragma once

#include <string_view>

#include "mlf/tir/module.h"

namespace mlf::tir {

/// Whether this is a Call of the operator with that full name, such as "tir.shift_left".
inline bool is_call_of(Node node, std::string_view op) {
  return node.is(Kind::Call) && node[f::Call::op].is(Kind::Op) &&
         node[f::Call::op].text(f::Op::name) == op;
}

/// Whether this is an IntImm or a FloatImm.
inline bool is_number_literal(Node node) { return node.is(Kind::IntImm) || node.is(Kind::FloatImm); }

}  // namespace mlf::tir
