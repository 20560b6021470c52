#include "tir/c/read/params.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tir/c/language.h"

namespace mlf::tir::c {
namespace {

constexpr std::size_t kMostParams = 1u << 16;
/// A parameter of the packed convention.
struct PackedParam {
  std::string_view name;  ///< empty: any
  DType dtype;            ///< its own, or that of what it points to
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

/// `x` of `x_code`, `x_code_1` or `x_code1`: the name of a parameter before it was made unique.
std::string_view hint_of(std::string_view code) {
  const std::size_t end = code.rfind(kCodeSuffix);
  if (end == code.npos) return {};
  std::string_view number = code.substr(end + kCodeSuffix.size());
  if (number.starts_with('_')) number.remove_prefix(1);
  const bool is_number = number.find_first_not_of("0123456789") == number.npos;
  return is_number ? code.substr(0, end) : std::string_view();
}

/// v0.8 unpacks `arg0`, `arg1`, … into the names of the parameters.
bool is_numbered_argument(std::string_view name) {
  return name.size() > 3 && name.starts_with("arg") &&
         std::ranges::all_of(name.substr(3), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

/// `(T* name, T name, …)`; `restrict` is never printed, so that `tir.noalias` leaves no trace.
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
    // TVM prints no qualifier; `mlf optimize` writes one for pools of constants.
    cursor.accept_word("__restrict");
    param.begin = cursor.peek().begin;
    param.name = cursor.expect_name("the name of a parameter");
    if (!param.is_pointer && dtype->is_void()) cursor.fail(first, "a parameter of type void");
    if (declared.size() == kMostParams) cursor.fail(first, "a function of too many parameters");
    declared.push_back(param);
  }
  cursor.advance();
  return declared;
}

/// Packed functions have six parameters of fixed names, all others their own.
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
  const NodeId type =
      pointee.is_void() ? make.prim_type(dtype) : make.pointer_type(make.prim_type(pointee), "");
  const NodeId var = make.var(name, type);
  context_.define(name, {Binding::Kind::variable, pointee, var});
  return var;
}

/// Arguments come in as TVMValues, which the prologue takes apart: see take.
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

/// A typed pointer is the data of a buffer. The parameter of the PrimFunc is another variable:
/// the text shows the former only.
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
  // The position comes from the text; a vector is made of it.
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

/// MakePackedAPI and its ArgBinder print one declaration for each value, type code and field they
/// read. Which one this is says the expression, not the name.
bool Params::take(std::string_view name, DType declared, NodeId value) {
  const Node node = this->node(value);
  if (Param* const param = node.is(Kind::Var) ? param_of(value) : nullptr) {
    // `void* placeholder = arg0;` of v0.8, `int32_t n = arg_n;` up to v0.12: the same parameter
    // under the name that the body uses.
    const bool renames = is_numbered_argument(param->name) ||
                         (is_packed_ && param->name.starts_with(kHandlePrefix) &&
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

/// `int32_t x_code = arg_type_ids[i];`, once for each parameter in their order.
bool Params::take_type_code(std::string_view name, Node index) {
  const bool is_next = index.is(Kind::IntImm) && index.integer(f::IntImm::value) == type_codes_;
  if (!is_next || name.find("_code") == name.npos) return false;
  bind(name, DType::Int(32));
  at(static_cast<std::size_t>(type_codes_++)).hint = hint_of(name);
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
    // Strides are asked for where there is a dimension: see is_strides_check.
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

/// `if (!(x_strides == NULL)) {}`: the binder prints it for a buffer without strides of its own;
/// the assertion inside is not printed. One of no dimension has no such `if`.
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

}  // namespace mlf::tir::c
