#include "tir/c/read/function.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "support/characters.h"
#include "tir/c/language.h"
#include "tir/c/read/constants.h"
#include "tir/c/read/directives.h"
#include "tir/pools.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {
namespace {

constexpr std::size_t kMostParams = 1u << 16;
/// A parameter of the packed convention.
struct PackedParam {
  std::string_view name;  ///< empty: any name
  DType dtype;            ///< its own type, or its element type
  bool is_pointer = true;
};
// In order; the last one may have the name of a device context.
constexpr std::array<PackedParam, 6> kPacked = {{{"args", DType::Void()},
                                                 {"arg_type_ids", DType::Int(32)},
                                                 {"num_args", DType::Int(32), false},
                                                 {"out_ret_value", DType::Void()},
                                                 {"out_ret_tcode", DType::Int(32)},
                                                 {"", DType::Void()}}};
constexpr std::string_view kCodeSuffix = "_code";

bool is_struct_get(Node node) {
  return is_call_of(node, "tir.tvm_struct_get");
}

std::int64_t field_of(Node get) {
  return get.list(f::Call::args)[2].integer(f::IntImm::value);
}

/// Returns `x` for `x_code`, `x_code_1` or `x_code1`: a parameter's name before it was made unique.
std::string_view hint_of(std::string_view code) {
  const std::size_t end = code.rfind(kCodeSuffix);
  if (end == code.npos) return {};
  std::string_view number = code.substr(end + kCodeSuffix.size());
  if (number.starts_with('_')) number.remove_prefix(1);
  const bool is_number = number.find_first_not_of("0123456789") == number.npos;
  return is_number ? code.substr(0, end) : std::string_view();
}

}  // namespace

/// `(T* name, T name, …)`. The generator never prints `restrict`, so `tir.noalias` is lost. People
/// write `T name[N]`, which is a pointer, too.
std::vector<Params::Declared> Params::parameter_list() {
  Cursor& cursor = context_.cursor;
  std::vector<Declared> declared;
  cursor.expect("(");
  while (!cursor.at(sign(")"))) {
    if (!declared.empty()) cursor.expect(",");
    const Token first = cursor.peek();
    const std::string_view word = cursor.expect_name("the type of a parameter");
    const auto dtype = scalar_type(word);
    if (!dtype) cursor.fail(first, fmt::format("a parameter of the unknown type '{}'", word));
    Declared param{.dtype = *dtype};
    param.is_pointer = cursor.accept(sign("*"));
    // TVM prints no qualifier. `mlf optimize` writes one for pools of constants, and people do.
    if (param.is_pointer)
      cursor.accept_word("__restrict") || cursor.accept_word("__restrict__") ||
          cursor.accept_word("restrict");
    param.begin = cursor.peek().begin;
    param.name = cursor.expect_name("the name of a parameter");
    if (!param.is_pointer && !dtype->is_void() && cursor.accept(sign("["))) {
      if (!cursor.at(sign("]"))) cursor.advance();  // the number says nothing about the argument
      cursor.expect("]");
      param.is_pointer = true;
    }
    if (!param.is_pointer && dtype->is_void()) cursor.fail(first, "a parameter of type void");
    if (declared.size() == kMostParams) cursor.fail(first, "a function of too many parameters");
    declared.push_back(param);
  }
  cursor.advance();
  return declared;
}

/// Packed functions have six parameters with fixed names; others have their own names.
void Params::read_signature() {
  const std::vector<Declared> declared = parameter_list();
  const auto is_named = [](const Declared& param, const PackedParam& packed) {
    return packed.name.empty() || param.name == packed.name;
  };
  is_packed_ = std::ranges::equal(declared, kPacked, is_named);
  is_packed_ ? bind_packed(declared) : bind_unpacked(declared);
}

NodeId Params::bind(std::string_view name, DType dtype, DType pointee) {
  text::ExprFactory& make = context_.make();
  const NodeId type = pointee.is_void() ? make.prim_type(dtype) : make.pointer_to(pointee, "");
  const NodeId var = make.var(name, type);
  context_.define(name, {BindingKind::variable, pointee, var});
  return var;
}

