// Modules that can still be changed: for tests that ask whether a change is noticed.
#pragma once

#include "mlf/tir/builder.h"

namespace mlf::test {

/// The value of a field, made anew in another builder. Ids of nodes stay as they are.
tir::FieldValue copied_field(tir::Builder& builder, tir::Node node, std::uint8_t field);

/// All nodes of `original` in a new builder, under the same ids, spans included.
tir::Builder copied(const tir::Module& original);

/// A further node with the same fields as one of `original`, in a builder made by `copied`.
tir::NodeId add_twin(tir::Builder& builder, const tir::Module& original, tir::NodeId id);

/// Lets every field below `original`'s root that refers to `from` refer to `to`, in a builder made
/// by `copied`.
void redirect(tir::Builder& builder, const tir::Module& original, tir::NodeId from, tir::NodeId to);

}  // namespace mlf::test
