// write_c: a module as one file of generated C.
#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/target.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"
#include "support/name_map.h"
#include "tir/c/language.h"
#include "tir/c/write/code.h"
#include "tir/c/write/constants.h"
#include "tir/c/write/expressions.h"
#include "tir/node_queries.h"
#include "tir/pools.h"
#include "tir/written_size.h"

namespace mlf::tir {
namespace c {
namespace {

constexpr std::string_view kBeforeFunction = "#ifdef __cplusplus\nextern \"C\"\n#endif\n";
constexpr std::int64_t kConstantAlignment = 16;

// --- Preconditions of the writer ---------------------------------------------------------------

[[noreturn]] void fail(Node node, const FieldInfo& field, std::string_view how) {
  throw support::Error(ErrorKind::invalid_input,
                       fmt::format("{} of {} is {}", field.name, node.info().name, how));
}

/// What a text has left out has no C.
bool can_hold(const FieldInfo& field, Node held) {
  return fits(held.kind(), field.expects) &&
         (field.expects != Expects::expr || held.category() == Category::expr);
}

/// A document can come from JSON, where any field may have any value; the writer reads fields
/// without checks.
void check_field(Node node, std::uint8_t position) {
  const FieldInfo& field = node.info().fields[position];
  if (field.type == FieldType::node) {
    const Node held = node.node(position);
    if (!held && !field.nullable) fail(node, field, "undefined");
    if (held && !can_hold(field, held)) fail(node, field, "of the wrong kind");
  } else if (field.type == FieldType::list) {
    for (const Node held : node.list(position)) {
      if (!held) fail(node, field, "undefined");
      if (!can_hold(field, held)) fail(node, field, "of the wrong kind");
    }
  }
}

/// Throws support::Error if a field below `root` that TVM always sets is undefined, or contains
/// anything but an expression, statement, variable or buffer as its type requires.
void require_whole(Node root) {
  for_each_pre_order(root, [](Node node) {
    for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) check_field(node, i);
  });
}

// --- Heads of functions ------------------------------------------------------------------------

enum class Convention : std::uint8_t { unpacked, packed };

/// The buffer with the dimensions for callers: v0.9 and v0.10 keep it beside the one-dimensional
/// one.
Node buffer_of(Node function, Node param) {
  const NodeMap before = function.map(f::PrimFunc::preflattened_buffer_map);
  const Node shaped = before.defined() ? value_under(before, param) : Node();
  return shaped ? shaped : value_under(function.map(f::PrimFunc::buffer_map), param);
}

/// The name of a function in C.
std::string symbol_of(Node function) {
  const Node symbol = attribute_of(function, "global_symbol");
  if (!symbol || !symbol.is(Kind::String)) cannot_print("a function without global_symbol");
  return std::string(symbol.text(f::String::value));
}

/// Prints heads of functions: signatures, and the code of a packed function that reads its
/// arguments. Source: the passes MakePackedAPI and MakeUnpackedAPI.
class Prologue {
 public:
  Prologue(const Forms& forms, Code& code, ExprWriter& exprs, Node function)
      : forms_(forms),
        code_(code),
        exprs_(exprs),
        function_(function),
        symbol_(symbol_of(function)) {
    for (const Node var : function.list(f::PrimFunc::params)) {
      params_.push_back({.var = var, .buffer = buffer_of(function, var)});
    }
  }

  /// `(float* p0, int8_t* p1)`. Names the parameters.
  std::string signature(Convention convention) {
    return convention == Convention::packed ? packed_signature() : unpacked_signature();
  }

