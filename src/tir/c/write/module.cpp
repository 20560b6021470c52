// write_c: a module as one file of generated C.
#include <fmt/core.h>

#include <set>

#include "mlf/target.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"
#include "support/name_map.h"
#include "tir/c/write/body.h"
#include "tir/c/write/code.h"
#include "tir/c/write/constants.h"
#include "tir/c/write/prologue.h"
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
    write_imported();
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
    return target_kind() == "c" ? Convention::packed : Convention::unpacked;
  }

  // --- Functions -------------------------------------------------------------------------------

  /// One table of names for signature, prologue and body: their order decides which names get
  /// numbers.
  FunctionText function_text(Node function) const {
    const Convention convention = convention_of(function);
    Code code(forms_);
    ExprWriter exprs(forms_, ranges_, code, written_limit(document_.module, most_nodes_));
    PackedCalls calls(forms_, code, exprs);
    Prologue prologue(forms_, code, exprs, function);
    FunctionText text;
    text.signature =
        fmt::format("TVM_DLL int32_t {}{}", symbol_of(function), prologue.signature(convention));
    code.in_scope([&] {
      const FunctionHead head = prologue.write(convention, calls);
      write_body(forms_, code, exprs, calls, function[f::PrimFunc::body], head);
      if (!returns_itself(function[f::PrimFunc::body])) code.line("return 0;");
    });
    text.body = std::move(code).take();
    return text;
  }

  // --- The file --------------------------------------------------------------------------------

  std::string target_kind() const {
    if (!document_.target) return "c";
    const auto target = support::value_if_valid(parse_target(*document_.target));
    return target ? target->kind : "c";
  }

  /// An attribute of the target; 16 bytes if it is not set.
  std::int64_t constant_alignment() const {
    if (!document_.target) return kConstantAlignment;
    const auto target = support::value_if_valid(parse_target(*document_.target));
    const TargetValue* const value = target ? target->find("constants-byte-alignment") : nullptr;
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

  /// Kernels call its functions, which may lack a prototype.
  void write_imported() {
    for (const ImportedC& piece : document_.imported_c) sink_("\n" + piece.text);
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
