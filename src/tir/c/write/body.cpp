#include "tir/c/write/expressions.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/c/external_text.h"
#include "tir/c/language.h"
#include "tir/c/write/code.h"
#include "tir/ethos_u.h"

namespace mlf::tir::c {
namespace {

/// The form with `next()` in the place of each `$`.
template <class Next>
std::string filled(std::string_view form, Next&& next) {
  std::string text;
  for (const char c : form) c == '$' ? text += next() : text += c;
  return text;
}

/// An argument of a call of another code generator: a bare number, a word, or an expression.
std::string text_of(ExprWriter& exprs, Node argument) {
  if (const auto number = int_imm_of(argument)) return fmt::format("{}", *number);
  if (argument.is(Kind::StringImm)) return std::string(argument.text(f::StringImm::value));
  return exprs(argument);
}

// --- CMSIS-NN ------------------------------------------------------------------------------------

/// The form with the arguments of a layer in the places of its `$`.
std::string layer_text(ExprWriter& exprs, const CmsisCall& layer, NodeList args,
                       const CmsisForm& form) {
  const CmsisArgument* what = form.arguments.data();
  std::size_t part = 0;
  return filled(form.text, [&] {
    const bool is_there = layer.has(*what);  // a bias may be missing
    std::string text = is_there ? text_of(exprs, args[layer.position(*what) + part])
                                : std::string(kNoCmsisContext);
    if (++part == width_of(*what)) {
      ++what;
      part = 0;
    }
    return text;
  });
}

/// Numbers must be literals, memory variables: nothing else is in the structs.
bool can_be_in_struct(Node argument, CmsisArgument what) {
  if (!is_memory(what)) return argument.is(Kind::IntImm);
  return argument.is(Kind::Var) || what == CmsisArgument::context;
}

const CmsisStatusTest& status_test(const Forms& forms) {
  const auto tests = cmsis_status_tests();
  if (forms.has(TvmFeature::c_cmsis_math_status)) return tests[kCmsisMathStatus];
  return tests[forms.has(TvmFeature::c_cmsis_status_switch) ? kCmsisStatusSwitch : kCmsisStatus];
}

/// Whether this is a call of a layer that takes structs, with arguments that can be in them.
bool is_cmsis_layer(Node call) {
  const auto layer = CmsisCall::of(call);
  if (!layer || cmsis_text_of(layer->function().layer) == nullptr) return false;
  const NodeList args = call.list(f::Call::args);
  for (const CmsisArgument what : layer->arguments()) {
    for (std::size_t part = 0; layer->has(what) && part < width_of(what); ++part) {
      if (!can_be_in_struct(args[layer->position(what) + part], what)) return false;
    }
  }
  // What a convolution has instead of a multiplier is not printed.
  return layer->function().layer != CmsisLayer::convolution ||
         layer->number(CmsisArgument::depth_multiplier) == kNoDepthMultiplier;
}

/// The structs, the call and the test of its status.
void write_cmsis_layer(Code& code, ExprWriter& exprs, const Forms& forms, Node call) {
  const CmsisCall layer = *CmsisCall::of(call);
  const CmsisText& text = *cmsis_text_of(layer.function().layer);
  const NodeList args = call.list(f::Call::args);
  for (const CmsisForm& form : text.structs) {
    code.plain_line(layer_text(exprs, layer, args, form));
  }
  const CmsisStatusTest& test = status_test(forms);
  code.line("{} status = {}({});", test.type, layer.function().name,
            layer_text(exprs, layer, args, text.passed));
  for (const std::string_view line : test.lines) code.plain_line(line);
}

/// The number of elements; fails where it is not known, or too large.
std::int64_t count_of(Node allocate) {
  std::int64_t count = 1;
  for (const Node extent : allocate.list(f::Allocate::extents)) {
    if (!extent.is(Kind::IntImm)) cannot_print("an allocation whose size is not a constant");
    if (__builtin_mul_overflow(count, extent.integer(f::IntImm::value), &count)) {
      cannot_print("an allocation of this size");
    }
  }
  if (count <= 0) cannot_print("an allocation without elements");
  return count;
}

// --- Ethos-U -------------------------------------------------------------------------------------

/// A function for an Ethos-U: what it allocates, or null, and the call of the driver.
struct EthosULaunch {
  Node allocate{};
  Node call{};
};

std::optional<EthosULaunch> ethos_u_launch(Node statement) {
  EthosULaunch launch;
  if (statement.is(Kind::Allocate)) {
    launch.allocate = statement;
    statement = statement[f::Allocate::body];
  }
  if (!statement.is(Kind::Evaluate)) return std::nullopt;
  const Node value = statement[f::Evaluate::value];
  if (!is_call_of(value, "tir.ret") || value.list(f::Call::args).size() != 1) return std::nullopt;
  launch.call = value.list(f::Call::args)[0];
  if (!is_ethos_u_call(launch.call)) return std::nullopt;
  const Node name = launch.call.list(f::Call::args)[0];
  return name.text(f::StringImm::value) == kEthosULaunch ? std::optional(launch) : std::nullopt;
}

/// Prints a launch in the lines that are its form. The workspace is declared before its address is
/// taken, which comes last.
void write_ethos_u_launch(Code& code, ExprWriter& exprs, const EthosULaunch& launch) {
  const auto line = [&](std::string_view form, std::initializer_list<std::string> words) {
    const auto* word = words.begin();
    code.plain_line(filled(form, [&] { return *word++; }));
  };
  const auto argument = [&](Node node) { return text_of(exprs, node); };
  const NodeList args = launch.call.list(f::Call::args);
  const std::string commands = argument(args[2]);
  line(kEthosUHead[0], {commands});
  line(kEthosUHead[1], {commands});
  line(kEthosUHead[2], {});
  line(kEthosUHead[3], {});
  const Node workspace = launch.allocate ? launch.allocate[f::Allocate::buffer_var] : Node();
  std::string name;
  for (std::size_t i = 4; i + 2 < args.size(); i += 3) {
    if (workspace && args[i + 1] == workspace) {
      name = exprs.declare(workspace);
      line(kEthosUAllocation, {name, fmt::format("{}", count_of(launch.allocate))});
    }
    line(kEthosUAddress[0], {argument(args[i]), argument(args[i + 1])});
    line(kEthosUAddress[1], {argument(args[i]), argument(args[i + 2])});
  }
  line(kEthosULaunchLine, {argument(args[1])});
  if (workspace) line(kEthosURelease, {name});
  line(kEthosUReturn, {});
}

// --- Packed calls --------------------------------------------------------------------------------

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

/// The number of elements of each stack that a function needs. nullopt for shapes: no call passes
/// any.
struct StackSizes {
  std::optional<std::int64_t> shapes;
  std::int64_t tensors = 0;
  std::int64_t values = 0;
};

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

/// Prints calls of the packed convention: the stores to the stacks of arguments, and the call.
/// Source: the pass LowerTVMBuiltin.
class PackedCalls {
 public:
  PackedCalls(const Forms& forms, Code& code, ExprWriter& exprs, const FunctionHead& head)
      : forms_(forms), code_(code), exprs_(exprs), head_(head) {}