  /// Prints everything before the body's own statements: stacks come first, then values and codes,
  /// then fields of tensors. Assertions are not printed, but the `if` around the one on strides is.
  FunctionHead write(Convention convention) {
    head_.stacks = declare_stacks(code_, function_[f::PrimFunc::body]);
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

 private:
  /// A parameter and the buffer behind it, if it has one.
  struct Param {
    Node var;
    Node buffer;
    std::string handle{};  ///< its name in C, as the function receives it
    std::string strides{};
  };

  /// TVMBackendPackedCFunc. v0.8 prints the pointers to type codes as `void*`.
  std::string packed_signature() {
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

  /// One parameter for each of the PrimFunc: the data pointer of its buffer, or the parameter
  /// itself.
  std::string unpacked_signature() {
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

  /// `void* placeholder = arg0;` of v0.8.
  void rename_numbered() {
    if (!forms_.has(TvmFeature::c_numbered_params)) return;
    for (const Param& param : params_) {
      const Node var = param.buffer ? param.buffer[f::Buffer::data] : param.var;
      const std::string& name = exprs_.declare(var);
      code_.line("{} {} = {};", type_text(var.dtype()), name, param.handle);
    }
  }

  std::string prefix(const Param& param) const {
    const std::string_view name = param.var.text(f::Var::name);
    return forms_.has(TvmFeature::c_handle_prefix) ? fmt::format("arg_{}", name)
                                                   : fmt::format("{}.{}", symbol_, name);
  }

  /// Up to v0.12 each parameter in turn, value and code; since v0.13 all codes, then all values.
  void take_all_values() {
    if (forms_.has(TvmFeature::c_handle_prefix)) {
      for (std::size_t i = 0; i < params_.size(); ++i) {
        take_value(params_[i], i);
        take_code(params_[i], i);
      }
      // The parameter itself is another variable.
      for (const Param& param : params_) {
        if (param.buffer) continue;
        const std::string& name = exprs_.declare(param.var);
        code_.line("{} {} = {};", type_text(param.var.dtype()), name, param.handle);
      }
      return;
    }
    for (std::size_t i = 0; i < params_.size(); ++i) take_code(params_[i], i);
    for (std::size_t i = 0; i < params_.size(); ++i) take_value(params_[i], i);
  }

  void take_code(const Param& param, std::size_t position) {
    const std::string_view name = param.var.text(f::Var::name);
    const char* const before = forms_.has(TvmFeature::c_handle_prefix) ? "arg_" : "";
    code_.line("int32_t {} = {}[{}];", code_.fresh(fmt::format("{}{}_code", before, name)),
               type_ids_, position);
  }

  /// A tensor's handle, or a number in its own type.
  void take_value(Param& param, std::size_t position) {
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

  std::string take_field(const Param& param, std::string_view type, const std::string& name,
                         int number) {
    std::string given = code_.fresh(name);
    code_.line("{} {} = (((DLTensor*){})[0].{});", type, given, param.handle,
               field_spelling(Record::tensor, number, DType::Handle()));
    return given;
  }

  void take_data(const Param& param) {
    const std::string& name = exprs_.declare(param.buffer[f::Buffer::data]);
    code_.line("void* {} = (((DLTensor*){})[0].{});", name, param.handle,
               field_spelling(Record::tensor, field::data, DType::Handle()));
  }

  /// Reads shape and strides even if the body does not need them. Since v0.16 the data pointer
  /// comes last; only the first tensor's device is read.
  void take_tensor(Param& param) {
    if (!forms_.has(TvmFeature::c_data_last)) take_data(param);
    take_field(param, "void*", prefix(param) + "_shape", field::shape);
    param.strides = take_field(param, "void*", prefix(param) + "_strides", field::strides);
    if (head_.device == FunctionHead().device) {
      head_.device = take_field(param, "int32_t", "dev_id", field::device_id);
    }
    if (forms_.has(TvmFeature::c_data_last)) take_data(param);
  }

  const Forms& forms_;
  Code& code_;
  ExprWriter& exprs_;
  Node function_;
  std::string symbol_;
  std::vector<Param> params_{};
  std::string args_{};
  std::string type_ids_{};
  FunctionHead head_{};
};

// --- Modules -----------------------------------------------------------------------------------

/// A text may contain only the kind of a pool; then the parameter has the pool's name.
std::string_view name_of_pool(Node info, std::string_view parameter) {
  const bool is_missing = info.is(Kind::MissingObject);
  const bool is_workspace =
      info.is(Kind::WorkspacePoolInfo) ||
      (is_missing && info.text(f::MissingObject::type_key).ends_with("WorkspacePoolInfo"));
  if (!is_workspace && !info.is(Kind::ConstantPoolInfo)) {
    cannot_print("a memory pool that is only a reference into a metadata section");
  }
  const std::string_view stated = is_missing ? "" : info.text(f::PoolInfo::pool_name);
  const std::string_view name = stated.empty() ? parameter : stated;
  if (name.empty()) cannot_print("a memory pool whose name is not known");
  return name;
}

struct FunctionText {
  std::string signature;
  std::string body;
};

/// Ranges decide the form of a floor division.
void add_ranges(const Module& module, IntegerRanges& ranges) {
  NodeSet seen(module);
  const auto enter = [&](Node node) {
    ranges.enter(node);
    return Descend::into_children;
  };
  walk(module.root(), seen, enter, [&](Node node) { ranges.leave(node); });
}

class ModuleWriter {
 public:
  ModuleWriter(const Document& document, const Sink& sink, std::uint64_t most_nodes)
      : document_(document),
        sink_(sink),
        most_nodes_(most_nodes),
        target_(target_of(document)),
        forms_(document.source.tvm_version),
        ranges_(document.module) {}

  /// Prints all functions and checks all constants before it writes: a failure leaves no partial
  /// file.
  void write() {
    if (!document_.module.root().is(Kind::IRModule)) cannot_print("anything but an IRModule");
    check_written_size(document_.module, most_nodes_);
    require_whole(document_.module.root());
    for (const NamedFunction& one : functions_of(document_.module)) {
      functions_.push_back(one.function);
    }
    add_ranges(document_.module, ranges_);
    note_conventions();
    std::vector<FunctionText> texts;
    for (const Node function : functions_) {
      if (!function.is(Kind::PrimFunc)) cannot_print(function.info().name);
      if (!linked_params_of(function)) texts.push_back(function_text(function));
    }
    const std::vector<NamedPool> all_pools = pools();
    check_constants(all_pools);
    write_head();
    // Kernels call its functions, which may lack a prototype.
    for (const ImportedC& piece : document_.imported_c) sink_("\n" + piece.text);
    for_each_array([&](std::string_view name, Node array) {
      write_array(sink_, name, array, constant_alignment());
    });
    // So functions can call each other in any order.
    if (forms_.has(TvmFeature::c_own_prototypes)) {
      for (const FunctionText& text : texts) {
        sink_(fmt::format("{}{};\n", kBeforeFunction, text.signature));
      }
    }
    for (const FunctionText& text : texts) {
      sink_(fmt::format("{}{} {{\n{}}}\n\n", kBeforeFunction, text.signature, text.body));
    }
    for (const Node function : functions_) {
      if (const Node linked = linked_params_of(function)) write_lookup(linked);
    }
    write_pools(all_pools);
  }

 private:
  // --- Calling conventions ---------------------------------------------------------------------

  /// The calls of a function show its calling convention.
  void note_conventions() {
    for (const Node function : functions_) {
      if (!function.is(Kind::PrimFunc)) continue;
      symbols_.insert(symbol_of(function));
      for_each_statement(function[f::PrimFunc::body], [&](Node statement) {
        if (!statement.is(Kind::Evaluate)) return;
        const Node value = statement[f::Evaluate::value];
        if (is_packed_call(value)) return note_call(value, Convention::packed);
        const bool is_checked =
            is_call_of(value, "tir.tvm_check_return") && value.list(f::Call::args).size() == 3;
        note_call(is_checked ? value.list(f::Call::args)[2] : value, Convention::unpacked);
      });
    }
  }

  /// The first argument is the symbol of the callee.
  void note_call(Node call, Convention convention) {
    const bool is_known = convention == Convention::packed || is_call_of(call, "tir.call_extern");
    if (!is_known || call.list(f::Call::args).empty()) return;
    const Node callee = call.list(f::Call::args)[0];
    if (callee.is(Kind::StringImm)) {
      conventions_.try_emplace(callee.text(f::StringImm::value), convention);
    }
  }

  /// Whether this is a plain call of a function of this module, as in main of v0.8.
  bool calls_own(Node value) const {
    if (!is_call_of(value, "tir.call_extern") || value.list(f::Call::args).empty()) return false;
    const Node callee = value.list(f::Call::args)[0];
    return callee.is(Kind::StringImm) && symbols_.contains(callee.text(f::StringImm::value));
  }

  /// A called function has the convention of its call, and main that of its calls. Otherwise a
  /// function of TVM is packed, and one of another generator is not.
  Convention convention_of(Node function) const {
    const auto called = conventions_.find(symbol_of(function));
    if (called != conventions_.end()) return called->second;
    // A function that launches an NPU is never packed.
    if (returns_itself(function[f::PrimFunc::body])) return Convention::unpacked;
    std::optional<Convention> found;
    for_each_statement(function[f::PrimFunc::body], [&](Node statement) {
      if (!statement.is(Kind::Evaluate)) return;
      const Node value = statement[f::Evaluate::value];
      if (is_packed_call(value)) found = Convention::packed;
      if (is_call_of(value, "tir.tvm_check_return") || calls_own(value)) {
        found = Convention::unpacked;
      }
    });
    // A main that calls kernels has their convention.
    if (found) return *found;
    const bool is_of_c = !target_ || target_->kind == "c";
    return is_of_c ? Convention::packed : Convention::unpacked;
  }

  // --- Functions -------------------------------------------------------------------------------

  /// One table of names for signature, prologue and body: their order decides which names get
  /// numbers.
  FunctionText function_text(Node function) const {
    const Convention convention = convention_of(function);
    Code code(forms_);
    ExprWriter exprs(forms_, ranges_, code, written_limit(document_.module, most_nodes_));
    Prologue prologue(forms_, code, exprs, function);
    FunctionText text;
    text.signature =
        fmt::format("TVM_DLL int32_t {}{}", symbol_of(function), prologue.signature(convention));
    code.in_scope([&] {
      const FunctionHead head = prologue.write(convention);
      write_body(forms_, code, exprs, function[f::PrimFunc::body], head);
      if (!returns_itself(function[f::PrimFunc::body])) code.line("return 0;");
    });
    text.body = std::move(code).take();
    return text;
  }

  // --- The file --------------------------------------------------------------------------------

  static std::optional<Target> target_of(const Document& document) {
    if (!document.target) return std::nullopt;
    return support::value_if_valid(parse_target(*document.target));
  }

  /// An attribute of the target; 16 bytes if it is not set.
  std::int64_t constant_alignment() const {
    const TargetValue* const value = target_ ? target_->find("constants-byte-alignment") : nullptr;
    const auto* const alignment = value ? std::get_if<std::int64_t>(&value->value) : nullptr;
    return alignment ? *alignment : kConstantAlignment;
  }

  /// The text of CodeGenCHost::Init; `<stdbool.h>` since v0.12.
  void write_head() {
    sink_(fmt::format("// tvm target: {}\n", document_.target.value_or("c")));
    sink_(
        "#define TVM_EXPORTS\n#include \"tvm/runtime/c_runtime_api.h\"\n"
        "#include \"tvm/runtime/c_backend_api.h\"\n#include <math.h>\n");
    if (forms_.has(TvmFeature::c_includes_stdbool)) sink_("#include <stdbool.h>\n");
  }

  /// Calls `use` with the name and the NDArray of each array outside of functions.
  template <class Use>
  void for_each_array(Use&& use) const {
    for (const Node function : functions_) {
      if (const Node linked = linked_params_of(function)) {
        const NodeMap entries = linked.map(f::StringMap::entries);
        for (std::size_t i = 0; i < entries.size(); ++i) {
          if (!entries.value(i).is(Kind::LinkedParam)) cannot_print(entries.value(i).info().name);
          use(fmt::format("{}{}", kLinkedParamPrefix, entries.name(i)),
              entries.value(i)[f::LinkedParam::param]);
        }
        continue;
      }
      for_each_statement(function[f::PrimFunc::body], [&](Node statement) {
        if (!statement.is(Kind::AllocateConst)) return;
        use(statement[f::AllocateConst::buffer_var].text(f::Var::name),
            statement[f::AllocateConst::data]);
      });
    }
  }

  /// The graph executor of v0.8 looks up parameters by storage id: CodeGenCHost::LinkParameters.
  void write_lookup(Node params) {
    sink_(fmt::format(
        "{}TVM_DLL int32_t {}(void* args, int* arg_type_ids, int num_args, void* out_ret_value, "
        "int* out_ret_tcode, void* resource_handle) {{\n    switch (((int64_t*) args)[0]) {{\n"
        "    default:\n        out_ret_tcode[0] = 4;\n        return 0;\n",
        kBeforeFunction, kLinkedParamsFunction));
    const NodeMap entries = params.map(f::StringMap::entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      sink_(fmt::format(
          "    case {}:\n        ((uint64_t*)out_ret_value)[0] = (uint64_t) (uintptr_t) "
          "{}{};\n        out_ret_tcode[0] = 3;\n        return 0;\n",
          entries.value(i).integer(f::LinkedParam::id), kLinkedParamPrefix, entries.name(i)));
    }
    sink_("    }\n}\n");
  }

  /// The pools of all functions, each once.
  std::vector<NamedPool> pools() const {
    std::vector<NamedPool> pools;
    std::set<std::uint32_t> seen;
    for (const Node function : functions_) {
      for (const auto& [allocated, parameter] : pool_uses(function)) {
        const Node info = allocated[f::AllocatedPoolInfo::pool_info];
        if (!info || !seen.insert(index(info.id())).second) continue;
        const Node size = allocated[f::AllocatedPoolInfo::allocated_size];
        pools.push_back({info, name_of_pool(info, parameter), int_imm_of(size).value_or(0)});
      }
    }
    return pools;
  }

  /// Throws if the data of a constant cannot be printed.
  void check_constants(const std::vector<NamedPool>& pools) const {
    for_each_array([](std::string_view name, Node array) { require_printable(array, name); });
    for (const NamedPool& pool : pools) {
      if (!pool.info.is(Kind::ConstantPoolInfo)) continue;
      for (const Node constant : pool.info.list(f::ConstantPoolInfo::constant_info_array)) {
        if (!constant.is(Kind::ConstantInfo)) cannot_print(constant.info().name);
        require_printable(constant[f::ConstantInfo::data],
                          constant.text(f::ConstantInfo::name_hint));
      }
    }
  }

  /// TVM prints pools into the file with the entry point. There is only one file here, so they come
  /// last.
  void write_pools(const std::vector<NamedPool>& pools) {
    for (const NamedPool& pool : pools) {
      if (pool.info.is(Kind::ConstantPoolInfo)) {
        write_constant_pool(sink_, forms_, pool);
      } else {
        write_workspace_pool(sink_, pool);
      }
    }
  }

  const Document& document_;
  const Sink& sink_;
  std::uint64_t most_nodes_;
  std::optional<Target> target_;
  Forms forms_;
  IntegerRanges ranges_;
  std::vector<Node> functions_;  // in the module's order
  std::set<std::string, std::less<>> symbols_;
  support::NameMap<std::string_view, Convention> conventions_;  // by symbol
};

}  // namespace
}  // namespace c

Result<void> write_c(const Document& document, const Sink& sink, std::uint64_t most_nodes) {
  return support::to_result([&] { c::ModuleWriter(document, sink, most_nodes).write(); });
}

}  // namespace mlf::tir
