// Declarations, assignments and the calls that are printed as several statements.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "tir/c/read/body.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kAllocate = "TVMBackendAllocWorkspace";
constexpr std::string_view kAllocationCheck = "if ( $ == NULL ) { return - 1 ; }";
constexpr std::string_view kFree =
    "if ( TVMBackendFreeWorkspace ( 1 , $ , $ ) != 0 ) { return - 1 ; }";
constexpr std::string_view kCPackedCall =
    "if ( $ ( ( TVMValue * ) $ , ( int * ) $ , $ , & $ , & $ , $ ) != 0 ) { return - 1 ; }";
constexpr std::string_view kPackedLookup =
    "if ( $ == NULL ) { if ( TVMBackendGetFuncFromEnv ( __tvm_module_ctx ,";
constexpr std::string_view kPackedLookupEnd = ", & $ ) != 0 ) { return - 1 ; } }";
constexpr std::string_view kPackedCall =
    "if ( TVMFuncCall ( $ , ( TVMValue * ) $ , ( int * ) $ , $ , & $ , & $ ) != 0 ) { return - 1 ; "
    "}";

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// `_1` (up to v0.9), `__1` (v0.10, v0.11), `v_` and `v__1` (since v0.12).
bool is_temp_name(std::string_view name) {
  if (name == "v_") return true;
  if (name.starts_with("v__")) return is_digits(name.substr(3));
  if (name.starts_with("__")) return is_digits(name.substr(2));
  return name.starts_with("_") && is_digits(name.substr(1));
}

std::int64_t integer(const Cursor& cursor, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    cursor.fail("expected a number");
  }
  return value;
}

}  // namespace

// --- Declarations -------------------------------------------------------------------------------

bool BodyReader::declaration() {
  if (!cursor_.at_name()) return false;
  if (cursor_.at_word("TVMValue")) {
    declare_storage();
    return true;
  }
  if (cursor_.accept_form("int $ ;", words_)) {  // ret_type_code
    declare_result(words_[0]);
    return true;
  }
  const auto dtype = scalar_type(cursor_.text());
  if (!dtype) return false;
  Declared declared{.dtype = *dtype, .begin = cursor_.advance().begin};
  const bool is_pointer = cursor_.accept(sign("*"));
  if (is_pointer) {
    declared.pointee = *dtype;
    declared.dtype = DType::Handle();
  } else if (dtype->is_void()) {
    cursor_.fail("a variable of type void");
  }
  declared.name = cursor_.expect_name("a variable");
  if (cursor_.at(sign("["))) {
    declare_array(declared);
  } else if (cursor_.accept(sign("="))) {
    declare_value(declared);
  } else {
    cursor_.expect(";");
    pending_ = declared.name;
    pending_type_ = declared.dtype;
    context_.define(declared.name, {Binding::What::pending, DType::Void(), NodeId::none});
  }
  return true;
}

/// `TVMValue stack[4];`, or the result of a packed call, which nobody reads.
void BodyReader::declare_storage() {
  cursor_.advance();
  const std::string_view name = cursor_.expect_name("a variable");
  if (cursor_.accept_form("[ $ ] ;", words_)) {
    context_.define(name, {Binding::What::stack_storage, DType::Void(), NodeId::none});
  } else {
    cursor_.expect(";");
    declare_result(name);
  }
}

void BodyReader::declare_result(std::string_view name) {
  context_.define(name, {Binding::What::result, DType::Void(), NodeId::none});
}

/// `float x[5];` is an allocation for the rest of the block.
void BodyReader::declare_array(const Declared& declared) {
  if (!cursor_.accept_form("[ $ ] ;", words_)) cursor_.fail("expected the number of elements");
  const std::int64_t count = integer(cursor_, words_[0]);
  const DType element = declared.dtype;
  const NodeId var =
      make().var(declared.name, make().pointer_type(make().prim_type(element), "global"));
  context_.define(declared.name, {Binding::What::variable, element, var});
  context_.buffers.set_bytes(var, count * static_cast<std::int64_t>(element.element_bytes()));
  const NodeId extent = context_.operators.integer(DType::Int(32), count);
  open({.open = Open::allocate,
        .begin = declared.begin,
        .var = var,
        .value = extent,
        .dtype = element,
        .name = declared.name});
}

