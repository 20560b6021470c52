// Parameters of a function: from its signature, and from the prologue of the packed convention.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tir/c/read/context.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {

/// What versions up to v0.12 put before the name of a parameter that is a handle.
constexpr std::string_view kHandlePrefix = "arg_";

struct Param {
  std::string_view name;           ///< as printed
  std::string_view hint{};         ///< without what makes it unique; empty: not known
  NodeId var = NodeId::none;       ///< the Var in PrimFunc.params
  NodeId data = NodeId::none;      ///< data pointer of its buffer; none: no buffer
  std::optional<DType> element{};  ///< of the data, where the signature says so
  bool has_dimensions = true;      ///< false: a buffer of no dimension
};

class Params {
 public:
  explicit Params(FunctionContext& context) : context_(context) {}

  /// Reads `(…)` of a signature and binds the names in it.
  void read_signature();
  bool is_packed() const { return is_packed_; }

  /// Whether `type name = value;` belongs to the prologue of a packed function, or renames a
  /// parameter. The name is bound then, and no statement of the IR is behind it.
  bool take(std::string_view name, DType declared, NodeId value);
  /// Whether a condition is the prologue's question for strides, which has no branch.
  bool is_strides_check(NodeId condition);
  /// Whether `var` is where a packed function leaves its result.
  bool is_result(NodeId var) const { return is_packed_ && var == result_; }
  bool is_result_type(NodeId var) const { return is_packed_ && var == result_type_; }

  /// Those of a function that was read to its end.
  /// @throws support::Error when the prologue of a packed function left one of them out
  const std::vector<Param>& all() const;

 private:
  struct Declared {
    std::string_view name{};
    DType dtype{};
    bool is_pointer = false;
    std::uint32_t begin = 0;  ///< of the name
  };
  std::vector<Declared> parameter_list();
  void bind_packed(const std::vector<Declared>& declared);
  void bind_unpacked(const std::vector<Declared>& declared);
  NodeId bind(std::string_view name, DType dtype, DType pointee = DType::Void());
  bool take_argument(std::string_view name, DType declared, Node value);
  bool take_field(std::string_view name, Node value);
  bool take_type_code(std::string_view name, Node index);
  Param* param_of(NodeId var);
  Param& at(std::size_t position);
  Node node(NodeId id) const { return context_.builder().node(id); }

  FunctionContext& context_;
  bool is_packed_ = false;
  NodeId args_ = NodeId::none;
  NodeId type_ids_ = NodeId::none;
  std::int64_t type_codes_ = 0;  // taken so far
  NodeId result_ = NodeId::none;
  NodeId result_type_ = NodeId::none;
  std::vector<Param> params_;
  std::map<NodeId, NodeId> strides_;         // pointer to strides: parameter
  std::set<std::pair<NodeId, int>> fields_;  // of tensor parameters, each read once
};

}  // namespace mlf::tir::c
