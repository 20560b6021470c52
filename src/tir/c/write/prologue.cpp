#include "tir/c/write/prologue.h"

#include <fmt/core.h>

#include "tir/c/language.h"
#include "tir/c/write/code.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {
namespace {

/// The buffer with the dimensions for callers: v0.9 and v0.10 keep it beside the one-dimensional
/// one.
Node buffer_of(Node function, Node param) {
  const NodeMap before = function.map(f::PrimFunc::preflattened_buffer_map);
  const Node shaped = before.defined() ? value_under(before, param) : Node();
  return shaped ? shaped : value_under(function.map(f::PrimFunc::buffer_map), param);
}

}  // namespace

std::string symbol_of(Node function) {
  const Node symbol = attribute_of(function, "global_symbol");
  if (!symbol || !symbol.is(Kind::String)) cannot_print("a function without global_symbol");
  return std::string(symbol.text(f::String::value));
}

Prologue::Prologue(const Forms& forms, Code& code, ExprWriter& exprs, Node function)
    : forms_(forms), code_(code), exprs_(exprs), function_(function), symbol_(symbol_of(function)) {
  for (const Node var : function.list(f::PrimFunc::params)) {
    params_.push_back({.var = var, .buffer = buffer_of(function, var)});
  }
}

// --- Signatures --------------------------------------------------------------------------------

std::string Prologue::signature(Convention convention) {
  return convention == Convention::packed ? packed_signature() : unpacked_signature();
}

/// TVMBackendPackedCFunc. v0.8 prints the pointers to type codes as `void*`.
std::string Prologue::packed_signature() {
  const bool has_types = !forms_.has(TvmFeature::c_numbered_params);
  const std::string_view pointer = has_types ? "int32_t*" : "void*";
  args_ = code_.fresh("args");
  type_ids_ = code_.fresh("arg_type_ids");
  const std::string count = code_.fresh("num_args");
  head_.result = code_.fresh("out_ret_value");
  head_.result_type = code_.fresh("out_ret_tcode");
  const std::string resource = code_.fresh("resource_handle");
  return fmt::format("(void* {}, {} {}, int32_t {}, void* {}, {} {}, void* {})", args_, pointer,
                     type_ids_, count, head_.result, pointer, head_.result_type, resource);
}

/// One parameter for each of the PrimFunc: the data pointer of its buffer, or the parameter itself.
std::string Prologue::unpacked_signature() {
  std::string list;
  for (std::size_t i = 0; i < params_.size(); ++i) {
    Param& param = params_[i];
    const Node var = param.buffer ? param.buffer[f::Buffer::data] : param.var;
    if (forms_.has(TvmFeature::c_numbered_params)) {
      param.handle = code_.fresh(fmt::format("arg{}", i));
      list += fmt::format("{}{} {}", i == 0 ? "" : ", ", type_text(var.dtype()), param.handle);
      continue;
    }
    const std::string& name = exprs_.declare(var, pointee_of_var(var));
    list += fmt::format("{}{} {}", i == 0 ? "" : ", ", type_text(var), name);
  }
  return "(" + list + ")";
}

// --- Prologues ---------------------------------------------------------------------------------

/// Stacks come first, then values and codes, then fields of tensors. Assertions are not printed,
/// but the `if` around the one on strides is.
FunctionHead Prologue::write(Convention convention, PackedCalls& calls) {
  calls.declare_stacks(stack_sizes(function_[f::PrimFunc::body]));
  if (convention == Convention::unpacked) {
    rename_numbered();
    return head_;
  }
  take_all_values();
  for (Param& param : params_) {
    if (param.buffer) take_tensor(param);
  }
  for (const Param& param : params_) {
    if (!param.buffer || param.buffer.list(f::Buffer::shape).empty()) continue;
    // Stated strides are compared with those of the argument, which prints nothing.
    if (!param.buffer.list(f::Buffer::strides).empty()) continue;
    code_.line("if (!({} == NULL)) {{", param.strides);
    code_.line("}}");
  }
  return head_;
}

