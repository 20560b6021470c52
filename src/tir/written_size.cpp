#include "tir/written_size.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "mlf/tir/visit.h"
#include "support/error.h"
#include "tir/storage.h"

namespace mlf::tir {
namespace {

/// Text repeats what it refers to: names of variables, numbers, the same small index twice. Real
/// modules take less than twice their nodes.
constexpr std::uint64_t kUsualSharing = 4;

/// What is spelled out in its place. Variables, buffers and constants have names, types are small.
bool is_spelled_out(Node node) {
  return node.category() == Category::expr || node.category() == Category::stmt;
}

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

/// The nodes that each part of `root` takes as a tree, by node.
std::vector<std::uint64_t> sizes_below(Node root) {
  std::vector<std::uint64_t> sizes(root.module().size());
  // Parts before the whole, each once: linear in the DAG, whatever the tree would be.
  for_each_post_order(root, [&](Node node) {
    std::uint64_t size = 1;
    for_each_child(node, [&](Node child, const FieldInfo&) {
      size = saturating_sum(size, is_spelled_out(child) ? sizes[index(child.id())] : 1);
    });
    sizes[index(node.id())] = size;
  });
  return sizes;
}

}  // namespace

std::uint64_t written_limit(const Module& module, std::uint64_t most) {
  return std::max(most, kUsualSharing * module.size());
}

void refuse_written_size(std::uint64_t limit) {
  throw support::Error(ErrorKind::invalid_input,
                       fmt::format("shared nodes take more than {} nodes when written out", limit));
}

void check_written_size(const Module& module, std::uint64_t most) {
  const Node root = module.root();
  if (!root || !root.is(Kind::IRModule)) return;
  const std::uint64_t limit = written_limit(module, most);
  const std::vector<std::uint64_t> sizes = sizes_below(root);
  std::uint64_t total = 0;
  const NodeMap functions = root.map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Node function = functions.value(i);
    if (function) total = saturating_sum(total, sizes[index(function.id())]);
  }
  if (total > limit) refuse_written_size(limit);
}

void check_written_size(Node function, std::uint64_t most) {
  const std::uint64_t limit = written_limit(function.module(), most);
  if (sizes_below(function)[index(function.id())] > limit) refuse_written_size(limit);
}

}  // namespace mlf::tir