  /// Stores tensors before the values that point to them, then makes the call. Type codes are those
  /// of TVMArgTypeCode.
  void write(Node call) {
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
      return call_checked(
          fmt::format("TVMFuncCall({}, (TVMValue*) stack_value, (int*) stack_tcode, "
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

 private:
  // --- Arguments ---------------------------------------------------------------------------------

  void set_tensor(int number, const std::string& value) {
    code_.line("(((DLTensor*){})[{}].{}) = {};", head_.stacks.array, tensors_,
               field_spelling(Record::tensor, number, {}), value);
  }

  /// Dimensions are 64 bits wide on the stack.
  void store_shape(Node make_shape) {
    for (const Node dim : make_shape.list(f::Call::args)) {
      const bool is_number = dim.is(Kind::IntImm);
      const std::string value =
          is_number ? integer_text(DType::Int(64), dim.integer(f::IntImm::value))
          : dim.dtype() == DType::Int(64) ? exprs_(dim)
                                          : fmt::format("((int64_t){})", exprs_(dim));
      code_.line("((int64_t*){})[{}] = {};", head_.stacks.shape, shapes_++, value);
    }
  }

  /// Offsets are printed in bytes.
  std::string byte_offset(Node make_array) {
    const NodeList args = make_array.list(f::Call::args);
    const DType element = args[4].dtype();
    const std::int64_t bytes = static_cast<std::int64_t>(element.element_bytes()) *
                               std::max<std::int64_t>(element.lanes, 1);
    const Node offset = args[5];
    if (offset.is(Kind::IntImm)) {
      const auto elements = static_cast<std::uint64_t>(offset.integer(f::IntImm::value));
      const std::uint64_t product = elements * static_cast<std::uint64_t>(bytes);
      return integer_text(DType::UInt(64), static_cast<std::int64_t>(product));
    }
    return fmt::format("((uint64_t)({} * {}))", exprs_(offset),
                       integer_text(offset.dtype(), bytes));
  }

  /// tvm_stack_make_array(data, shape, strides, ndim, zero of the element type, offset)
  void store_tensor(Node make_array) {
    const NodeList args = make_array.list(f::Call::args);
    const std::int64_t first = shapes_;
    if (args.size() != 6 || !is_call_of(args[1], kMakeShape))
      cannot_print("a tensor without shape");
    store_shape(args[1]);
    const DType element = args[4].dtype();
    set_tensor(field::data, exprs_(args[0]));
    set_tensor(field::shape, fmt::format("(&(((int64_t*){})[{}]))", head_.stacks.shape, first));
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
    set_tensor(field::device_id, head_.device);
    set_tensor(field::device_type, "(DLDeviceType)1");
    ++tensors_;
  }

  void store_type(std::int64_t position, const std::string& type) {
    code_.line("((int32_t*){})[{}] = {};", head_.stacks.tcode, position, type);
  }

  std::string api_value(Node argument) {
    const DType type = api_type(argument.dtype());
    const std::string value = exprs_(argument);
    return type == argument.dtype() ? value : fmt::format("(({}){})", type_text(type), value);
  }

  /// `tensor`: which of the call's tensors the argument is, if it is a tensor.
  void store_argument(Node argument, std::int64_t position, std::int64_t tensor) {
    const bool is_tensor = is_call_of(argument, kMakeArray);
    const DType type = is_tensor ? DType::Handle() : api_type(argument.dtype());
    const std::string value =
        is_tensor ? fmt::format("(((DLTensor*){}) + {})", head_.stacks.array, tensor)
                  : api_value(argument);
    const char* const member = type.is_handle() ? "v_handle"
                               : type.is_int()  ? "v_int64"
                                                : "v_float64";
    code_.line("(((TVMValue*){})[{}].{}) = {};", head_.stacks.value, position, member, value);
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

  void call_checked(const std::string& call, std::string_view brace) {
    code_.line("if ({} != 0){}", call, brace);
    code_.return_error();
  }

  /// The slot of a function that is called by name; filled if it is empty.
  std::string look_up(const std::string& function) {
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
  std::string context_name(Node context) const {
    return context.is(Kind::Var) ? std::string(context.text(f::Var::name)) : "NULL";
  }

  const Forms& forms_;
  Code& code_;
  ExprWriter& exprs_;
  const FunctionHead& head_;
  std::int64_t tensors_ = 0;  // on the stack, of the current call
  std::int64_t shapes_ = 0;
};

// --- Statements ----------------------------------------------------------------------------------

constexpr std::string_view kPlainScope = "global";

std::string_view storage_scope(Node var) {
  const Node type = var[f::Var::type_annotation];
  if (!type.is(Kind::PointerType)) return kPlainScope;
  const std::string_view scope = type.text(f::PointerType::storage_scope);
  return scope.empty() ? kPlainScope : scope;
}

/// Prints the statements of one function.
class BodyWriter {
 public:
  BodyWriter(const Forms& forms, Code& code, ExprWriter& exprs, const FunctionHead& head)
      : forms_(forms), code_(code), exprs_(exprs), head_(head), calls_(forms, code, exprs, head) {}

  /// What is still to do waits on a stack: statements, and the ends of blocks behind them.
  void write(Node body) {
    then(body);
    while (!tasks_.empty()) {
      const Task task = std::move(tasks_.back());
      tasks_.pop_back();
      switch (task.action) {
        case Task::Action::statement:
          statement(task.node);
          break;
        case Task::Action::close:
          code_.end_scope(task.scope);
          code_.line("}}");
          break;
        case Task::Action::otherwise:
          otherwise(task);
          break;
        case Task::Action::release:
          release(task);
          break;
      }
    }
  }

 private:
  struct Task {
    enum class Action : std::uint8_t { statement, close, otherwise, release };
    Action action = Action::statement;
    Node node;  // close: none
    Code::Scope scope = 0;
    std::string name;  // release: what was allocated
  };

  /// Statements that the generator prints nothing for (attributes, assertions) are gone before it
  /// runs, or would be lost here: they are refused.
  void statement(Node node) {
    if (const auto launch = ethos_u_launch(node)) {
      return write_ethos_u_launch(code_, exprs_, *launch);
    }
    switch (node.kind()) {
      case Kind::SeqStmt:
        return sequence(node);
      case Kind::LetStmt:
        return let(node);
      case Kind::Allocate:
        return allocate(node);
      case Kind::AllocateConst:
        return constant(node);
      case Kind::For:
        return loop(node);
      case Kind::While:
        return while_(node);
      case Kind::IfThenElse:
        return branch(node);
      case Kind::BufferStore:
        return store(node);
      case Kind::Evaluate:
        return evaluate(node[f::Evaluate::value]);
      case Kind::OpaqueStmt:
        return unknown(node);
      default:
        cannot_print(node.info().name);
    }
  }

  /// Prints a statement that the reader of C kept as text.
  void unknown(Node node) {
    const Node text = node.map(f::OpaqueStmt::fields).find("text");
    if (node.text(f::OpaqueStmt::type_key) != "c" || !text.is(Kind::String)) {
      cannot_print(node.info().name);
    }
    code_.plain_line(text.text(f::String::value));
  }

  void sequence(Node node) {
    const NodeList parts = node.list(f::SeqStmt::seq);
    for (std::size_t i = parts.size(); i > 0; --i) then(parts[i - 1]);
  }

  // --- Blocks ----------------------------------------------------------------------------------

  /// The body of what was just opened, and its end.
  void open_block(Node body) {
    tasks_.push_back({Task::Action::close, {}, code_.begin_scope(), {}});
    then(body);
  }

  /// The generator asserts that loops begin at zero, and prints every kind of loop as this.
  void loop(Node node) {
    const Node var = node[f::For::loop_var];
    const Node min = node[f::For::min];
    if (!min.is(Kind::IntImm) || min.integer(f::IntImm::value) != 0) {
      cannot_print("a loop that does not begin at zero");
    }
    if (node[f::For::thread_binding]) cannot_print("a loop over threads");
    const std::string extent = exprs_(node[f::For::extent]);
    const std::string& name = exprs_.declare(var);
    code_.line("for ({0} {1} = 0; {1} < {2}; ++{1}) {{", type_text(var.dtype()), name, extent);
    open_block(node[f::For::body]);
  }

  /// Since v0.16 the condition may need statements of its own, and is inside.
  void while_(Node node) {
    if (!forms_.has(TvmFeature::c_endless_while)) {
      const std::string condition = exprs_(node[f::While::condition]);
      code_.line("while ({}) {{", condition);
      return open_block(node[f::While::body]);
    }
    code_.line("while (1) {{");
    open_block(node[f::While::body]);
    const std::string condition = exprs_(node[f::While::condition]);
    code_.line("if (!({})) {{ break; }}", condition);
  }

  /// A condition that is in parentheses already gets no others.
  void branch(Node node) {
    const std::string condition = exprs_(node[f::IfThenElse::condition]);
    const bool is_bracketed = condition.starts_with('(') && condition.ends_with(')');
    code_.plain_line((is_bracketed ? "if " + condition : "if (" + condition + ")") + " {");
    const Task::Action end =
        node[f::IfThenElse::else_case] ? Task::Action::otherwise : Task::Action::close;
    tasks_.push_back({end, node, code_.begin_scope(), {}});
    then(node[f::IfThenElse::then_case]);
  }

  void otherwise(const Task& task) {
    code_.end_scope(task.scope);
    code_.line("}} else {{");
    open_block(task.node[f::IfThenElse::else_case]);
  }

  // --- Variables and memory --------------------------------------------------------------------

  /// Its scope is the rest of the block, which C needs no braces for.
  void let(Node node) {
    const Node var = node[f::LetStmt::var];
    const std::string value = exprs_(node[f::LetStmt::value]);
    const std::string& name = exprs_.declare(var);
    code_.line("{} {} = {};", type_text(var.dtype()), name, value);
    then(node[f::LetStmt::body]);
  }

  /// An array where it is small, else a workspace that is given back at the end.
  void allocate(Node node) {
    const Node var = node[f::Allocate::buffer_var];
    const DType dtype = node.dtype(f::Allocate::dtype);
    const std::int64_t count = count_of(node);
    std::int64_t bytes = 0;
    const auto width = static_cast<std::int64_t>(dtype.element_bytes());
    if (__builtin_mul_overflow(count, width, &bytes)) cannot_print("an allocation of this size");
    // Memory of main (`global.workspace`) is never on the stack of C, however small.
    const bool is_array = storage_scope(var) == kStackScope ||
                          (storage_scope(var) == kPlainScope && bytes < kWorkspaceBytes);
    if (!is_array) return workspace(node, bytes);
    const std::string& name = exprs_.declare(var, dtype);
    code_.line("{} {}[{}];", type_text(dtype), name, count);
    then(node[f::Allocate::body]);
  }

  /// LowerTVMBuiltin makes these three statements of an Allocate: the allocation, its check, and
  /// the release behind the body. The 1 is kDLCPU.
  void workspace(Node node, std::int64_t bytes) {
    const DType dtype = node.dtype(f::Allocate::dtype);
    const std::string& name = exprs_.declare(node[f::Allocate::buffer_var]);
    code_.line("void* {} = TVMBackendAllocWorkspace(1, {}, (uint64_t){}, {}, {});", name,
               head_.device, bytes, static_cast<int>(dtype.code), dtype.bits);
    code_.line("if ({} == NULL) {{", name);
    code_.return_error();
    tasks_.push_back({Task::Action::release, {}, 0, name});
    then(node[f::Allocate::body]);
  }

  void release(const Task& task) {
    code_.line("if (TVMBackendFreeWorkspace(1, {}, {}) != 0) {{", head_.device, task.name);
    code_.return_error();
  }

  /// The array itself is at the top of the file.
  void constant(Node node) {
    exprs_.declare(node[f::AllocateConst::buffer_var]);
    then(node[f::AllocateConst::body]);
  }

  /// Buffers are flat when the generator runs (StorageFlatten, FlattenBuffer).
  void store(Node node) {
    const NodeList indices = node.list(f::BufferStore::indices);
    if (indices.size() != 1) cannot_print("a store into a buffer that is not flat");
    if (node[f::BufferStore::predicate]) cannot_print("a store with a predicate");
    const Node buffer = node[f::BufferStore::buffer];
    if (node[f::BufferStore::value].dtype() != buffer.dtype(f::Buffer::dtype)) {
      cannot_print("a store of another type than the buffer's");
    }
    // The value first: its temporaries come before those of the index.
    const std::string value = exprs_(node[f::BufferStore::value]);
    const std::string place = exprs_.place(buffer, indices[0]);
    code_.line("{} = {};", place, value);
  }

  // --- Calls -----------------------------------------------------------------------------------

  /// A number alone prints nothing; calls of the runtime have forms of their own.
  void evaluate(Node value) {
    if (value.is(Kind::IntImm)) return;
    if (is_packed_call(value)) return calls_.write(value);
    if (is_cmsis_layer(value)) return write_cmsis_layer(code_, exprs_, forms_, value);
    const std::string_view op = operator_of(value);
    const std::size_t count = op.empty() ? 0 : value.list(f::Call::args).size();
    if (op == "tir.tvm_check_return" && count == 3) return check_return(value);
    if (op == "tir.ret" && count == 1) return return_value(value.list(f::Call::args)[0]);
    if (op == "tir.tvm_throw_last_error") return code_.line("return -1;");
    code_.line("{}{};", forms_.has(TvmFeature::c_void_calls) ? "(void)" : "", exprs_(value));
  }

  /// `if (f(…) != 0 ) return -1;`
  void check_return(Node call) {
    const NodeList args = call.list(f::Call::args);
    const std::string called = exprs_(args[2]);
    const std::string expected = exprs_(args[0]);
    code_.line("if ({} != {} ) return {};", called, expected, exprs_(args[1]));
  }

  /// A packed function stores its result; `return 0;` alone is the end of one that has none.
  void return_value(Node value) {
    const bool is_zero = value.is(Kind::IntImm) && value.dtype() == DType::Int(32) &&
                         value.integer(f::IntImm::value) == 0;
    if (head_.result.empty() || is_zero) return code_.line("return {};", exprs_(value));
    const DType dtype = value.dtype();
    // As a packed function returns its value: in the widest type of its kind.
    const DType stored = dtype.is_float() ? DType::Float(64) : DType::Int(64);
    const std::string text = exprs_(value);
    code_.line("(({}*){})[0] = {};", type_text(stored), head_.result,
               dtype == stored ? text : fmt::format("(({}){})", type_text(stored), text));
    code_.line("{}[0] = {};", head_.result_type, static_cast<int>(stored.code));
    code_.line("return 0;");
  }

  void then(Node node) { tasks_.push_back({Task::Action::statement, node, 0, {}}); }

  const Forms& forms_;
  Code& code_;
  ExprWriter& exprs_;
  const FunctionHead& head_;
  PackedCalls calls_;
  std::vector<Task> tasks_;
};

}  // namespace

bool is_packed_call(Node call) {
  const bool is_packed = is_call_of(call, kCPacked) || is_call_of(call, kPacked);
  if (!is_packed) return false;
  const NodeList args = call.list(f::Call::args);
  const std::size_t least = is_call_of(call, kCPacked) ? 2 : 1;
  return args.size() >= least && args[0].is(Kind::StringImm);
}

/// In TVM's order: type codes, values, tensors, shapes; only those that a call needs.
CallStacks declare_stacks(Code& code, Node body) {
  StackSizes sizes;
  // Visits only statements: packed calls are never operands.
  for_each_statement(body, [&](Node statement) {
    if (!statement.is(Kind::Evaluate)) return;
    const Node value = statement[f::Evaluate::value];
    if (is_packed_call(value)) add(sizes, value);
  });
  CallStacks stacks;
  const auto declare = [&](std::string& name, std::int64_t words) {
    const std::string storage = code.fresh("stack");
    code.line("TVMValue {}[{}];", storage, words);
    name = code.fresh(name);
    code.line("void* {} = {};", name, storage);
  };
  if (sizes.values > 0) {
    declare(stacks.tcode, (sizes.values + kCodesPerWord - 1) / kCodesPerWord);
    declare(stacks.value, sizes.values);
  }
  if (sizes.tensors > 0) declare(stacks.array, sizes.tensors * kTensorWords);
  if (sizes.shapes) declare(stacks.shape, *sizes.shapes);
  return stacks;
}

bool returns_itself(Node body) {
  while (body.is(Kind::AllocateConst)) body = body[f::AllocateConst::body];
  return ethos_u_launch(body).has_value();
}

void write_body(const Forms& forms, Code& code, ExprWriter& exprs, Node body,
                const FunctionHead& head) {
  BodyWriter(forms, code, exprs, head).write(body);
}

}  // namespace mlf::tir::c
