#include "tir/c/write/packed_calls.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/c/language.h"
#include "tir/c/write/code.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kCPacked = "tir.tvm_call_cpacked";
constexpr std::string_view kPacked = "tir.tvm_call_packed";
constexpr std::string_view kMakeArray = "tir.tvm_stack_make_array";
constexpr std::string_view kMakeShape = "tir.tvm_stack_make_shape";

// Words of eight bytes.
constexpr std::int64_t kTensorWords = 6;
constexpr std::int64_t kCodesPerWord = 2;

// Type codes of TVMValue.
constexpr int kOpaqueHandle = 3;
constexpr int kNull = 4;
constexpr int kTensorHandle = 7;
constexpr int kString = 11;
constexpr int kBool = 15;

/// The arguments of a packed call: between the name and the context at the end of a C-packed call.
std::size_t end_of_arguments(Node call) {
  const std::size_t all = call.list(f::Call::args).size();
  return is_call_of(call, kCPacked) ? all - 1 : all;
}

/// LowerTVMBuiltin makes one stack for all calls, with the largest size that a call needs.
void add(StackSizes& sizes, Node call) {
  const NodeList args = call.list(f::Call::args);
  const std::size_t end = end_of_arguments(call);
  std::int64_t tensors = 0;
  std::int64_t words = 0;
  for (std::size_t i = 1; i < end; ++i) {
    if (!is_call_of(args[i], kMakeArray)) continue;
    ++tensors;
    // A tensor with other arguments is refused where it is stored.
    const NodeList tensor = args[i].list(f::Call::args);
    if (tensor.size() < 2 || !is_call_of(tensor[1], kMakeShape)) continue;
    words += static_cast<std::int64_t>(tensor[1].list(f::Call::args).size());
    sizes.shapes = std::max(sizes.shapes.value_or(0), words);
  }
  sizes.tensors = std::max(sizes.tensors, tensors);
  // One more for the result.
  sizes.values = std::max(sizes.values, static_cast<std::int64_t>(end));
}

}  // namespace

bool is_packed_call(Node call) {
  const bool is_packed = is_call_of(call, kCPacked) || is_call_of(call, kPacked);
  if (!is_packed) return false;
  const NodeList args = call.list(f::Call::args);
  const std::size_t least = is_call_of(call, kCPacked) ? 2 : 1;
  return args.size() >= least && args[0].is(Kind::StringImm);
}

/// Visits only statements: packed calls are never operands.
StackSizes stack_sizes(Node body) {
  StackSizes sizes;
  for_each_statement(body, [&](Node statement) {
    if (!statement.is(Kind::Evaluate)) return;
    const Node value = statement[f::Evaluate::value];
    if (is_packed_call(value)) add(sizes, value);
  });
  return sizes;
}

// --- The stacks --------------------------------------------------------------------------------

void PackedCalls::declare_stack(std::string& name, std::int64_t words) {
  const std::string storage = code_.fresh("stack");
  code_.line("TVMValue {}[{}];", storage, words);
  name = code_.fresh(name);
  code_.line("void* {} = {};", name, storage);
}

/// In TVM's order: type codes, values, tensors, shapes; only those that a call needs.
void PackedCalls::declare_stacks(const StackSizes& sizes) {
  if (sizes.values > 0) {
    declare_stack(tcode_, (sizes.values + kCodesPerWord - 1) / kCodesPerWord);
    declare_stack(value_, sizes.values);
  }
  if (sizes.tensors > 0) declare_stack(array_, sizes.tensors * kTensorWords);
  if (sizes.shapes) declare_stack(shape_, *sizes.shapes);
}

// --- Arguments ---------------------------------------------------------------------------------

void PackedCalls::set_tensor(int number, const std::string& value) {
  code_.line("(((DLTensor*){})[{}].{}) = {};", array_, tensors_,
             field_spelling(Record::tensor, number, {}), value);
}

