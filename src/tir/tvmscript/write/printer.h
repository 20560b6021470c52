// Prints expressions, attribute values and types, on a stack of its own instead of by recursion.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mlf/tir/document.h"
#include "tir/tvmscript/spelling.h"
#include "tir/tvmscript/write/metadata_objects.h"
#include "tir/tvmscript/write/names.h"
#include "tir/tvmscript/write/pieces.h"

namespace mlf::tir::tvmscript {

/// Thrown where a variable is used and nothing in scope defines it.
struct OutOfScope {
  Node var;
};
[[noreturn]] void refuse(const OutOfScope& use);

/// What a module's functions give the expressions in them.
struct ModuleNames {
  std::vector<NodeId> functions;  ///< GlobalVars of the module
  bool contains(NodeId global_var) const;
};

class Printer {
 public:
  Printer(const Module& module, std::uint8_t minor_version, const ModuleNames& functions,
          MetadataObjects& metadata, std::uint64_t max_nodes);

  /// Appends the text of `pieces`.
  void print(const Pieces& pieces, std::string& out);

  /// The name of a variable or buffer. Throws OutOfScope where nothing in scope defines it.
  std::string_view name_of(Node node) const;
  ScopedNames& names() { return names_; }
  std::uint8_t minor_version() const { return minor_version_; }
  const Spelling& spelling() const { return spelling_; }
  const Module& module() const { return module_; }

 private:
  void expand(const Piece& piece, Pieces& out);
  void expand_expr(Node node, Level level, Pieces& out);
  void expand_value(Node node, Pieces& out);
  void expand_type(Node node, Pieces& out);
  void pointer_type(Node node, Pieces& out);
  void expand_type_object(Node node, Pieces& out);

  void var(Node node, Pieces& out);
  void int_imm(Node node, Pieces& out);
  void old_int_imm(Node node, Pieces& out);
  void float_imm(Node node, Pieces& out);
  void binary(Node node, Level level, Pieces& out);
  void infix(Node node, Level level, Pieces& out);
  void logical_not(Node node, Level level, Pieces& out);
  /// `T.Ramp(`, `T.ramp(`
  Pieces& begin_function(Node node, Pieces& out) const;
  void cast(Node node, Pieces& out);
  void let(Node node, Pieces& out);
  void load(Node node, Pieces& out);
  void call(Node node, Pieces& out);
  void call_of_op(Node node, Pieces& out);
  void call_of_function(Node node, Pieces& out);
  void explicit_call(Node node, Pieces& out);
  void old_call(std::string_view function, Node node, Pieces& out);
  void reduce(Node node, Pieces& out);
  void old_reduce(Node node, Pieces& out);
  void comm_reducer(Node node, Pieces& out);
  void iter_var(Node node, Pieces& out);
  void buffer_load(Node node, Pieces& out);
  void region(Node node, Pieces& out);
  void target(Node node, Pieces& out);
  void string_map(const NodeMap& map, Pieces& out);
  void object(Node node, Pieces& out);
  void box(Node node, Pieces& out);
  void refuse_local_variables(Node object) const;

  const Module& module_;
  std::uint8_t minor_version_;
  const Spelling& spelling_;
  const ModuleNames& functions_;
  MetadataObjects& metadata_;
  std::uint64_t max_nodes_;
  std::uint64_t written_ = 0;
  ScopedNames names_;
  std::size_t open_lambdas_ = 0;
  std::vector<Piece> stack_;
};

/// `begin + extent`, folded where both are numbers.
Pieces end_of(Node begin, Node extent);
/// `begin:end` of a region, or the index where only one element is meant.
void append_slice(Node range, Pieces& out);

/// Whether an expression is the constant `value`.
bool is_int(Node node, std::int64_t value);

[[noreturn]] void refuse(std::string message);

}  // namespace mlf::tir::tvmscript
