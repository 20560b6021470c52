// What is in brackets and behind dots: loads, regions, slices, parts of buffers.
#pragma once

#include <vector>

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

/// Replaces the value before the dot, on top of the stack, by that of the whole `A.data`.
void lower_attribute(Context& c, text::SyntaxId id);
/// Replaces the values of `A[i, j]` by that of the whole.
void lower_subscript(Context& c, text::SyntaxId id);

NodeId as_buffer(Context& c, const Value& value);
/// Indices of a load or a store; slices become Ramps.
std::vector<NodeId> as_indices(Context& c, const Value& access);
/// A BufferRegion; a plain buffer is the whole of it.
NodeId as_region(Context& c, const Value& value);
NodeId as_range(Context& c, const Value& value);
std::vector<NodeId> as_ranges(Context& c, const Value& access);
/// The Range from `first` up to `last`, which it excludes.
NodeId range_to(Context& c, const Value& first, const Value& last);
/// The te.Tensor that is accessed.
NodeId as_producer(Context& c, const Value& access);

/// Whether a node is the data of a constant, which `.numpy()` hands on.
bool is_array(Context& c, NodeId node);

}  // namespace mlf::tir::tvmscript
