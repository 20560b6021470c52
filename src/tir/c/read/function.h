// One function of generated C, from its text to a PrimFunc.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tir/c/read/context.h"
#include "tir/c/read/file_items.h"
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

/// A function whose body was read; parameters still lack what other functions say of them.
struct FunctionDraft {
  explicit FunctionDraft(text::ExprFactory& make) : buffers(make) {}

  std::string_view name;
  bool is_main = false;
  bool is_packed = false;
  NodeId body = NodeId::none;
  std::vector<Param> params;
  std::vector<std::pair<std::size_t, NodeId>> constants;  ///< array of the module, its Var
  std::vector<CallSite> calls;
  Buffers buffers;
  std::vector<Loss> losses;
  bool is_understood = true;         ///< no part of it that may compute anything keeps its text
  std::optional<SourceRange> range;  ///< in the file that ranges refer to
};

/// Reads a function. Statements outside of the grammar keep their text; where that cannot be done,
/// support::Error with its place is thrown. Lines of `source` are counted on.
FunctionDraft read_function(ModuleContext& context, support::SourceText& source, const Item& item);

/// The function with its text for a body, and why it could not be read.
FunctionDraft opaque_function(ModuleContext& context, const support::SourceText& source,
                              const Item& item, const Diagnostic& reason);

/// The PrimFunc. `stated` has a type for every parameter where others state it.
NodeId finish_function(ModuleContext& context, FunctionDraft& draft,
                       const std::vector<std::optional<TensorType>>& stated, NodeId target);

}  // namespace mlf::tir::c
