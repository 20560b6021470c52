#include "tir/c/read/function.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "tir/c/read/body.h"
#include "tir/c/read/constants.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kDataSuffix = "_buffer_var";
constexpr std::int64_t kIoAlignment = 16;

/// The byte behind a function's last brace.
std::uint32_t end_of(const support::SourceText& source, const Item& item) {
  return std::min(item.body.end + 1, static_cast<std::uint32_t>(source.text.size()));
}

}  // namespace

/// The head and the body are one run of tokens, so that a message can name any place in them. What
/// was made for a function that turns out to be opaque is unused and costs only memory.
FunctionDraft read_function(ModuleContext& context, support::SourceText& source, const Item& item) {
  LossLog log;
  FunctionDraft draft(context.make);
  draft.name = item.name;
  draft.is_main = is_main_symbol(item.name);
  if (&source == context.primary) draft.range = {item.head.begin, end_of(source, item)};
  // One run of tokens: the head begins with TVM_DLL, its result and its name.
  FunctionContext function(context, log, source,
                           tokenize(source.text, item.head.begin, item.body.end));
  function.losses.enter(item.name);
  function.ternary = ternary_of(context.versions.range());
  Cursor& cursor = function.cursor;
  if (!item.is_closed) cursor.fail("a function without its last '}'");
  cursor.expect("TVM_DLL");
  cursor.expect("int32_t");
  cursor.expect(item.name);
  Params params(function);
  params.read_signature();
  cursor.expect("{");
  draft.body = BodyReader(function, params).read();
  draft.is_packed = params.is_packed();
  draft.params = params.all();
  for (const std::size_t array : function.constants) {
    const std::string_view name = context.facts.arrays[array].name;
    draft.constants.emplace_back(array, function.names.find(name)->node);
  }
  draft.buffers = std::move(function.buffers);
  draft.calls = std::move(function.calls);
  function.losses.flush();
  draft.losses = log.finish();
  draft.is_understood = function.is_understood;
  std::ranges::move(function.text_losses, std::back_inserter(draft.losses));
  return draft;
}

/// Nothing is guessed: the text is kept, and the loss says what was not understood.
FunctionDraft opaque_function(ModuleContext& context, const support::SourceText& source,
                              const Item& item, const Diagnostic& reason) {
  Builder& builder = context.builder;
  FunctionDraft draft(context.make);
  draft.name = item.name;
  draft.is_main = is_main_symbol(item.name);
  const std::uint32_t end = end_of(source, item);
  if (&source == context.primary) draft.range = {item.head.begin, end};
  const NodeId text =
      context.make.string(source.text.substr(item.head.begin, end - item.head.begin));
  const std::array fields = {NamedNode{builder.string("text"), text}};
  draft.body =
      builder.make(Kind::OpaqueStmt, {builder.string("c"), builder.map(std::span(fields))});
  draft.is_understood = false;
  draft.losses.push_back({LossCode::unknown_construct, LossScope::function, std::string(item.name),
                          fmt::format("line {}, column {}: {}", reason.where.line,
                                      reason.where.column, reason.message)});
  return draft;
}

// --- Parameters and their buffers ---------------------------------------------------------------

namespace {

class Finisher {
 public:
  Finisher(ModuleContext& context, FunctionDraft& draft)
      : context_(context), make_(context.make), builder_(context.builder), draft_(draft) {}

  NodeId finish(const std::vector<std::optional<TensorType>>& stated, NodeId target);

 private:
  struct Names {
    std::string param;
    std::string buffer;
  };
  Names names_of(const Param& param) const;
  NodeId buffer_of(const Param& param, const Names& names, const std::optional<TensorType>& stated);
  NodeId pool_buffer(const Param& param, const Names& names, const Pool* pool);
  NodeId shaped_buffer(const Param& param, const Names& names, DType element,
                       const std::vector<std::int64_t>& shape);
  /// v0.9 and v0.10 have flat buffers in kernels, and those of the dimensions beside them.
  bool keeps_flat_buffers() const {
    return !draft_.is_main && context_.versions.all_have(TvmFeature::preflattened_buffer_map);
  }
  NodeId attrs(NodeId target);
  NodeId pool_args();
  NodeId with_constants(NodeId body);
  NodeId dimension(std::int64_t size) {
    return make_.int_imm(DType::Int(size > INT32_MAX ? 64 : 32), size);
  }

