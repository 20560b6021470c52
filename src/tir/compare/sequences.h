// Sequences of statements as texts show them.
#pragma once

#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::compare_detail {

/// A statement as the list that remains once sequences are spliced in; one that is no sequence is a
/// list of itself.
std::vector<Node> spliced(Node stmt);

/// Whether two statements are nested in sequences in the same way.
bool has_same_sequences(Node left, Node right);

/// The statement in a sequence of one; the node itself otherwise.
Node unwrapped(Node stmt);

}  // namespace mlf::tir::compare_detail
