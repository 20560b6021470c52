// Sequences of statements as texts show them.
#pragma once

#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::compare_detail {

/// A statement as the list that remains once sequences are spliced in; one that is no sequence is a
/// list of itself.
std::vector<Node> spliced(Node stmt);

/// The body of a statement that covers what follows it: a let, an attribute, an assertion, an
/// allocation or a declaration. Undefined for any other one.
Node covered_by(Node stmt);

/// A statement as the lines of its block: sequences are spliced in, and a statement that covers
/// others stands before them.
std::vector<Node> lines_of(Node stmt);

/// Whether two statements are nested in sequences in the same way.
bool has_same_sequences(Node left, Node right);

/// The same, and what covers others covers as many of them.
bool has_same_scopes(Node left, Node right);

/// The statement in a sequence of one; the node itself otherwise.
Node unwrapped(Node stmt);

}  // namespace mlf::tir::compare_detail