  ModuleContext& context_;
  text::ExprFactory& make_;
  Builder& builder_;
  FunctionDraft& draft_;
  std::vector<NodePair> preflattened_;
};

/// Undoes what the calling convention did to the name of a parameter.
Finisher::Names Finisher::names_of(const Param& param) const {
  std::string name(param.hint.empty() ? param.name : param.hint);
  if (draft_.is_packed && name.starts_with(kHandlePrefix) &&
      context_.versions.may_have(TvmFeature::c_handle_prefix) && param.data != NodeId::none) {
    const std::string_view data = builder_.node(param.data).text(f::Var::name);
    const std::string bare = name.substr(kHandlePrefix.size());
    const bool is_certain = context_.versions.all_have(TvmFeature::c_handle_prefix);
    if (is_certain || data.starts_with(bare)) name = bare;
  }
  if (is_pool_param(name)) {
    const std::string stem = name.substr(0, name.size() - 4);
    return {name, stem + "_buffer_var"};
  }
  if (draft_.is_main && param.data != NodeId::none) {
    std::string_view data = builder_.node(param.data).text(f::Var::name);
    if (data.ends_with(kDataSuffix)) {
      data.remove_suffix(kDataSuffix.size());
      return {std::string(data), std::string(data) + "_buffer"};
    }
  }
  return {name, name};
}

/// `pool`: null where nothing says how large it is.
NodeId Finisher::pool_buffer(const Param& param, const Names& names, const Pool* pool) {
  const NodeId type = make_.pointer_type(make_.prim_type(DType::UInt(8)), "global");
  builder_.set(param.var, f::Var::type_annotation, type);
  builder_.set(param.data, f::Var::type_annotation, type);
  if (pool != nullptr) {
    draft_.buffers.set_bytes(param.data, pool->bytes);
  } else {
    draft_.buffers.set_into(param.data);
    draft_.losses.push_back({LossCode::attr_object, LossScope::function, std::string(draft_.name),
                             "pool_args of " + std::string(names.param)});
  }
  const NodeId buffer = draft_.buffers.of(param.data, DType::UInt(8));
  builder_.set(buffer, f::Buffer::strides, builder_.list({make_.int32(1)}));
  builder_.set(buffer, f::Buffer::data_alignment, kIoAlignment);
  draft_.buffers.rename(param.data, names.buffer);
  return buffer;
}

/// The buffer of a parameter has the dimensions that others state; accesses are flat.
NodeId Finisher::shaped_buffer(const Param& param, const Names& names, DType element,
                               const std::vector<std::int64_t>& shape) {
  std::vector<NodeId> dims;
  for (const std::int64_t size : shape) dims.push_back(dimension(size));
  return make_.buffer(
      {.name = names.buffer, .data = param.data, .dtype = element, .shape = std::move(dims)});
}

/// The element type, by what is most certain: the signature, what others state, what the body
/// reads; without any of these, bytes.
NodeId Finisher::buffer_of(const Param& param, const Names& names,
                           const std::optional<TensorType>& stated) {
  const bool holds_bytes = !param.element || *param.element == DType::UInt(8);
  const Pool* const pool = pool_of_param(context_.facts, names.param);
  if (pool != nullptr || (holds_bytes && is_pool_param(names.param))) {
    return pool_buffer(param, names, pool);
  }
  std::optional<DType> element = param.element;
  // A copy reads bytes, whatever they are: what is stated comes first.
  if (!element && stated) element = stated->dtype;
  if (!element) element = draft_.buffers.element_of(param.data);
  if (!element) {
    element = DType::UInt(8);
    // Nothing says what it holds.
    draft_.losses.push_back(
        {LossCode::buffer_shape, LossScope::function, std::string(draft_.name), {}});
  }
  builder_.set(param.data, f::Var::type_annotation,
               make_.pointer_type(make_.prim_type(*element), ""));
  const bool is_stated = stated && stated->dtype == *element;
  draft_.buffers.rename(param.data, names.buffer);
  if (is_stated && stated->shape.size() != 1) {
    const NodeId shaped = shaped_buffer(param, names, *element, stated->shape);
    if (!keeps_flat_buffers()) return shaped;
    preflattened_.push_back({param.var, shaped});
  }
  // Of no dimension: its one element is accessed at index 0 nevertheless.
  if (!param.has_dimensions) return shaped_buffer(param, names, *element, {});
  const NodeId buffer = draft_.buffers.of(param.data, *element);
  draft_.buffers.rename(param.data, names.buffer);
  return buffer;
}

/// The attribute that the memory planner leaves for main: each pool, its size, and its place among
/// the parameters.
NodeId Finisher::pool_args() {
  std::vector<NodeId> infos;
  for (std::size_t i = 0; i < draft_.params.size(); ++i) {
    const Names names = names_of(draft_.params[i]);
    const Pool* const found = pool_of_param(context_.facts, names.param);
    if (found == nullptr) continue;
    Pool& pool =
        context_.facts.pools[static_cast<std::size_t>(found - context_.facts.pools.data())];
    const NodeId size = make_.int32(pool.bytes);
    if (context_.places != nullptr && pool.size_place) context_.places->add(size, *pool.size_place);
    infos.push_back(builder_.make(
        Kind::AllocatedPoolInfo,
        {pool_info(context_, pool), size, make_.int32(static_cast<std::int64_t>(i))}));
  }
  if (infos.empty()) return NodeId::none;
  return builder_.make(Kind::Array, {builder_.list(infos)});
}

/// The attributes that the text states. The others are in the losses.
NodeId Finisher::attrs(NodeId target) {
  std::vector<NamedNode> entries = {{builder_.string("global_symbol"), make_.string(draft_.name)}};
  if (draft_.is_main) entries.push_back({builder_.string("runner_function"), make_.boolean(1)});
  if (target != NodeId::none) entries.push_back({builder_.string("target"), target});
  if (const NodeId pools = pool_args(); pools != NodeId::none) {
    entries.push_back({builder_.string("pool_args"), pools});
  }
  return builder_.make(Kind::DictAttrs, {builder_.map(entries)});
}

/// Where in its function a constant was allocated is not printed: they are outermost here, in the
/// order of the text.
NodeId Finisher::with_constants(NodeId body) {
  std::ranges::sort(draft_.constants);
  for (std::size_t i = draft_.constants.size(); i > 0; --i) {
    const auto& [position, var] = draft_.constants[i - 1];
    const ConstantArray& array = context_.facts.arrays[position];
    const ListId extents = builder_.list({dimension(static_cast<std::int64_t>(array.count))});
    const ListId none = builder_.map(std::span<const NamedNode>());
    body = builder_.make(Kind::AllocateConst,
                         {var, array.data, NodeId::none, array.element, extents, body, none});
  }
  return body;
}

/// Buffers get their extents at the end, when all that can be known of them is.
NodeId Finisher::finish(const std::vector<std::optional<TensorType>>& stated, NodeId target) {
  std::vector<NodeId> params;
  std::vector<NodePair> buffer_map;
  for (std::size_t i = 0; i < draft_.params.size(); ++i) {
    const Param& param = draft_.params[i];
    const Names names = names_of(param);
    params.push_back(param.var);
    builder_.set(param.var, f::Var::name, builder_.string(names.param));
    if (param.data == NodeId::none) continue;
    const NodeId buffer =
        buffer_of(param, names, i < stated.size() ? stated[i] : std::optional<TensorType>());
    if (draft_.is_main) builder_.set(buffer, f::Buffer::data_alignment, kIoAlignment);
    buffer_map.push_back({param.var, buffer});
  }
  const NodeId function = builder_.make(
      Kind::PrimFunc, {builder_.list(params), make_.void_type(), builder_.map(buffer_map),
                       keeps_flat_buffers() ? builder_.map(preflattened_) : ListId::none,
                       attrs(target), with_constants(draft_.body)});
  draft_.buffers.settle();
  if (draft_.range) builder_.set_source_range(function, *draft_.range);
  return function;
}

}  // namespace

NodeId finish_function(ModuleContext& context, FunctionDraft& draft,
                       const std::vector<std::optional<TensorType>>& stated, NodeId target) {
  return Finisher(context, draft).finish(stated, target);
}

}  // namespace mlf::tir::c
