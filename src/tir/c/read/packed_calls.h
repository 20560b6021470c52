// Reads packed calls: the stores to the stack of arguments and the call after them become one call
// of the IR. Source: the pass LowerTVMBuiltin and codegen_c_host of TVM.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tir/c/read/context.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {

// The values, the type codes, their number, the result and its type. C-packed calls also pass a
// device context.
inline constexpr std::string_view kPackedCallBySymbol =
    "if ($((TVMValue*) $, (int*) $, $, &$, &$, $) != 0) { return -1; }";
inline constexpr std::string_view kPackedCallByName =
    "if (TVMFuncCall($, (TVMValue*) $, (int*) $, $, &$, &$) != 0) { return -1; }";
inline constexpr std::string_view kPackedLookUp =
    "if ($ == NULL) { if (TVMBackendGetFuncFromEnv(__tvm_module_ctx, $, &$) != 0) { return -1; } "
    "}";
// kTVMDLTensorHandle of TVMArgTypeCode.
inline constexpr std::int64_t kTensorTypeCode = 7;
// A tensor with more dimensions would only need as many words.
inline constexpr std::int64_t kMostStackDimensions = 64;

/// A DLTensor on the stack of arguments.
struct StackTensor {
  std::array<NodeId, 11> fields{};  // by number
};

inline void require_result(FunctionContext& context, std::string_view name) {
  const Binding* const found = context.names.find(name);
  if (found == nullptr || found->kind != BindingKind::result) {
    context.cursor.fail(fmt::format("'{}' is not where a call can leave its result", name));
  }
}

/// The last argument: `NULL`, or the variable with a device context. v0.8 passes none.
inline std::optional<NodeId> device_context(FunctionContext& context, std::string_view name) {
  if (name == "NULL") {
    const bool has_context = context.module.versions.may_have(TvmFeature::c_device_context);
    return has_context ? std::optional(context.operators.null_handle()) : std::nullopt;
  }
  const Binding* const found = context.names.find(name);
  if (found == nullptr || found->node == NodeId::none) {
    context.cursor.fail(fmt::format("unknown device context '{}'", name));
  }
  return found->node;
}

inline std::int64_t stated_number(FunctionContext& context, NodeId id, std::string_view what) {
  const Node node = context.builder().node(id);
  if (!node.is(Kind::IntImm)) context.cursor.fail(std::string(what));
  return node.integer(f::IntImm::value);
}

inline std::int64_t place_on_stack(FunctionContext& context, NodeId index) {
  return stated_number(context, index, "a place on the stack of arguments that is not a number");
}

/// The element type is the dtype of a zero.
inline NodeId stored_type(FunctionContext& context, const StackTensor& tensor) {
  const auto number = [&](std::size_t at) {
    return stated_number(context, tensor.fields[at],
                         "a tensor argument whose element type is not a constant");
  };
  const auto dtype =
      dtype_of(number(field::type_code), number(field::type_bits), number(field::type_lanes));
  if (!dtype) context.cursor.fail("a tensor argument of an unknown element type");
  return context.make().cast(*dtype, context.make().int32(0));
}

/// Printed in bytes; the IR counts elements.
inline NodeId elem_offset(FunctionContext& context, const StackTensor& tensor) {
  const auto number = [&](std::size_t at) {
    return stated_number(context, tensor.fields[at],
                         "a tensor argument with an offset that is not a constant");
  };
  const std::int64_t bytes = number(field::byte_offset);
  const std::int64_t element = std::max<std::int64_t>((number(field::type_bits) + 7) / 8, 1);
  if (bytes % element != 0) context.cursor.fail("a tensor argument between elements");
  // A tensor of handles is an argument of a function without TIR. TVM has no Buffer for its
  // offset, and makes one of 64 bits.
  return number(field::type_code) == static_cast<std::int64_t>(TypeCode::Handle)
             ? context.make().int_imm(DType::UInt(64), bytes / element)
             : context.make().int32(bytes / element);
}

