// Declarations and assignments of a function body.
#include <fmt/core.h>

#include <algorithm>

#include "support/characters.h"
#include "tir/c/read/body.h"
#include "tir/pools.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kAllocate = "TVMBackendAllocWorkspace";
constexpr std::string_view kAllocationCheck = "if ($ == NULL)";

/// `_1` (up to v0.9), `__1` (v0.10, v0.11), `v_` and `v__1` (since v0.12).
bool is_temp_name(std::string_view name) {
  if (name == "v_") return true;
  if (name.starts_with("v__")) return support::is_digits(name.substr(3));
  if (name.starts_with("__")) return support::is_digits(name.substr(2));
  return name.starts_with("_") && support::is_digits(name.substr(1));
}

}  // namespace

// --- Declarations -------------------------------------------------------------------------------

/// `T x = …;`, `T x[N];` or `T x;`, and what LowerTVMBuiltin declares for packed calls.
bool BodyReader::declaration() {
  if (!cursor_.at_name()) return false;
  if (cursor_.at_word("TVMValue")) {
    packed_calls_.declare_storage();
    return true;
  }
  if (cursor_.accept_form("int $;", words_)) {
    packed_calls_.declare_result(words_[0]);
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
    context_.define(declared.name, {BindingKind::pending, DType::Void(), NodeId::none});
  }
  return true;
}

/// `float x[5];` is an allocation for the rest of the block.
void BodyReader::declare_array(const Declared& declared) {
  if (!cursor_.accept_form("[$];", words_)) cursor_.fail("expected the number of elements");
  const std::int64_t count = cursor_.number_of(words_[0]);
  const DType element = declared.dtype;
  std::int64_t bytes = 0;
  const auto width = static_cast<std::int64_t>(element.element_bytes());
  if (__builtin_mul_overflow(count, width, &bytes)) cursor_.fail("an array that is too large");
  const std::string_view scope = bytes < kWorkspaceBytes ? "global" : kStackScope;
  const NodeId var = make().var(declared.name, make().pointer_to(element, scope));
  context_.define(declared.name, {BindingKind::variable, element, var});
  context_.buffers.set_bytes(var, bytes);
  open_allocation(declared, var, context_.operators.integer(DType::Int(32), count), element, {});
}

/// The condition of an Allocate is always true after the lowering passes.
void BodyReader::open_allocation(const Declared& declared, NodeId var, NodeId extent, DType element,
                                 std::string_view device) {
  blocks_.open({.kind = BlockKind::allocate,
                .begin = declared.begin,
                .name = declared.name,
                .device = device});
  blocks_.add_scope(Kind::Allocate, {var, element, builder().list({extent}), make().boolean(1),
                                     NodeId::none, make().no_entries()});
}

/// `void* x = TVMBackendAllocWorkspace(1, device, (uint64_t)bytes, code, bits);` and its check.
bool BodyReader::declare_workspace(const Declared& declared) {
  if (!cursor_.at_word(kAllocate)) return false;
  if (!declared.pointee.is_void() || !declared.dtype.is_handle()) {
    cursor_.fail("an allocation that is not a 'void*'");
  }
  cursor_.advance();
  if (!cursor_.accept_form("(1, $,", words_)) cursor_.fail("expected the CPU as device");
  const std::string_view device = words_[0];
  const NodeId bytes = exprs_.expression();
  if (!cursor_.accept_form(", $, $);", words_)) cursor_.fail("expected code and bits of a type");
  const auto type = dtype_of(cursor_.number_of(words_[0]), cursor_.number_of(words_[1]), 1);
  if (!type || type->is_void()) cursor_.fail("an allocation of an unknown type");
  const DType element = *type;
  if (cursor_.accept_form(kAllocationCheck, words_)) {
    if (words_[0] != declared.name) cursor_.fail("expected the check of an allocation");
    pass_return_error();
  }
  const Node size = node(bytes);
  // The element type is a hint for the allocator. TVM uses the dtype of the Allocate.
  const auto width = static_cast<std::int64_t>(std::max<std::size_t>(element.element_bytes(), 1));
  if (!size.is(Kind::IntImm)) cursor_.fail("an allocation whose size is not a constant");
  const std::int64_t count = size.integer(f::IntImm::value) / width;
  // A small allocation with the default scope would be an array.
  const bool is_workspace = declared.name.starts_with("sid_") || count * width < kWorkspaceBytes;
  const std::string_view scope = is_workspace ? "global.workspace" : "global";
  const NodeId var = make().var(declared.name, make().pointer_to(element, scope));
  context_.define(declared.name, {BindingKind::variable, DType::Void(), var});
  context_.buffers.set_bytes(var, count * width);
  const DType index = DType::Int(count > INT32_MAX ? 64 : 32);
  open_allocation(declared, var, context_.operators.integer(index, count), element, device);
  return true;
}