/// Arguments arrive as TVMValues, which the prologue reads: see `take`.
void Params::bind_packed(const std::vector<Declared>& declared) {
  // v0.8 declares the pointers to type codes as `void*`.
  const bool hides_codes = declared[1].dtype.is_void();
  std::array<NodeId, kPacked.size()> vars{};
  for (std::size_t i = 0; i < kPacked.size(); ++i) {
    const PackedParam& packed = kPacked[i];
    const DType expected = packed.is_pointer && hides_codes ? DType::Void() : packed.dtype;
    if (declared[i].dtype != expected || declared[i].is_pointer != packed.is_pointer) {
      context_.cursor.fail(
          fmt::format("'{}' has another type in packed functions", declared[i].name));
    }
    vars[i] = packed.is_pointer ? bind(declared[i].name, DType::Handle(), packed.dtype)
                                : bind(declared[i].name, packed.dtype);
  }
  args_ = vars[0];
  type_ids_ = vars[1];
  result_ = vars[3];
  result_type_ = vars[4];
}

/// A typed pointer is the data of a buffer. The parameter of the PrimFunc is another variable,
/// which the text does not show.
void Params::bind_unpacked(const std::vector<Declared>& declared) {
  text::ExprFactory& make = context_.make();
  for (const Declared& param : declared) {
    const bool has_buffer = param.is_pointer && !param.dtype.is_void();
    const NodeId bound = bind(param.name, param.is_pointer ? DType::Handle() : param.dtype,
                              param.is_pointer ? param.dtype : DType::Void());
    context_.module.note_parameter(bound, param.begin);
    if (!has_buffer) {
      params_.push_back({.name = param.name, .var = bound});
      continue;
    }
    const NodeId var = make.var(param.name, make.prim_type(DType::Handle()));
    params_.push_back({.name = param.name, .var = var, .data = bound, .element = param.dtype});
  }
}

Param* Params::param_of(NodeId var) {
  const auto found = std::ranges::find(params_, var, &Param::var);
  return found == params_.end() ? nullptr : &*found;
}

Param& Params::at(std::size_t position) {
  // The position comes from the text; a vector is as long as the largest one.
  if (position >= kMostParams) context_.cursor.fail("a function of too many parameters");
  if (position >= params_.size()) params_.resize(position + 1);
  return params_[position];
}

const std::vector<Param>& Params::all() const {
  const auto missing = std::ranges::find(params_, NodeId::none, &Param::var);
  if (missing != params_.end()) {
    context_.cursor.fail(fmt::format("argument {} is never read", missing - params_.begin()));
  }
  return params_;
}

/// MakePackedAPI and its ArgBinder print a declaration for each value, type code and field that
/// they read. The expression tells which one it is, the name does not.
bool Params::take(std::string_view name, DType declared, NodeId value) {
  const Node node = this->node(value);
  if (Param* const param = node.is(Kind::Var) ? param_of(value) : nullptr) {
    // `void* placeholder = arg0;` in v0.8, `int32_t n = arg_n;` up to v0.12: the same parameter
    // with the name that the body uses.
    const bool is_numbered =
        param->name.starts_with("arg") && support::is_digits(param->name.substr(3));
    const bool renames = is_numbered || (is_packed_ && param->name.starts_with(kHandlePrefix) &&
                                         param->name.substr(kHandlePrefix.size()) == name);
    if (!renames || param->data != NodeId::none) return false;
    param->name = name;
    if (param->hint.starts_with(kHandlePrefix)) param->hint.remove_prefix(kHandlePrefix.size());
    const NodeId bound = bind(name, declared);
    if (declared.is_handle()) {
      param->data = bound;
    } else {
      param->var = bound;
    }
    return true;
  }
  if (!is_packed_) return false;
  if (is_struct_get(node)) {
    return node.list(f::Call::args)[0].id() == args_ ? take_argument(name, declared, node)
                                                     : take_field(name, node);
  }
  if (node.is(Kind::Cast) && is_struct_get(node[f::Cast::value])) {
    return take_argument(name, declared, node[f::Cast::value]);
  }
  if (!node.is(Kind::BufferLoad)) return false;
  if (node[f::BufferLoad::buffer][f::Buffer::data].id() != type_ids_) return false;
  return take_type_code(name, node.list(f::BufferLoad::indices)[0]);
}