/// Words of the stack have 64 bits, dimensions 32.
inline NodeId dimension_of(FunctionContext& context, NodeId word) {
  const Node dim = context.builder().node(word);
  if (dim.is(Kind::Cast)) return dim[f::Cast::value].id();
  if (!dim.is(Kind::IntImm) || dim.integer(f::IntImm::value) > INT32_MAX) return word;
  const NodeId number = context.make().int32(dim.integer(f::IntImm::value));
  context.module.copy_place(word, number);
  return number;
}

/// The packed calls of one function. The pass LowerTVMBuiltin declares areas of a stack at the top
/// of the function (`stack_value`, `stack_array`, `stack_shape` and `stack_tcode`, by any names),
/// and stores the arguments of each call there. Values stay until they are overwritten, but the
/// arguments of a call are those that were stored since the last one.
class PackedCallReader {
 public:
  explicit PackedCallReader(FunctionContext& context)
      : context_(context), cursor_(context.cursor) {}

  /// `TVMValue stack[4];`, or `TVMValue ret_val;`: the result of a call, which nothing reads.
  void declare_storage() {
    cursor_.expect("TVMValue");
    const std::string_view name = cursor_.expect_name("a variable");
    if (cursor_.accept_form("[$];", words_)) {
      context_.define(name, {BindingKind::stack_storage, DType::Void(), NodeId::none});
      storage_[name] = decimal(words_[0]).value_or(0);
    } else {
      cursor_.expect(";");
      declare_result(name);
    }
  }

  /// `int ret_type_code;`: the type of a result.
  void declare_result(std::string_view name) {
    context_.define(name, {BindingKind::result, DType::Void(), NodeId::none});
  }

  /// `stack;` of `void* x = stack;`: `x` is another area. Returns false for other text.
  bool declare_area(std::string_view name) {
    const Binding* const storage =
        cursor_.at_name() ? context_.names.find(cursor_.text()) : nullptr;
    if (storage == nullptr || storage->kind != BindingKind::stack_storage) return false;
    const std::int64_t values = storage_[cursor_.text()];
    cursor_.advance();
    cursor_.expect(";");
    const NodeId area = context_.make().var(name, context_.make().prim_type(DType::Handle()));
    context_.define(name, {BindingKind::variable, DType::Void(), area});
    areas_[area].bytes = values * kValueBytes;
    return true;
  }

  bool is_area(NodeId var) const { return areas_.contains(var); }

  /// `((int64_t*)area)[index] = value`. Words are type codes and dimensions: numbers, or numbers
  /// that are cast to 64 bits.
  void store(NodeId area, NodeId index, NodeId value) {
    if (!node(value).is(Kind::IntImm) && !node(value).is(Kind::Cast)) {
      fail("a word on the stack of arguments that is not a number");
    }
    constexpr std::int64_t kTypeCodeBytes = 4;  // a dimension has more
    areas_[area].words[within(area, place_on_stack(context_, index), kTypeCodeBytes)] = value;
  }

  /// `((DLTensor*)area)[index].field = value`, or the same for `v_handle`, `v_int64` or `v_float64`
  /// of a TVMValue.
  void set(NodeId area, NodeId index, std::int64_t number, NodeId value) {
    // Target c runs on the CPU; 1 is kDLCPU.
    if (number == field::device_type &&
        !(node(value).is(Kind::IntImm) && node(value).integer(f::IntImm::value) == 1)) {
      fail("a tensor argument on another device than the CPU");
    }
    if (number == field::value_content) {
      areas_[area].values[within(area, place_on_stack(context_, index), kValueBytes)] = value;
    } else {
      areas_[area].tensors[place_on_stack(context_, index)].fields.at(
          static_cast<std::size_t>(number)) = value;
    }
  }

  /// `if (f_packed == NULL) {…}`: looks up a function, which C keeps in a static variable for later
  /// calls. Returns false for other text.
  bool look_up() {
    if (!cursor_.accept_form(kPackedLookUp, words_)) return false;
    looked_up_[words_[2]] = without_quotes(words_[1]);
    return true;
  }

