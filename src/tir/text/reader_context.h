// The shared state of a reader's parts for one text, in any dialect.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/name_map.h"
#include "tir/node_queries.h"
#include "tir/reader.h"
#include "tir/save_json/metadata.h"
#include "tir/text/expr_factory.h"
#include "tir/text/expression_parser.h"
#include "tir/text/lexer.h"
#include "tir/text/losses.h"
#include "tir/text/values.h"
#include "tir/tvm_features.h"

namespace mlf::tir::text {

/// A name without a definition in the text. A function that uses it is not read; others are.
struct UndefinedName : support::Error {
  using Error::Error;
};

/// The nodes of names, by scope: one name may have several nodes, one after the other. The names
/// are parts of the source, which outlives this.
class NameScopes {
 public:
  /// The node of the name here; none if it is not bound.
  NodeId find(std::string_view name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? NodeId::none : found->second;
  }
  /// Until the release of an earlier mark.
  void bind(std::string_view name, NodeId node) {
    NodeId& known = nodes_[name];
    before_.emplace_back(&known, known);
    known = node;
  }

  /// The beginning of a scope; `release` removes later bindings.
  std::size_t mark() const { return before_.size(); }
  void release(std::size_t mark) {
    for (; before_.size() > mark; before_.pop_back()) {
      *before_.back().first = before_.back().second;
    }
  }
  void clear() {
    support::discard(nodes_);
    before_.clear();
  }

 private:
  support::NameMap<std::string_view, NodeId> nodes_;
  std::vector<std::pair<NodeId*, NodeId>> before_;  // entries of names and their previous nodes
};

/// The objects of a metadata section, which the text refers to by type key and number.
class Metadata {
 public:
  Metadata(ExprFactory& make, LossLog& losses) : make_(make), missing_(make.builder(), losses) {}

  /// Uses the section's operators and global variables as those of the text.
  void use(MetadataSection section) {
    section_ = std::move(section);
    make_.adopt_shared_nodes();
  }
  /// An object of the section, or a MissingObject; the same one for each mention. A missing object
  /// is a loss at `where`; `reference` is its spelling.
  NodeId find(std::string_view type_key, std::int64_t index, std::string_view reference,
              std::string_view where) {
    if (const auto found = section_.objects.find(type_key); found != section_.objects.end()) {
      const auto position = static_cast<std::size_t>(index);
      if (index >= 0 && position < found->second.size()) return found->second[position];
    }
    return missing_.mention(type_key, index, reference, where);
  }
  MissingObjects& missing() { return missing_; }
  NodeId source_nodes() const { return section_.source_nodes; }

 private:
  ExprFactory& make_;
  MetadataSection section_{};
  MissingObjects missing_;
};

struct ReaderContext {
  ReaderContext(const support::SourceText& text_source, const Grammar& grammar,
                const ReadLimits& read_limits, const ConstantFinder& constants,
                VersionRange possible = {})
      : source(text_source),
        limits(read_limits),
        versions(std::move(possible)),
        lost_constants(constants, builder, function_losses),
        lexer(source, grammar.lexical),
        parser(lexer, grammar, values.tree(), limits.max_nesting) {}
  ReaderContext(const ReaderContext&) = delete;
  ReaderContext& operator=(const ReaderContext&) = delete;

