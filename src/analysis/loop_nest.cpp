#include "analysis/loop_nest.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/expression_text.h"
#include "graph/node_queries.h"

namespace mlf::analysis {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// Fully unrolled kernels have thousands of statements; a statement that save_json shares is written
// at each occurrence.
constexpr std::size_t kMostLines = 10000;

/// "float32[1, 16]", or the type of a scalar or of a pointer to unknown memory.
std::string type_text(const ExpressionText& text, tir::DType dtype, tir::NodeList shape) {
  return tir::to_string(dtype) + text.list_text(shape);
}

std::string_view loop_form(tir::ForKind kind) {
  switch (kind) {
    case tir::ForKind::parallel:
      return "parallel";
    case tir::ForKind::vectorized:
      return "vectorized";
    case tir::ForKind::unrolled:
      return "unrolled";
    case tir::ForKind::thread_binding:
      return "threads";
    case tir::ForKind::serial:
      break;
  }
  return "range";
}

/// Writes statement after statement with an explicit stack.
class NestWriter {
 public:
  NestWriter(Node function, const KernelCost& cost) : function_(function), text_(function) {
    // A loop that several paths reach has the cost of the first one.
    for (std::size_t i = 0; i < cost.loops.size(); ++i) {
      loops_.emplace(index(cost.loops[i].node), i);
    }
  }

  LoopNest run(std::string_view name) {
    write_head(name);
    next(function_[f::PrimFunc::body], 1);
    while (!stack_.empty()) {
      const NestItem step = std::move(stack_.back());
      stack_.pop_back();
      if (nest_.lines.size() >= kMostLines) {
        nest_.is_cut = true;
        break;
      }
      if (step.statement) {
        write(step.statement, step.depth);
      } else {
        line(step.depth, step.line);
      }
    }
    return std::move(nest_);
  }

 private:
  /// A statement, or else a line.
  struct NestItem {
    Node statement;
    std::uint32_t depth;
    std::string line{};
  };