  /// Reads the `if` around a call, by symbol (C-packed) or by name, as a call of the IR. Returns
  /// nullopt for other text.
  std::optional<NodeId> call() {
    if (cursor_.accept_form(kPackedCallBySymbol, words_)) return call_by_symbol();
    if (cursor_.accept_form(kPackedCallByName, words_)) return call_by_name();
    return std::nullopt;
  }

 private:
  using Args = std::vector<NodeId>;
  static constexpr std::int64_t kValueBytes = 8;  // TVMValue
  struct Area {
    std::int64_t bytes = 0;
    std::map<std::int64_t, NodeId> words;
    std::map<std::int64_t, StackTensor> tensors;
    std::map<std::int64_t, NodeId> values;
  };

  /// C-packed: the function is linked, and called by its symbol.
  NodeId call_by_symbol() {
    Args args = passed_arguments(words_[0]);
    const std::uint32_t begin = cursor_.begin_of(words_[0]);
    context_.module.note_place(args[0], begin,
                               begin + static_cast<std::uint32_t>(words_[0].size()));
    // Since v0.16 the printed number is one too small.
    const std::int64_t printed = cursor_.number_of(words_[3]);
    const auto count = static_cast<std::int64_t>(args.size()) - 1;
    if (printed != count && printed + 1 != count) {
      fail(fmt::format("a call with {} arguments that passes {}", printed, count));
    }
    if (const auto device = device_context(context_, words_[6])) args.push_back(*device);
    return context_.operators.call("tir.tvm_call_cpacked", DType::Int(32), args);
  }

  /// TVMFuncCall of the function that was looked up. Its printed number is right in all versions.
  NodeId call_by_name() {
    const auto function = looked_up_.find(words_[0]);
    if (function == looked_up_.end()) fail("a packed call of an unknown function");
    const Args args = passed_arguments(function->second);
    return context_.operators.call("tir.tvm_call_packed", DType::Int(32), args);
  }

  /// The arguments of the call in the IR: the function, and the values that the text stored for it.
  Args passed_arguments(std::string_view function) {
    const Binding* const values = context_.names.find(words_[1]);
    const Binding* const codes = context_.names.find(words_[2]);
    if (values == nullptr || codes == nullptr) fail("a packed call of unknown arguments");
    require_result(context_, words_[4]);
    require_result(context_, words_[5]);
    Args args = {context_.make().string_imm(function)};
    const std::vector<NodeId> passed = take_arguments(values->node, codes->node);
    args.insert(args.end(), passed.begin(), passed.end());
    context_.calls.push_back({function, passed});
    return args;
  }

  /// Calls reuse slots and never clear them. The slots of a call are those that were written since
  /// the last call, without gaps. The printed number does not tell (see call_by_symbol).
  std::vector<NodeId> take_arguments(NodeId values, NodeId codes) {
    const auto area = areas_.find(values);
    if (area == areas_.end()) fail("the arguments of a packed call are not on its stack");
    std::vector<NodeId> arguments;
    for (const auto& [position, value] : area->second.values) {
      if (position != static_cast<std::int64_t>(arguments.size())) {
        fail("a gap between the arguments of a packed call");
      }
      arguments.push_back(argument(value));
      check_type(codes, position, arguments.back());
    }
    area->second.values.clear();
    areas_[codes].words.clear();
    return arguments;
  }

  /// Fails for an element that the storage of the area does not have.
  std::int64_t within(NodeId area, std::int64_t element, std::int64_t element_bytes) {
    const std::int64_t bytes = areas_[area].bytes;
    if (element < 0 || element >= bytes / element_bytes) {
      fail(fmt::format("element {} of an array of {} bytes on the stack", element, bytes));
    }
    return element;
  }