/// Dimensions are 64 bits wide on the stack.
void PackedCalls::store_shape(Node make_shape) {
  for (const Node dim : make_shape.list(f::Call::args)) {
    const bool is_number = dim.is(Kind::IntImm);
    const std::string value =
        is_number ? integer_text(DType::Int(64), dim.integer(f::IntImm::value))
        : dim.dtype() == DType::Int(64) ? exprs_(dim)
                                        : fmt::format("((int64_t){})", exprs_(dim));
    code_.line("((int64_t*){})[{}] = {};", shape_, shapes_++, value);
  }
}

/// Offsets are printed in bytes.
std::string PackedCalls::byte_offset(Node make_array) {
  const NodeList args = make_array.list(f::Call::args);
  const DType element = args[4].dtype();
  const std::int64_t bytes =
      static_cast<std::int64_t>(element.element_bytes()) * std::max<std::int64_t>(element.lanes, 1);
  const Node offset = args[5];
  if (offset.is(Kind::IntImm)) {
    const auto elements = static_cast<std::uint64_t>(offset.integer(f::IntImm::value));
    const std::uint64_t product = elements * static_cast<std::uint64_t>(bytes);
    return integer_text(DType::UInt(64), static_cast<std::int64_t>(product));
  }
  return fmt::format("((uint64_t)({} * {}))", exprs_(offset), integer_text(offset.dtype(), bytes));
}

/// tvm_stack_make_array(data, shape, strides, ndim, zero of the element type, offset)
void PackedCalls::store_tensor(Node make_array) {
  const NodeList args = make_array.list(f::Call::args);
  const std::int64_t first = shapes_;
  if (args.size() != 6 || !is_call_of(args[1], kMakeShape)) cannot_print("a tensor without shape");
  store_shape(args[1]);
  const DType element = args[4].dtype();
  set_tensor(field::data, exprs_(args[0]));
  set_tensor(field::shape, fmt::format("(&(((int64_t*){})[{}]))", shape_, first));
  if (is_call_of(args[2], "tir.reinterpret")) {
    set_tensor(field::strides, "(int64_t*)" + exprs_(args[2]));
  } else if (args[2].is(Kind::IntImm) && args[2].integer(f::IntImm::value) == 0) {
    const auto scope = code_.begin_scope();
    const std::string zero = code_.temporary("(uint64_t)0", "uint64_t");
    code_.end_scope(scope);
    set_tensor(field::strides, fmt::format("(int64_t*)(*(void* *)(&({})))", zero));
  } else {
    cannot_print("a tensor with strides");
  }
  set_tensor(field::ndim, exprs_(args[3]));
  set_tensor(field::type_code, integer_text(DType::UInt(8), static_cast<int>(element.code)));
  set_tensor(field::type_bits, integer_text(DType::UInt(8), element.bits));
  set_tensor(field::type_lanes, integer_text(DType::UInt(16), element.lanes));
  set_tensor(field::byte_offset, byte_offset(make_array));
  set_tensor(field::device_id, device_);
  set_tensor(field::device_type, "(DLDeviceType)1");
  ++tensors_;
}

void PackedCalls::store_type(std::int64_t position, const std::string& type) {
  code_.line("((int32_t*){})[{}] = {};", tcode_, position, type);
}

std::string PackedCalls::api_value(Node argument) {
  const DType type = api_type(argument.dtype());
  const std::string value = exprs_(argument);
  return type == argument.dtype() ? value : fmt::format("(({}){})", type_text(type), value);
}