/// `int32_t x_code = arg_type_ids[i];`, once for each parameter in order. People rename these
/// variables and leave them out: TVM reads none.
bool Params::take_type_code(std::string_view name, Node index) {
  const auto position = int_imm_of(index);
  if (!position || *position < type_codes_ || *position >= std::int64_t{kMostParams}) return false;
  bind(name, DType::Int(32));
  type_codes_ = *position + 1;
  at(static_cast<std::size_t>(*position)).hint = hint_of(name);
  return true;
}

/// `void* x = ((TVMValue*)args)[i].v_handle;`, or a scalar.
bool Params::take_argument(std::string_view name, DType declared, Node value) {
  const auto get = value.list(f::Call::args);
  if (get[0].id() != args_ || field_of(value) != field::value_content) return false;
  if (!get[1].is(Kind::IntImm) || get[1].integer(f::IntImm::value) < 0) return false;
  Param& param = at(static_cast<std::size_t>(get[1].integer(f::IntImm::value)));
  if (param.var != NodeId::none) return false;
  param.name = name;
  param.var = bind(name, declared);
  return true;
}

/// `void* x = ((DLTensor*)p)[0].data;` and the other fields of a tensor.
bool Params::take_field(std::string_view name, Node value) {
  const auto get = value.list(f::Call::args);
  Param* const param = param_of(get[0].id());
  const bool is_first = get[1].is(Kind::IntImm) && get[1].integer(f::IntImm::value) == 0;
  if (param == nullptr || !is_first) return false;
  if (!fields_.emplace(param->var, field_of(value)).second) return false;
  const NodeId bound = bind(name, value.dtype());
  if (field_of(value) == field::data) {
    param->data = bound;
    // The prologue checks strides if the tensor has a dimension: see is_strides_check.
    param->has_dimensions = false;
  } else if (field_of(value) == field::shape) {
    context_.dimension_pointers.push_back(bound);
  } else if (field_of(value) == field::strides) {
    context_.dimension_pointers.push_back(bound);
    strides_[bound] = param->var;
  } else if (field_of(value) == field::byte_offset) {
    context_.cursor.fail("a tensor parameter with a symbolic offset");
  }
  return true;
}

/// `if (!(x_strides == NULL)) {}`: the binder prints it for a buffer without its own strides; it
/// does not print the assertion inside. A tensor without dimensions has no such `if`.
bool Params::is_strides_check(NodeId condition) {
  const Node check = node(condition);
  if (!is_packed_ || !check.is(Kind::Not)) return false;
  const Node is_null = check[f::Not::a];
  if (!is_null.is(Kind::Call) || is_null.list(f::Call::args).size() != 1) return false;
  const auto found = strides_.find(is_null.list(f::Call::args)[0].id());
  if (found == strides_.end()) return false;
  if (Param* const param = param_of(found->second)) param->has_dimensions = true;
  return true;
}