/// In the order in which they can be distinguished: workspaces, areas of the stack and temporaries
/// by their form, the prologue by the arguments that it reads; everything else is a let.
void BodyReader::declare_value(const Declared& declared) {
  if (declare_workspace(declared)) return;
  if (packed_calls_.declare_area(declared.name)) return;
  const NodeId value = exprs_.expression();
  cursor_.expect(";");
  exprs_.require_type(value, declared.dtype);
  if (checked_status(declared, value)) return;
  if (is_temp_name(declared.name)) {
    context_.define(declared.name, {BindingKind::temporary, DType::Void(), value});
    return;
  }
  // The prologue has no statement in the IR: it belongs to the signature.
  if (params_.take(declared.name, declared.dtype, value)) return;
  let(declared, declared.dtype.is_handle() ? place_in_pool(value) : value);
}

/// `void* x = pool;`, as people write the address of the first byte of a pool.
NodeId BodyReader::place_in_pool(NodeId value) {
  const Node pool = node(value);
  if (!pool.is(Kind::Var) || pool_name(pool.text(f::Var::name)).empty()) return value;
  const NodeId bytes = context_.buffers.of(value, DType::UInt(8));
  const NodeId first =
      context_.operators.load(bytes, context_.operators.integer(DType::Int(32), 0));
  return context_.operators.call("tir.address_of", DType::Handle(), std::array{first});
}

/// A name for an address: from here on, the memory is accessed under another name.
void BodyReader::note_pointer(NodeId value) {
  Node pointer = node(value);
  while (pointer.is(Kind::Cast)) pointer = pointer[f::Cast::value];
  if (is_call_of(pointer, "tir.address_of")) pointer = pointer.list(f::Call::args)[0];
  if (pointer.is(Kind::BufferLoad)) pointer = pointer[f::BufferLoad::buffer][f::Buffer::data];
  if (pointer.is(Kind::Var)) context_.buffers.set_into(pointer.id());
}

/// It has the range of its value, which decides between a division and a floor division.
void BodyReader::let(const Declared& declared, NodeId value) {
  const NodeId var = make().var(declared.name, make().prim_type(declared.dtype));
  context_.define(declared.name, {BindingKind::variable, declared.pointee, var});
  context_.operators.limit(var, context_.operators.facts().of(value).range);
  if (declared.dtype.is_handle()) {
    untyped_lets_.push_back(var);
    note_pointer(value);
  } else if (node(value).is(Kind::Call)) {
    statuses_.insert(var);
    note_call(node(value));
  }
  blocks_.open({.kind = BlockKind::let, .begin = declared.begin});
  blocks_.add_scope(Kind::LetStmt, {var, value, NodeId::none});
}

// --- Assignments --------------------------------------------------------------------------------

/// A store, a field of an argument on the stack, the value of a condval, or an expression alone.
void BodyReader::assignment() {
  const std::uint32_t begin = cursor_.peek().begin;
  const Binding* const named = cursor_.at_name() ? context_.names.find(cursor_.text()) : nullptr;
  if (named != nullptr && named->kind == BindingKind::pending) {
    return set_pending(cursor_.text(cursor_.advance()));
  }
  const Operand place = exprs_.value();
  if (cursor_.accept(sign(";"))) {
    const NodeId value = exprs_.expr_of(place);
    note_layer(node(value));
    return blocks_.complete(builder().make(Kind::Evaluate, {value}), begin);
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
  blocks_.close_rest_of_block();
  Block& branch = blocks_.innermost();
  const bool is_branch = branch.kind == BlockKind::if_value || branch.kind == BlockKind::else_value;
  if (!is_branch || branch.name != name || branch.value != NodeId::none) {
    cursor_.fail(fmt::format("'{}' is set outside of its branches", name));
  }
  branch.value = value;
}

/// A store to the stack of arguments, or of the result of a packed function, belongs to a call or
/// to `ret`, and is not a statement.
void BodyReader::store(const Operand& place, NodeId value, std::uint32_t begin) {
  const Node target = node(exprs_.expr_of(place));
  if (target.is(Kind::Call)) {
    if (!set_field(target, value)) cursor_.fail("an assignment to something that is not a place");
    return;
  }
  if (!target.is(Kind::BufferLoad))
    cursor_.fail("an assignment to something that is not an element");
  const NodeId buffer = target[f::BufferLoad::buffer].id();
  const NodeId data = node(buffer)[f::Buffer::data].id();
  const NodeId index = target.list(f::BufferLoad::indices)[0].id();
  if (packed_calls_.is_area(data)) {
    blocks_.with_braces().stores_arguments = true;
    return packed_calls_.store(data, index, value);
  }
  if (params_.is_result_type(data)) return;
  if (params_.is_result(data)) {
    result_ = value;
    return;
  }
  exprs_.require_type(value, target.dtype());
  blocks_.complete(
      builder().make(Kind::BufferStore, {buffer, value, builder().list({index}), NodeId::none}),
      begin);
}

/// Only fields of tensors and values on the stack of arguments are set.
bool BodyReader::set_field(Node place, NodeId value) {
  const Node op = place[f::Call::op];
  if (!op.is(Kind::Op) || op.text(f::Op::name) != "tir.tvm_struct_get") return false;
  const auto args = place.list(f::Call::args);
  if (!packed_calls_.is_area(args[0].id())) return false;
  blocks_.with_braces().stores_arguments = true;
  packed_calls_.set(args[0].id(), args[1].id(), args[2].integer(f::IntImm::value), value);
  return true;
}

}  // namespace mlf::tir::c