/// `void* placeholder = arg0;` of v0.8.
void Prologue::rename_numbered() {
  if (!forms_.has(TvmFeature::c_numbered_params)) return;
  for (const Param& param : params_) {
    const Node var = param.buffer ? param.buffer[f::Buffer::data] : param.var;
    const std::string& name = exprs_.declare(var);
    code_.line("{} {} = {};", type_text(var.dtype()), name, param.handle);
  }
}

std::string Prologue::prefix(const Param& param) const {
  const std::string_view name = param.var.text(f::Var::name);
  return forms_.has(TvmFeature::c_handle_prefix) ? fmt::format("arg_{}", name)
                                                 : fmt::format("{}.{}", symbol_, name);
}

/// Up to v0.12 each parameter in turn, value and code; since v0.13 all codes, then all values.
void Prologue::take_all_values() {
  if (forms_.has(TvmFeature::c_handle_prefix)) {
    for (std::size_t i = 0; i < params_.size(); ++i) {
      take_value(params_[i], i);
      take_code(params_[i], i);
    }
    for (const Param& param : params_) {
      if (!param.buffer) take_scalar(param);
    }
    return;
  }
  for (std::size_t i = 0; i < params_.size(); ++i) take_code(params_[i], i);
  for (std::size_t i = 0; i < params_.size(); ++i) take_value(params_[i], i);
}

void Prologue::take_code(const Param& param, std::size_t position) {
  const std::string_view name = param.var.text(f::Var::name);
  const char* const before = forms_.has(TvmFeature::c_handle_prefix) ? "arg_" : "";
  code_.line("int32_t {} = {}[{}];", code_.fresh(fmt::format("{}{}_code", before, name)), type_ids_,
             position);
}

/// A tensor's handle, or a number in its own type.
void Prologue::take_value(Param& param, std::size_t position) {
  const DType dtype = param.var.dtype();
  const DType api = api_type(dtype);
  const std::string_view member = field_spelling(Record::value, field::value_content, api);
  if (member.empty()) cannot_print("a parameter of type " + to_string(api));
  const std::string value = fmt::format("(((TVMValue*){})[{}].{})", args_, position, member);
  param.handle = forms_.has(TvmFeature::c_handle_prefix)
                     ? code_.fresh(fmt::format("arg_{}", param.var.text(f::Var::name)))
                     : exprs_.declare(param.var);
  code_.line("{} {} = {};", type_text(dtype), param.handle,
             api == dtype ? value : fmt::format("(({}){})", type_text(dtype), value));
}

/// Up to v0.12 the parameter itself is another variable.
void Prologue::take_scalar(const Param& param) {
  const std::string& name = exprs_.declare(param.var);
  code_.line("{} {} = {};", type_text(param.var.dtype()), name, param.handle);
}

std::string Prologue::take_field(const Param& param, std::string_view type, const std::string& name,
                                 int number) {
  std::string given = code_.fresh(name);
  code_.line("{} {} = (((DLTensor*){})[0].{});", type, given, param.handle,
             field_spelling(Record::tensor, number, DType::Handle()));
  return given;
}

void Prologue::take_data(const Param& param) {
  const std::string& name = exprs_.declare(param.buffer[f::Buffer::data]);
  code_.line("void* {} = (((DLTensor*){})[0].{});", name, param.handle,
             field_spelling(Record::tensor, field::data, DType::Handle()));
}

/// Reads shape and strides even if the body does not need them. Since v0.16 the data pointer comes
/// last; only the first tensor's device is read.
void Prologue::take_tensor(Param& param) {
  if (!forms_.has(TvmFeature::c_data_last)) take_data(param);
  take_field(param, "void*", prefix(param) + "_shape", field::shape);
  param.strides = take_field(param, "void*", prefix(param) + "_strides", field::strides);
  if (head_.device == FunctionHead().device) {
    head_.device = take_field(param, "int32_t", "dev_id", field::device_id);
  }
  if (forms_.has(TvmFeature::c_data_last)) take_data(param);
}

}  // namespace mlf::tir::c