namespace {

constexpr std::string_view kDataSuffix = "_buffer_var";
constexpr std::int64_t kIoAlignment = 16;

/// The byte after a function's last brace.
std::uint32_t end_of(const support::SourceText& source, const Item& item) {
  return std::min(item.body.end + 1, static_cast<std::uint32_t>(source.text.size()));
}

FunctionDraft draft_of(ModuleContext& context, const support::SourceText& source,
                       const Item& item) {
  FunctionDraft draft(context.make);
  draft.name = item.name;
  draft.is_main = is_main_symbol(item.name);
  if (&source == context.primary) draft.range = {item.head.begin, end_of(source, item)};
  return draft;
}

/// `((noinline, section(".fast")))`
void pass_attributes(Cursor& cursor) {
  std::size_t depth = 0;
  do {
    if (cursor.at(sign("("))) ++depth;
    if (cursor.at(sign(")"))) --depth;
    const bool is_name = depth == 2 && cursor.at_name();
    if (is_name && !is_harmless_attribute(cursor.text())) cursor.fail("an unknown attribute");
    cursor.advance();
  } while (depth > 0 && !cursor.at_end());
}

/// Passes what changes nothing that a function computes.
void pass_specifiers(Cursor& cursor) {
  while (cursor.at_word("TVM_DLL") || is_harmless_specifier(cursor.text())) {
    if (cursor.text(cursor.advance()) == "__attribute__") pass_attributes(cursor);
  }
}

/// Reads the result, the name and the parameters.
void read_head(FunctionContext& function, const Item& item, Params& params) {
  Cursor& cursor = function.cursor;
  if (!item.is_closed) cursor.fail("a function without its last '}'");
  pass_specifiers(cursor);
  if (!cursor.accept_word("int")) cursor.expect("int32_t");
  pass_specifiers(cursor);
  cursor.expect(item.name);
  params.read_signature();
  pass_specifiers(cursor);
}

}  // namespace