/// `void* x = TVMBackendAllocWorkspace(1, device, (uint64_t)bytes, code, bits);` and its check.
bool BodyReader::declare_workspace(const Declared& declared) {
  if (!cursor_.at_word(kAllocate)) return false;
  if (!declared.pointee.is_void() || !declared.dtype.is_handle()) {
    cursor_.fail("an allocation that is no 'void*'");
  }
  cursor_.advance();
  if (!cursor_.accept_form("( 1 , $ ,", words_)) cursor_.fail("expected the CPU as device");
  const std::string_view device = words_[0];
  const NodeId bytes = exprs_.expression();
  if (!cursor_.accept_form(", $ , $ ) ;", words_)) cursor_.fail("expected code and bits of a type");
  const auto type = dtype_of(integer(cursor_, words_[0]), integer(cursor_, words_[1]), 1);
  if (!type || type->is_void()) cursor_.fail("an allocation of an unknown type");
  const DType element = *type;
  if (!cursor_.accept_form(kAllocationCheck, words_) || words_[0] != declared.name) {
    cursor_.fail("expected the check of an allocation");
  }
  const Node size = node(bytes);
  const auto width = static_cast<std::int64_t>(std::max<std::size_t>(element.element_bytes(), 1));
  if (!size.is(Kind::IntImm)) cursor_.fail("an allocation whose size is no constant");
  const std::int64_t count = size.integer(f::IntImm::value) / width;
  // Small memory of the plain scope would have been an array.
  const bool is_workspace = declared.name.starts_with("sid_") || count * width < kWorkspaceBytes;
  const std::string_view scope = is_workspace ? "global.workspace" : "global";
  const NodeId var =
      make().var(declared.name, make().pointer_type(make().prim_type(element), scope));
  context_.define(declared.name, {Binding::What::variable, DType::Void(), var});
  context_.buffers.set_bytes(var, count * width);
  open({.open = Open::allocate,
        .begin = declared.begin,
        .var = var,
        .value = context_.operators.integer(DType::Int(count > INT32_MAX ? 64 : 32), count),
        .dtype = element,
        .name = declared.name,
        .device = device});
  return true;
}

void BodyReader::declare_value(const Declared& declared) {
  if (declare_workspace(declared)) return;
  const Binding* const storage = cursor_.at_name() ? context_.names.find(cursor_.text()) : nullptr;
  if (storage != nullptr && storage->what == Binding::What::stack_storage) {
    cursor_.advance();
    cursor_.expect(";");
    const NodeId area = make().var(declared.name, make().prim_type(DType::Handle()));
    context_.define(declared.name, {Binding::What::variable, DType::Void(), area});
    return stack_.add_area(area);
  }
  const NodeId value = exprs_.expression();
  cursor_.expect(";");
  exprs_.require_type(value, declared.dtype);
  if (is_temp_name(declared.name)) {
    context_.define(declared.name, {Binding::What::temporary, DType::Void(), value});
    return;
  }
  if (params_.take(declared.name, declared.dtype, value)) return;
  let(declared, value);
}

void BodyReader::let(const Declared& declared, NodeId value) {
  const NodeId var = make().var(declared.name, make().prim_type(declared.dtype));
  context_.define(declared.name, {Binding::What::variable, declared.pointee, var});
  context_.operators.limit(var, context_.operators.facts().of(value).range);
  if (declared.dtype.is_handle()) untyped_lets_.push_back(var);
  open({.open = Open::let, .begin = declared.begin, .var = var, .value = value});
}

// --- Assignments --------------------------------------------------------------------------------

void BodyReader::assignment() {
  const std::uint32_t begin = cursor_.peek().begin;
  const Binding* const named = cursor_.at_name() ? context_.names.find(cursor_.text()) : nullptr;
  if (named != nullptr && named->what == Binding::What::pending) {
    return set_pending(cursor_.text(cursor_.advance()));
  }
  const Value place = exprs_.value();
  if (cursor_.accept(sign(";"))) {
    return complete(builder().make(Kind::Evaluate, {exprs_.expr_of(place)}), begin);
  }
  cursor_.expect("=");
  const NodeId value = exprs_.expression();
  cursor_.expect(";");
  store(place, value, begin);
}

/// `condval = …;`, the last statement of a branch.
void BodyReader::set_pending(std::string_view name) {
  cursor_.expect("=");
  const NodeId value = exprs_.expression();
  cursor_.expect(";");
  close_covering();
  Frame& branch = frames_.back();
  const bool is_branch = branch.open == Open::if_value || branch.open == Open::else_value;
  if (!is_branch || branch.name != name || branch.var != NodeId::none) {
    cursor_.fail(fmt::format("'{}' is set outside of its branches", name));
  }
  branch.var = value;
}

void BodyReader::store(const Value& place, NodeId value, std::uint32_t begin) {
  const Node target = node(exprs_.expr_of(place));
  if (target.is(Kind::Call)) {
    if (!set_field(target, value)) cursor_.fail("an assignment to what is no place");
    return;
  }
  if (!target.is(Kind::BufferLoad)) cursor_.fail("an assignment to what is no element");
  const NodeId buffer = target[f::BufferLoad::buffer].id();
  const NodeId data = node(buffer)[f::Buffer::data].id();
  const NodeId index = target.list(f::BufferLoad::indices)[0].id();
  if (stack_.is_area(data)) {
    block().stores_arguments = true;
    return stack_.store(data, index, value);
  }
  if (params_.is_result_type(data)) return;
  if (params_.is_result(data)) {
    result_ = value;
    return;
  }
  exprs_.require_type(value, target.dtype());
  complete(
      builder().make(Kind::BufferStore, {buffer, value, builder().list({index}), NodeId::none}),
      begin);
}