  Node node(NodeId id) const { return builder.node(id); }
  bool is(NodeId id, Kind kind) const { return node(id).is(kind); }
  bool is(const Value& value, Kind kind) const {
    return value.kind == ValueKind::node && is(value.node, kind);
  }
  /// Records a loss of the current function.
  void lose(LossCode code, std::string_view name = {}) { function_losses.add(code, name); }
  /// Name of the current function.
  std::string_view function() const { return function_losses.function(); }
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return source.text.substr(begin, end - begin);
  }
  /// Records the place of a node's text, if places are needed.
  void note_place(NodeId id, std::uint32_t begin, std::uint32_t end) {
    if (places != nullptr) places->add(id, {0, {begin, end}});
  }
  void note_load(NodeId id, std::uint32_t begin, std::uint32_t end) {
    if (places != nullptr) places->loads.push_back({id, {0, {begin, end}}});
  }
  /// The text from `begin` to `end` states the element type of a Var or a Buffer.
  void note_dtype(NodeId id, std::uint32_t begin, std::uint32_t end) {
    if (places != nullptr) places->add_dtype(id, {0, {begin, end}});
  }
  /// The text from `begin` to `end` has the elements of the AllocateConst of `variable`.
  void note_values(NodeId variable, std::uint32_t begin, std::uint32_t end) {
    if (places != nullptr) places->values.emplace(variable, Place{0, {begin, end}});
  }
  /// The load whose text is `whole`.
  NodeId load(NodeId buffer, std::span<const NodeId> indices, SyntaxId whole) {
    const Syntax& syntax = values.syntax(whole);
    check_lanes(buffer, indices, syntax.begin, syntax.end);
    const NodeId made = make.buffer_load(buffer, indices);
    note_load(made, syntax.begin, syntax.end);
    return made;
  }
  /// Notes where a pointer's type states its element type: at its last place behind `before`.
  void note_pointee(NodeId var, std::uint32_t begin, std::uint32_t end, std::string_view before) {
    const auto pointee = pointee_of(node(var)[f::Var::type_annotation]);
    if (!pointee) return;
    const std::string dtype = to_string(*pointee);
    const std::size_t at = slice(begin, end).rfind(std::string(before) + dtype);
    if (at == std::string_view::npos) return;
    const auto first = static_cast<std::uint32_t>(begin + at + before.size());
    note_dtype(var, first, static_cast<std::uint32_t>(first + dtype.size()));
  }
  /// Fails at the text from `begin` to `end`, a load or store, if it has other lanes than a vector.
  void check_lanes(NodeId buffer, std::span<const NodeId> indices, std::uint32_t begin,
                   std::uint32_t end) const {
    if (make.is_loadable(buffer, indices)) return;
    support::fail_at(source, begin, "an access of 0 or of more than 32767 lanes", end - begin);
  }
  /// Fails at the lexer's token if there are more nodes than a module may have.
  void check_size() const {
    if (builder.size() <= limits.max_nodes) return;
    lexer.fail(fmt::format("more than {} nodes in one module", limits.max_nodes));
  }
  /// Fails at the lexer's token if as many `what` are open as allowed.
  void check_nesting(std::size_t depth, std::string_view what) const {
    if (depth < limits.max_nesting) return;
    lexer.fail(fmt::format("{} nested deeper than {} levels", what, limits.max_nesting));
  }

  /// Buffers that state no alignment get the default of the version, which only the whole text
  /// determines.
  std::int64_t align_buffers() {
    const std::int64_t alignment = default_alignment(versions.range().first);
    for (const NodeId buffer : default_aligned) {
      builder.set(buffer, f::Buffer::data_alignment, alignment);
    }
    return alignment;
  }

  /// Completes the IRModule: adds the constants that the text omits, and the losses of every
  /// text of the dialect.
  Reading finish(NodeId module, Dialect dialect) {
    const NodeId root = with_source_nodes(builder, module, metadata.source_nodes());
    function_losses.enter({});
    lost_constants.find_missing(root, metadata.missing());
    function_losses.flush();
    losses.add_all(dialect);
    VersionRange version = versions.range();
    Module read = std::move(builder).finish(root);
    return {std::move(read), std::move(version), losses.finish(), lost_constants.take()};
  }

  const support::SourceText& source;
  const ReadLimits& limits;
  Builder builder;
  VersionInference versions;
  LossLog losses;
  FunctionLosses function_losses{losses};
  LostConstants lost_constants;
  ExprFactory make{builder, losses};
  Metadata metadata{make, losses};
  Lexer lexer;
  Values values{source};  ///< of the current statement
  ExpressionParser parser;
  NameScopes names;
  std::vector<NodeId> default_aligned;  ///< buffers that state no alignment
  Places* places = nullptr;

 protected:
  ~ReaderContext() = default;
};

}  // namespace mlf::tir::text