  void write_head(std::string_view name) {
    const tir::NodeMap buffers = function_.map(f::PrimFunc::buffer_map);
    std::string params;
    for (const Node param : function_.list(f::PrimFunc::params)) {
      std::string type = tir::to_string(param.dtype());
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers.key(i) != param) continue;
        const Node buffer = buffers.value(i);
        type = type_text(text_, buffer.dtype(f::Buffer::dtype), buffer.list(f::Buffer::shape));
      }
      params += fmt::format("{}{}: {}", params.empty() ? "" : ", ", text_.name_of(param), type);
    }
    line(0, fmt::format("def {}({}):", name, params));
  }

  void write_loop(Node loop, std::uint32_t depth) {
    const auto kind = static_cast<tir::ForKind>(loop.integer(f::For::kind));
    const Node begin = loop[f::For::min];
    std::string bounds = text_.text(loop[f::For::extent]);
    if (text_.constant(begin) != 0) {
      const auto first = text_.constant(begin);
      const auto extent = text_.constant(loop[f::For::extent]);
      std::int64_t end = 0;
      const bool is_folded = first && extent && !__builtin_add_overflow(*first, *extent, &end);
      bounds = fmt::format("{}, {}", text_.text(begin),
                           is_folded ? std::to_string(end) : text_.text(begin) + " + " + bounds);
    }
    line(depth, fmt::format("for {} in {}({}):", text_.name_of(loop[f::For::loop_var]),
                            loop_form(kind), bounds));
    const auto known = loops_.find(index(loop.id()));
    if (known != loops_.end()) nest_.lines.back().loop = known->second;
    next(loop[f::For::body], depth + 1);
  }

  void write_branch(Node branch, std::uint32_t depth) {
    line(depth, fmt::format("if {}:", text_.text(branch[f::IfThenElse::condition])));
    const Node otherwise = branch[f::IfThenElse::else_case];
    next(otherwise, depth + 1);
    if (otherwise) stack_.push_back({{}, depth, "else:"});
    next(branch[f::IfThenElse::then_case], depth + 1);
  }

  /// GPU threads are attributes around their statements; other attributes are for TVM's passes.
  void write_attribute(Node attribute, std::uint32_t depth) {
    const Node about = attribute[f::AttrStmt::node];
    const bool is_thread =
        attribute.text(f::AttrStmt::attr_key) == "thread_extent" && about.is(Kind::IterVar);
    if (is_thread) {
      line(depth, fmt::format("for {} in threads({}):", text_.name_of(about[f::IterVar::var]),
                              text_.text(attribute[f::AttrStmt::value])));
      const auto known = loops_.find(index(attribute.id()));
      if (known != loops_.end()) nest_.lines.back().loop = known->second;
    }
    next(attribute[f::AttrStmt::body], is_thread ? depth + 1 : depth);
  }

  void write_block(Node realize, std::uint32_t depth) {
    const Node block = realize[f::BlockRealize::block];
    // A block of an unknown kind is an opaque statement.
    if (!block.is(Kind::Block)) return next(block, depth);
    const tir::NodeList values = realize.list(f::BlockRealize::iter_values);
    const tir::NodeList variables = block.list(f::Block::iter_vars);
    std::string bound;
    for (std::size_t i = 0; i < std::min(values.size(), variables.size()); ++i) {
      bound += fmt::format("{}{} = {}", bound.empty() ? "" : ", ",
                           text_.name_of(variables[i][f::IterVar::var]), text_.text(values[i]));
    }
    line(depth, fmt::format("block {}({}):", block.text(f::Block::name_hint), bound));
    for (const Node buffer : block.list(f::Block::alloc_buffers)) {
      write_allocation("allocate", buffer[f::Buffer::data], buffer.dtype(f::Buffer::dtype),
                       buffer.list(f::Buffer::shape), depth + 1);
    }
    next(block[f::Block::body], depth + 1);
    if (!block[f::Block::init]) return;
    next(block[f::Block::init], depth + 2);
    stack_.push_back({{}, depth + 1, "first:"});
  }

  void write_allocation(std::string_view what, Node variable, tir::DType dtype,
                        tir::NodeList extents, std::uint32_t depth) {
    line(depth, fmt::format("{} = {}({})", text_.name_of(variable), what,
                            type_text(text_, dtype, extents)));
    nest_.lines.back().bytes = graph::bytes_of(dtype, extents);
  }

  void write_store(const std::string& target, Node value, Node predicate, std::uint32_t depth) {
    // A vector of ones masks nothing.
    std::string mask;
    if (predicate && text_.text(predicate) != "True") mask = " where " + text_.text(predicate);
    std::string sign = "=";
    const bool is_sum = value.is(Kind::Add) && !text_.constant(value);
    const Node read = is_sum ? value[f::Add::a] : Node();
    if ((read.is(Kind::BufferLoad) || read.is(Kind::Load)) && text_.text(read) == target) {
      sign = "+=";
      value = value[f::Add::b];
    }
    line(depth, fmt::format("{} {} {}{}", target, sign, text_.text(value), mask));
  }

  void write(Node node, std::uint32_t depth) {
    switch (node.kind()) {
      case Kind::SeqStmt: {
        const tir::NodeList parts = node.list(f::SeqStmt::seq);
        for (std::size_t i = parts.size(); i-- > 0;) next(parts[i], depth);
        return;
      }
      case Kind::For:
        return write_loop(node, depth);
      case Kind::While:
        line(depth, fmt::format("while {}:", text_.text(node[f::While::condition])));
        return next(node[f::While::body], depth + 1);
      case Kind::IfThenElse:
        return write_branch(node, depth);
      case Kind::LetStmt:
        line(depth, fmt::format("{} = {}", text_.name_of(node[f::LetStmt::var]),
                                text_.text(node[f::LetStmt::value])));
        return next(node[f::LetStmt::body], depth);
      case Kind::AttrStmt:
        return write_attribute(node, depth);
      case Kind::AssertStmt:
        line(depth, fmt::format("assert {}", text_.text(node[f::AssertStmt::condition])));
        return next(node[f::AssertStmt::body], depth);
      case Kind::Allocate:
        write_allocation("allocate", node[f::Allocate::buffer_var], node.dtype(f::Allocate::dtype),
                         node.list(f::Allocate::extents), depth);
        return next(node[f::Allocate::body], depth);
      case Kind::AllocateConst:
        write_allocation("constant", node[f::AllocateConst::buffer_var],
                         node.dtype(f::AllocateConst::dtype), node.list(f::AllocateConst::extents),
                         depth);
        return next(node[f::AllocateConst::body], depth);
      case Kind::BufferRealize:
        return next(node[f::BufferRealize::body], depth);
      case Kind::ProducerRealize:
        return next(node[f::ProducerRealize::body], depth);
      case Kind::DeclBuffer:
        return next(node[f::DeclBuffer::body], depth);
      case Kind::BufferStore:
        return write_store(
            fmt::format("{}{}", text_.name_of(node[f::BufferStore::buffer][f::Buffer::data]),
                        text_.list_text(node.list(f::BufferStore::indices))),
            node[f::BufferStore::value], node[f::BufferStore::predicate], depth);
      case Kind::Store:
        return write_store(fmt::format("{}[{}]", text_.name_of(node[f::Store::buffer_var]),
                                       text_.index_text(node[f::Store::index])),
                           node[f::Store::value], node[f::Store::predicate], depth);
      case Kind::Evaluate: {
        const Node value = node[f::Evaluate::value];
        return line(depth, text_.constant(value) ? "pass" : text_.text(value));
      }
      case Kind::BlockRealize:
        return write_block(node, depth);
      default:
        // Writes rare and unknown statements by name.
        return line(depth, fmt::format("{}(...)", node.info().name));
    }
  }

  void line(std::uint32_t depth, std::string text) { nest_.lines.push_back({depth, text}); }
  void next(Node statement, std::uint32_t depth) {
    if (statement) stack_.push_back({statement, depth});
  }

  Node function_;
  ExpressionText text_;
  std::unordered_map<std::uint32_t, std::size_t> loops_;  // by node
  std::vector<NestItem> stack_;
  LoopNest nest_;
};

}  // namespace

LoopNest loop_nest(Node prim_func, std::string_view name, const KernelCost& cost) {
  return NestWriter(prim_func, cost).run(name);
}

}  // namespace mlf::analysis