/// `tensor`: which of the call's tensors the argument is, if it is a tensor.
void PackedCalls::store_argument(Node argument, std::int64_t position, std::int64_t tensor) {
  const bool is_tensor = is_call_of(argument, kMakeArray);
  const DType type = is_tensor ? DType::Handle() : api_type(argument.dtype());
  const std::string value =
      is_tensor ? fmt::format("(((DLTensor*){}) + {})", array_, tensor) : api_value(argument);
  const char* const member = type.is_handle() ? "v_handle"
                             : type.is_int()  ? "v_int64"
                                              : "v_float64";
  code_.line("(((TVMValue*){})[{}].{}) = {};", value_, position, member, value);
  if (is_tensor) return store_type(position, std::to_string(kTensorHandle));
  if (argument.is(Kind::StringImm)) return store_type(position, std::to_string(kString));
  if (argument.dtype().is_bool() && forms_.has(TvmFeature::c_bool_arguments)) {
    return store_type(position, std::to_string(kBool));
  }
  if (!type.is_handle()) {
    return store_type(position, std::to_string(static_cast<int>(type.code)));
  }
  // Since v0.16 a null pointer has its own type code, chosen when the program runs.
  if (!forms_.has(TvmFeature::c_asks_for_null)) {
    return store_type(position, std::to_string(kOpaqueHandle));
  }
  code_.line("if ({} == NULL) {{", value);
  code_.in_scope([&] { store_type(position, std::to_string(kNull)); });
  code_.line("}} else {{");
  code_.in_scope([&] { store_type(position, std::to_string(kOpaqueHandle)); });
  code_.line("}}");
}

// --- Calls -------------------------------------------------------------------------------------

void PackedCalls::call_checked(const std::string& call, std::string_view brace) {
  code_.line("if ({} != 0){}", call, brace);
  code_.return_error();
}

/// The slot of a function that is called by name; filled if it is empty.
std::string PackedCalls::look_up(const std::string& function) {
  std::string slot = function + "_packed";
  std::ranges::replace(slot, '.', '_');
  code_.line("if ({} == NULL) {{", slot);
  code_.in_scope([&] {
    call_checked(
        fmt::format("TVMBackendGetFuncFromEnv(__tvm_module_ctx, \"{}\", &{})", function, slot),
        " {");
  });
  code_.line("}}");
  return slot;
}

/// The name of a variable; empty for anything else.
std::string PackedCalls::context_name(Node context) const {
  return context.is(Kind::Var) ? std::string(context.text(f::Var::name)) : "NULL";
}

/// Stores tensors before the values that point to them, then makes the call. Type codes are those
/// of TVMArgTypeCode.
void PackedCalls::write(Node call, const std::string& device) {
  device_ = device;
  tensors_ = 0;
  shapes_ = 0;
  const NodeList args = call.list(f::Call::args);
  const std::size_t end = end_of_arguments(call);
  for (std::size_t i = 1; i < end; ++i) {
    if (is_call_of(args[i], kMakeArray)) store_tensor(args[i]);
  }
  std::int64_t tensor = 0;
  for (std::size_t i = 1; i < end; ++i) {
    store_argument(args[i], static_cast<std::int64_t>(i) - 1, tensor);
    if (is_call_of(args[i], kMakeArray)) ++tensor;
  }
  const std::string function(args[0].text(f::StringImm::value));
  const bool is_by_name = is_call_of(call, kPacked);
  const std::string slot = is_by_name ? look_up(function) : std::string();
  const std::string value = code_.fresh("ret_val");
  const std::string type = code_.fresh("ret_type_code");
  code_.line("TVMValue {};", value);
  code_.line("int {};", type);
  if (is_by_name) {
    return call_checked(fmt::format("TVMFuncCall({}, (TVMValue*) stack_value, (int*) stack_tcode, "
                                    "{}, &{}, &{})",
                                    slot, end - 1, value, type),
                        " {");
  }
  // Since v0.16 the printed number is one too small.
  const std::size_t count = end - 1 - (forms_.has(TvmFeature::c_short_count) && end > 1 ? 1 : 0);
  call_checked(fmt::format("{}( (TVMValue*) stack_value , (int*) stack_tcode, {}, &{}, &{}, {})",
                           function, count, value, type, context_name(args[end])),
               "{");
}

}  // namespace mlf::tir::c