/// The head and the body are one sequence of tokens, so a message can name any place in them. The
/// nodes of a function that becomes opaque stay unused and only cost memory.
FunctionDraft read_function(ModuleContext& context, support::SourceText& source, const Item& item) {
  LossLog log;
  FunctionDraft draft = draft_of(context, source, item);
  FunctionContext function(context, log, source,
                           tokenize(source.text, item.declared, item.body.end));
  function.losses.enter(item.name);
  function.ternary = ternary_of(context.versions.range());
  Params params(function);
  read_head(function, item, params);
  function.cursor.expect("{");
  draft.body = read_body(function, params);
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

namespace {

/// What a body names, also in statements outside of the grammar.
struct BodyNames {
  std::set<std::size_t> arrays;
  std::set<std::string_view> pool_params;
  std::vector<CallSite> calls;
};

BodyNames names_of(const ModuleFacts& facts, std::string_view text, Bytes body) {
  BodyNames names;
  std::uint32_t at = body.begin;
  for (auto name = next_name(text, at, body.end); !name.empty();
       name = next_name(text, at, body.end)) {
    const auto array = facts.array_by_name.find(name);
    if (array != facts.array_by_name.end()) names.arrays.insert(array->second);
    if (pool_of_param(facts, name) != nullptr) names.pool_params.insert(name);
    if (at < body.end && text[at] == '(') names.calls.push_back({name, {}});
  }
  return names;
}

}  // namespace

FunctionDraft outline_function(ModuleContext& context, support::SourceText& source,
                               const Item& item) {
  LossLog log;
  FunctionDraft draft = draft_of(context, source, item);
  FunctionContext function(context, log, source,
                           tokenize(source.text, item.declared, item.head.end));
  Params params(function);
  read_head(function, item, params);
  draft.is_packed = params.is_packed();
  draft.params = params.all();
  BodyNames names = names_of(context.facts, source.text, item.body);
  draft.calls = std::move(names.calls);
  if (draft.is_packed) {
    // Its prologue reads the parameters.
    const NodeId handle = context.make.prim_type(DType::Handle());
    for (const std::string_view name : names.pool_params) {
      draft.params.push_back({.name = name, .var = context.make.var(name, handle)});
    }
  }
  for (const std::size_t array : names.arrays) {
    const ConstantArray& declared = context.facts.arrays[array];
    if (declared.name.starts_with(kLinkedParamPrefix)) continue;
    draft.constants.emplace_back(array, array_variable(context, declared));
  }
  draft.body = context.builder.make(Kind::SeqStmt, {context.builder.list({})});
  return draft;
}

FunctionDraft opaque_function(ModuleContext& context, const support::SourceText& source,
                              const Item& item, const Diagnostic& reason) {
  Builder& builder = context.builder;
  FunctionDraft draft = draft_of(context, source, item);
  const std::uint32_t end = end_of(source, item);
  const NodeId text =
      context.make.string(source.text.substr(item.head.begin, end - item.head.begin));
  // Without the place, which changes with code elsewhere in the file.
  const std::array fields = {NamedNode{builder.string("text"), text},
                             NamedNode{builder.string("why"), context.make.string(reason.message)}};
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

  /// Buffers get their extents at the end, when all uses are known.
  NodeId finish(const std::vector<std::optional<CTensor>>& stated, NodeId target) {
    std::vector<NodeId> params;
    std::vector<NodePair> buffer_map;
    for (std::size_t i = 0; i < draft_.params.size(); ++i) {
      const Param& param = draft_.params[i];
      const Names names = names_of(param);
      params.push_back(param.var);
      builder_.set(param.var, f::Var::name, builder_.string(names.param));
      if (param.data == NodeId::none) continue;
      const NodeId buffer =
          buffer_of(param, names, i < stated.size() ? stated[i] : std::optional<CTensor>());
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

 private:
  struct Names {
    std::string param;
    std::string buffer;
  };

  /// Reverses the changes that the calling convention made to a parameter's name.
  Names names_of(const Param& param) const {
    std::string name(param.hint.empty() ? param.name : param.hint);
    if (draft_.is_packed && name.starts_with(kHandlePrefix) &&
        context_.versions.may_have(TvmFeature::c_handle_prefix) && param.data != NodeId::none) {
      const std::string_view data = builder_.node(param.data).text(f::Var::name);
      const std::string bare = name.substr(kHandlePrefix.size());
      const bool is_certain = context_.versions.all_have(TvmFeature::c_handle_prefix);
      if (is_certain || data.starts_with(bare)) name = bare;
    }
    if (!pool_name(name).empty()) {
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

  /// `pool`: null if its size is unknown. A header states the size of the application's pool of
  /// constants, and a macro has its bytes, which tell no constant from another.
  NodeId pool_buffer(const Param& param, const Names& names, const Pool* pool) {
    const NodeId type = make_.pointer_to(DType::UInt(8), "global");
    builder_.set(param.var, f::Var::type_annotation, type);
    builder_.set(param.data, f::Var::type_annotation, type);
    if (pool != nullptr) {
      draft_.buffers.set_bytes(param.data, pool->bytes);
    } else {
      draft_.buffers.set_into(param.data);
    }
    if (pool == nullptr || (pool->is_constant && pool->members.empty())) {
      draft_.losses.push_back({LossCode::attr_object, LossScope::function, std::string(draft_.name),
                               "pool_args of " + std::string(names.param)});
    }
    const NodeId buffer = draft_.buffers.of(param.data, DType::UInt(8));
    builder_.set(buffer, f::Buffer::strides, builder_.list({make_.int32(1)}));
    builder_.set(buffer, f::Buffer::data_alignment, kIoAlignment);
    draft_.buffers.rename(param.data, names.buffer);
    return buffer;
  }

  /// The buffer of a parameter has the dimensions that other code states; accesses have one index.
  NodeId shaped_buffer(const Param& param, const Names& names, DType element,
                       const std::vector<std::int64_t>& shape) {
    std::vector<NodeId> dims;
    for (const std::int64_t size : shape) dims.push_back(make_.integer(size));
    return make_.buffer(
        {.name = names.buffer, .data = param.data, .dtype = element, .shape = std::move(dims)});
  }

  /// The element type from the most certain source: the signature, statements of other code, the
  /// accesses in the body; else bytes.
  NodeId buffer_of(const Param& param, const Names& names, const std::optional<CTensor>& stated) {
    const bool holds_bytes = !param.element || *param.element == DType::UInt(8);
    const Pool* const pool = pool_of_param(context_.facts, names.param);
    if (pool != nullptr || (holds_bytes && !pool_name(names.param).empty())) {
      return pool_buffer(param, names, pool);
    }
    std::optional<DType> element = param.element;
    // A copy reads bytes of any type, so a stated type comes first.
    if (!element && stated) element = stated->dtype;
    if (!element) element = draft_.buffers.element_of(param.data);
    if (!element) {
      element = DType::UInt(8);
      // Nothing states its content.
      draft_.losses.push_back(
          {LossCode::buffer_shape, LossScope::function, std::string(draft_.name), {}});
    }
    builder_.set(param.data, f::Var::type_annotation, make_.pointer_to(*element, ""));
    const bool is_stated = stated && stated->dtype == *element;
    draft_.buffers.rename(param.data, names.buffer);
    if (is_stated && stated->shape.size() != 1) {
      const NodeId shaped = shaped_buffer(param, names, *element, stated->shape);
      if (!keeps_flat_buffers()) return shaped;
      preflattened_.push_back({param.var, shaped});
    }
    // It has no dimension, but its only element is accessed at index 0.
    if (!param.has_dimensions) return shaped_buffer(param, names, *element, {});
    const NodeId buffer = draft_.buffers.of(param.data, *element);
    draft_.buffers.rename(param.data, names.buffer);
    return buffer;
  }

  /// The attribute of the memory planner for main: each pool, its size, and its position among the
  /// parameters.
  NodeId pool_args() {
    std::vector<NodeId> infos;
    for (std::size_t i = 0; i < draft_.params.size(); ++i) {
      const Names names = names_of(draft_.params[i]);
      const Pool* const found = pool_of_param(context_.facts, names.param);
      if (found == nullptr) continue;
      Pool& pool =
          context_.facts.pools[static_cast<std::size_t>(found - context_.facts.pools.data())];
      const NodeId size = make_.int32(pool.bytes);
      if (context_.places != nullptr && pool.size_place)
        context_.places->add(size, *pool.size_place);
      infos.push_back(builder_.make(
          Kind::AllocatedPoolInfo,
          {pool_info(context_, pool), size, make_.int32(static_cast<std::int64_t>(i))}));
    }
    if (infos.empty()) return NodeId::none;
    return builder_.make(Kind::Array, {builder_.list(infos)});
  }

  /// The attributes that the text states. Losses record the others.
  NodeId attrs(NodeId target) {
    std::vector<NamedNode> entries = {
        {builder_.string("global_symbol"), make_.string(draft_.name)}};
    if (draft_.is_main) entries.push_back({builder_.string("runner_function"), make_.boolean(1)});
    if (target != NodeId::none) entries.push_back({builder_.string("target"), target});
    if (const NodeId pools = pool_args(); pools != NodeId::none) {
      entries.push_back({builder_.string("pool_args"), pools});
    }
    return builder_.make(Kind::DictAttrs, {builder_.map(entries)});
  }

  /// The text does not show where a function allocates a constant: here they are outermost, in the
  /// order of the text.
  NodeId with_constants(NodeId body) {
    std::ranges::sort(draft_.constants);
    for (std::size_t i = draft_.constants.size(); i > 0; --i) {
      const auto& [position, var] = draft_.constants[i - 1];
      const ConstantArray& array = context_.facts.arrays[position];
      const ListId extents = builder_.list({make_.integer(static_cast<std::int64_t>(array.count))});
      body = builder_.make(Kind::AllocateConst, {var, array.data, NodeId::none, array.element,
                                                 extents, body, make_.no_entries()});
    }
    return body;
  }

  /// v0.9 and v0.10 have buffers of one dimension in kernels, and beside them those with all
  /// dimensions.
  bool keeps_flat_buffers() const {
    return !draft_.is_main && context_.versions.all_have(TvmFeature::preflattened_buffer_map);
  }

  ModuleContext& context_;
  text::ExprFactory& make_;
  Builder& builder_;
  FunctionDraft& draft_;
  std::vector<NodePair> preflattened_;
};

}  // namespace

NodeId finish_function(ModuleContext& context, FunctionDraft& draft,
                       const std::vector<std::optional<CTensor>>& stated, NodeId target) {
  return Finisher(context, draft).finish(stated, target);
}

}  // namespace mlf::tir::c