bool BodyReader::set_field(Node place, NodeId value) {
  const Node op = place[f::Call::op];
  if (!op.is(Kind::Op) || op.text(f::Op::name) != "tir.tvm_struct_get") return false;
  const auto args = place.list(f::Call::args);
  if (!stack_.is_area(args[0].id())) return false;
  block().stores_arguments = true;
  stack_.set(args[0].id(), args[1].id(), args[2].integer(f::IntImm::value), value);
  return true;
}

// --- What several statements are printed for ----------------------------------------------------

bool BodyReader::fixed_if() {
  return free_workspace() || packed_call() || packed_function_call();
}

/// Ends the allocation, and what was opened inside of it.
bool BodyReader::free_workspace() {
  if (!cursor_.accept_form(kFree, words_)) return false;
  const std::string_view device = words_[0];
  const std::string_view name = words_[1];
  while (true) {
    const Frame frame = frames_.back();
    if (frame.open < Open::let) cursor_.fail(fmt::format("'{}' is not allocated here", name));
    pop();
    const NodeId body = sequence(frame.first);
    complete(finish_covering(frame, body), frame.begin);
    if (frame.open != Open::allocate || frame.name != name) continue;
    if (frame.device != device) cursor_.fail(fmt::format("'{}' is of another device", name));
    return true;
  }
}

/// Where a packed call puts its result and the type of it: declared, and read by nobody.
void BodyReader::require_results(std::string_view value, std::string_view type) const {
  for (const std::string_view name : {value, type}) {
    const Binding* const found = context_.names.find(name);
    if (found == nullptr || found->what != Binding::What::result) {
      cursor_.fail(fmt::format("'{}' is not where a call can leave its result", name));
    }
  }
}

/// A call of the C-packed convention, whose arguments were stored before.
bool BodyReader::packed_call() {
  const std::uint32_t begin = cursor_.peek().begin;
  if (!cursor_.accept_form(kCPackedCall, words_)) return false;
  const Binding* const values = context_.names.find(words_[1]);
  const Binding* const codes = context_.names.find(words_[2]);
  if (values == nullptr || codes == nullptr) cursor_.fail("a packed call of unknown arguments");
  require_results(words_[4], words_[5]);
  std::vector<NodeId> args = {make().string_imm(words_[0])};
  const std::vector<NodeId> passed = stack_.take_arguments(values->node, codes->node);
  args.insert(args.end(), passed.begin(), passed.end());
  context_.calls.push_back({words_[0], passed});
  // Since v0.16 the printed number is one too small.
  const std::int64_t printed = integer(cursor_, words_[3]);
  const auto count = static_cast<std::int64_t>(passed.size());
  if (printed != count && printed + 1 != count) {
    cursor_.fail(fmt::format("a call with {} arguments that passes {}", printed, count));
  }
  const std::string_view device = words_[6];
  const Binding* const named = context_.names.find(device);
  if (device != "NULL" && (named == nullptr || named->node == NodeId::none)) {
    cursor_.fail(fmt::format("unknown device context '{}'", device));
  }
  // v0.8 passes no context.
  if (device != "NULL") {
    args.push_back(named->node);
  } else if (context_.module.versions.may_have(TvmFeature::c_device_context)) {
    args.push_back(exprs_.expr_of({.form = Value::Form::null}));
  }
  const NodeId call = context_.operators.call("tir.tvm_call_cpacked", DType::Int(32), args);
  complete(builder().make(Kind::Evaluate, {call}), begin);
  return true;
}

/// A call by name: the look-up of the function, done once, and the call.
bool BodyReader::packed_function_call() {
  const std::uint32_t begin = cursor_.peek().begin;
  std::string_view function;
  if (cursor_.accept_form(kPackedLookup, words_)) {
    if (cursor_.peek().kind != TokenKind::string) cursor_.fail("expected the name of a function");
    function = cursor_.text(cursor_.advance());
    function = function.substr(1, function.size() - std::min<std::size_t>(function.size(), 2));
    if (!cursor_.accept_form(kPackedLookupEnd, words_)) cursor_.fail("expected a look-up");
    packed_functions_[words_[0]] = function;
    return true;
  }
  if (!cursor_.accept_form(kPackedCall, words_)) return false;
  const auto found = packed_functions_.find(words_[0]);
  const Binding* const values = context_.names.find(words_[1]);
  const Binding* const codes = context_.names.find(words_[2]);
  if (found == packed_functions_.end() || values == nullptr || codes == nullptr) {
    cursor_.fail("a packed call of an unknown function");
  }
  require_results(words_[4], words_[5]);
  std::vector<NodeId> args = {make().string_imm(found->second)};
  const std::vector<NodeId> passed = stack_.take_arguments(values->node, codes->node);
  args.insert(args.end(), passed.begin(), passed.end());
  context_.calls.push_back({found->second, passed});
  const NodeId call = context_.operators.call("tir.tvm_call_packed", DType::Int(32), args);
  complete(builder().make(Kind::Evaluate, {call}), begin);
  return true;
}

}  // namespace mlf::tir::c
