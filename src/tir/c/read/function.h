// Reads one function of generated C as a PrimFunc.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/c/read/context.h"
#include "tir/c/read/file_items.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {

/// The prefix of a handle parameter's name up to v0.12.
constexpr std::string_view kHandlePrefix = "arg_";

struct Param {
  std::string_view name;           ///< as printed
  std::string_view hint{};         ///< without the suffix that makes it unique; empty: unknown
  NodeId var = NodeId::none;       ///< the Var in PrimFunc.params
  NodeId data = NodeId::none;      ///< data pointer of its buffer; none: no buffer
  std::optional<DType> element{};  ///< of the data, if the signature states it
  bool has_dimensions = true;      ///< false: a buffer without dimensions
};

class Params {
 public:
  explicit Params(FunctionContext& context) : context_(context) {}

  /// Reads `(…)` of a signature and binds its names.
  void read_signature();
  bool is_packed() const { return is_packed_; }

  /// Whether `type name = value;` belongs to the prologue of a packed function, or renames a
  /// parameter. If so, binds the name; the IR has no such statement.
  bool take(std::string_view name, DType declared, NodeId value);
  /// Whether a condition is the prologue's check of strides, which has no branch.
  bool is_strides_check(NodeId condition);
  /// Whether `var` is the place of a packed function's result.
  bool is_result(NodeId var) const { return is_packed_ && var == result_; }
  bool is_result_type(NodeId var) const { return is_packed_ && var == result_type_; }

  /// The parameters of a function that was read to its end. @throws support::Error if the prologue
  /// of a packed function lacks one of them
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
  std::int64_t type_codes_ = 0;  // read so far
  NodeId result_ = NodeId::none;
  NodeId result_type_ = NodeId::none;
  std::vector<Param> params_;
  std::map<NodeId, NodeId> strides_;         // pointer to strides: parameter
  std::set<std::pair<NodeId, int>> fields_;  // of tensor parameters, each read once
};

/// Reads the statements of a body, up to the end of the tokens.
NodeId read_body(FunctionContext& context, Params& params);

/// A function with a read body; its parameters still lack facts from other functions.
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
  bool is_understood = true;         ///< no part that may compute anything keeps its text
  std::optional<SourceRange> range;  ///< in the file that ranges refer to
};

/// Reads a function. Statements outside of the grammar keep their text; if that is impossible,
/// throws support::Error with its place. Continues to count the lines of `source`.
FunctionDraft read_function(ModuleContext& context, support::SourceText& source, const Item& item);

/// Reads only the head, the names of arrays and the names of called functions.
/// @throws support::Error where the head cannot be read
FunctionDraft outline_function(ModuleContext& context, support::SourceText& source,
                               const Item& item);

/// The function with its text as body, and the reason why it could not be read.
FunctionDraft opaque_function(ModuleContext& context, const support::SourceText& source,
                              const Item& item, const Diagnostic& reason);

/// The PrimFunc. `stated` has the types of parameters that other code states.
NodeId finish_function(ModuleContext& context, FunctionDraft& draft,
                       const std::vector<std::optional<CTensor>>& stated, NodeId target);

// --- Types of parameters that other functions of the module state: signatures.cpp ---------------

/// Reads the types of inputs and outputs that a packed archive contains for TVM's C++ runtime.
/// Returns nullopt if the file has no such types, or has them in a form that TVM does not print.
/// Other sources state the types then.
std::optional<CMetadata> read_metadata(const support::SourceText& source, const FileItems& items);

using Types = std::vector<std::optional<CTensor>>;
/// By function.
using StatedTypes = support::NameMap<std::string_view, Types>;

/// Types of parameters: from the caller of the reader, then from the metadata for the C++ runtime,
/// then from packed calls. These state the types of the called function's parameters, and of
/// parameters that are passed on.
StatedTypes stated_types(const ModuleContext& context, const CSources& sources,
                         std::span<const FunctionDraft> drafts);

/// Sizes of parameters with stated types.
void state_sizes(FunctionDraft& draft, const Types& stated);

/// A kernel can use only as many bytes as `caller` passes to it.
void limit_sizes(const FunctionDraft& caller, std::span<FunctionDraft> kernels);

/// Gives buffers of `caller`'s parameters the size and the element type that the called kernels
/// use, if nothing else states them.
void pass_uses_on(const Builder& builder, FunctionDraft& caller,
                  std::span<const FunctionDraft> kernels, const Types& stated);

}  // namespace mlf::tir::c
