#include "tir/c/write/body.h"

#include <fmt/core.h>

#include <initializer_list>
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
  if (!ethos_u_accesses(launch.call)) return std::nullopt;
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
  BodyWriter(const Forms& forms, Code& code, ExprWriter& exprs, PackedCalls& calls)
      : forms_(forms), code_(code), exprs_(exprs), calls_(calls) {}

  /// What is still to do waits on a stack: statements, and the ends of blocks behind them.
  void write(Node body, const FunctionHead& head) {
    head_ = head;
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
    if (is_packed_call(value)) return calls_.write(value, head_.device);
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
  PackedCalls& calls_;
  FunctionHead head_;
  std::vector<Task> tasks_;
};

}  // namespace

bool returns_itself(Node body) {
  while (body.is(Kind::AllocateConst)) body = body[f::AllocateConst::body];
  return ethos_u_launch(body).has_value();
}

void write_body(const Forms& forms, Code& code, ExprWriter& exprs, PackedCalls& calls, Node body,
                const FunctionHead& head) {
  BodyWriter(forms, code, exprs, calls).write(body, head);
}

}  // namespace mlf::tir::c