  /// A tensor by its address, or the stored value itself.
  NodeId argument(NodeId value) {
    const Node stored = node(value);
    if (is_call_of(stored, "tir.tvm_struct_get")) {
      const auto args = stored.list(f::Call::args);
      const auto area = areas_.find(args[0].id());
      const bool is_address = args[2].integer(f::IntImm::value) == field::address;
      if (area == areas_.end() || !is_address) return value;
      const auto found = area->second.tensors.find(place_on_stack(context_, args[1].id()));
      if (found == area->second.tensors.end()) fail("an argument that was never stored");
      return tensor(area->second.tensors.extract(found).mapped());
    }
    // Numbers are widened to a field of TVMValue.
    if (stored.is(Kind::Cast) && stored.dtype().bits == 64) return stored[f::Cast::value].id();
    // v0.8 passes the stack entry itself, of which only the data is set.
    const auto area = areas_.find(value);
    if (area == areas_.end()) return value;
    const auto found = area->second.tensors.find(0);
    if (found == area->second.tensors.end()) fail("an argument that was never stored");
    return found->second.fields[field::data];
  }

  /// Only tensors have this type code.
  void check_type(NodeId codes, std::int64_t position, NodeId argument) {
    const auto word = areas_[codes].words.find(position);
    if (word == areas_[codes].words.end()) fail("an argument without its type");
    const bool is_marked = place_on_stack(context_, word->second) == kTensorTypeCode;
    if (is_marked != is_call_of(node(argument), "tir.tvm_stack_make_array")) {
      fail("an argument of another type than is stored for it");
    }
  }

  /// tvm_stack_make_array sets all fields of a DLTensor; the device is not one of its arguments.
  NodeId tensor(const StackTensor& tensor) {
    // All but the address.
    if (std::ranges::count(std::span(tensor.fields).subspan(1), NodeId::none) > 0) {
      fail("a tensor argument without all its fields");
    }
    const std::array args = {tensor.fields[field::data],    shape(tensor),
                             tensor.fields[field::strides], tensor.fields[field::ndim],
                             stored_type(context_, tensor), elem_offset(context_, tensor)};
    return context_.operators.call("tir.tvm_stack_make_array", DType::Handle(), args);
  }

  /// The dimensions are the words from the tensor's shape pointer on.
  NodeId shape(const StackTensor& tensor) {
    const Node address = node(tensor.fields[field::shape]);
    const Node ndim = node(tensor.fields[field::ndim]);
    const Node load =
        is_call_of(address, "tir.address_of") ? address.list(f::Call::args)[0] : Node();
    if (!load || !load.is(Kind::BufferLoad) || !ndim.is(Kind::IntImm)) {
      fail("a tensor argument whose shape is not on the stack");
    }
    const NodeId area = load[f::BufferLoad::buffer][f::Buffer::data].id();
    const std::int64_t first = place_on_stack(context_, load.list(f::BufferLoad::indices)[0].id());
    const std::int64_t count = ndim.integer(f::IntImm::value);
    if (count < 0 || count > kMostStackDimensions) fail("a tensor argument of too many dimensions");
    std::vector<NodeId> dims;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto word = areas_[area].words.find(first + i);
      if (word == areas_[area].words.end()) fail("a dimension that was never stored");
      dims.push_back(dimension_of(context_, word->second));
      // Removes the stored values: the next call stores its own.
      areas_[area].words.erase(word);
    }
    return context_.operators.call("tir.tvm_stack_make_shape", DType::Handle(), dims);
  }

  Node node(NodeId id) const { return context_.builder().node(id); }
  [[noreturn]] void fail(const std::string& message) const { cursor_.fail(message); }

  FunctionContext& context_;
  Cursor& cursor_;
  std::map<NodeId, Area> areas_;
  std::map<std::string_view, std::int64_t> storage_;        // TVMValues, by the name of the array
  std::map<std::string_view, std::string_view> looked_up_;  // functions by their slots
  std::vector<std::string_view> words_;                     // of the form that was accepted last
};

}  // namespace mlf::tir::c
