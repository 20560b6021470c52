// Writes a module as TVMScript.
#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"
#include "tir/node_queries.h"
#include "tir/save_json/metadata.h"
#include "tir/tvmscript/write/printer.h"
#include "tir/tvmscript/write/statements.h"
#include "tir/written_size.h"

namespace mlf::tir {
namespace tvmscript {
namespace {

// --- Functions ---------------------------------------------------------------------------------

constexpr std::string_view kGlobalSymbol = "global_symbol";
constexpr Indent kHead = 1;
constexpr Indent kBody = 2;

constexpr std::string_view kOldHeader =
    "# from tvm.script import tir as T\n"
    "@tvm.script.ir_module\n"
    "class Module:\n";
/// The printer of v0.8 to v0.11 ends every module in this way.
constexpr std::string_view kOldFooter = "    __tvm_meta__ = None\n";
constexpr std::string_view kHeader =
    "# from tvm.script import ir as I\n"
    "# from tvm.script import tir as T\n\n"
    "@I.ir_module\n"
    "class Module:\n";

/// The attributes of a function or a module. A tree may have an object of another kind there.
NodeMap attributes_of(Node owner, Node attrs) {
  if (!attrs) return {owner.module(), {}, false, NodeMap::Keys::names};
  if (!attrs.is(Kind::DictAttrs)) {
    refuse(fmt::format("TVMScript has no words for attributes of kind {}", attrs.info().name));
  }
  return attrs.map(f::DictAttrs::dict);
}

/// One function, indented as a member of the module.
class FunctionPrinter {
 public:
  FunctionPrinter(Node function, std::string_view name, Printer& printer, Script& script,
                  const std::unordered_set<NodeId>& declared)
      : function_(function),
        name_(name),
        printer_(printer),
        script_(script),
        definitions_(definitions_of(function, printer.minor_version(), declared)),
        declarations_(printer, script, definitions_) {}

  bool may_declare(Node var) const { return definitions_.declarable.contains(var.id()); }

  void print() {
    print_decorator();
    print_signature();
    declarations_.declare_free_vars(kBody);
    print_matches();
    print_preflattened();
    declarations_.declare_ready_buffers(kBody);
    print_attrs();
    print_statements(printer_, script_, definitions_, declarations_, function_[f::PrimFunc::body],
                     kBody);
    printer_.names().clear();
  }

 private:
  NodeMap attrs() const { return attributes_of(function_, function_[f::PrimFunc::attrs]); }

  bool has_symbol() const { return bool(attrs().find(kGlobalSymbol)); }

  /// Since v0.14 a function has its name as global_symbol unless it states that it is private.
  void print_decorator() {
    const bool is_private = printer_.prints(TvmFeature::private_functions) && !has_symbol();
    script_.line(kHead, is_private ? "@T.prim_func(private=True)" : "@T.prim_func");
  }

  /// A parameter that is used only through its buffer is written as that buffer.
  void print_signature() {
    TextFragments line;
    line.text(fmt::format("def {}(", name_));
    const NodeMap buffers = function_.map(f::PrimFunc::buffer_map);
    std::string_view separator;
    for (const Node param : function_.list(f::PrimFunc::params)) {
      line.text(std::exchange(separator, ", "));
      const Node buffer = value_under(buffers, param);
      buffer&& may_replace(param, buffer) ? print_buffer_param(buffer, line)
                                          : print_param(param, buffer, line);
    }
    line.text(")");
    const Node type = function_[f::PrimFunc::ret_type];
    const bool is_void = type.is(Kind::TupleType) && type.list(f::TupleType::fields).empty();
    if (!is_void) {
      line.text(" -> ").node(PrintAs::type, type);
    } else if (printer_.prints(TvmFeature::void_result)) {
      line.text(" -> None");
    }
    script_.line(kHead, line.text(":"));
  }

  /// Whether a buffer may be written in the place of its parameter, which nothing else uses.
  bool may_replace(Node param, Node buffer) const {
    if (!printer_.prints(TvmFeature::buffers_as_params)) return false;
    if (definitions_.is_used(param) || param.is(Kind::SizeVar)) return false;
    const Node type = param[f::Var::type_annotation];
    const bool is_handle = type && type.is(Kind::PrimType) &&
                           type.dtype(std::uint8_t{f::PrimType::dtype}) == DType::Handle();
    if (!is_handle) return false;
    return declarations_.is_plain(buffer) && has_fixed_shape(buffer);
  }

  /// Extents that are variables would have to be defined before the parameter.
  static bool has_fixed_shape(Node buffer) {
    for (const Node extent : buffer.list(f::Buffer::shape)) {
      if (!extent.is(Kind::IntImm)) return false;
    }
    return true;
  }

  void print_buffer_param(Node buffer, TextFragments& line) {
    const TextFragments stated = declarations_.arguments(buffer);
    const bool is_call = !printer_.is_old();
    line.text(declarations_.bind(buffer)).text(is_call ? ": T.Buffer(" : ": T.Buffer[");
    line.append(stated).text(is_call ? ")" : "]");
  }

  void print_param(Node param, Node buffer, TextFragments& line) {
    line.text(printer_.names().bind(param.id(), param.text(f::Var::name))).text(": ");
    line.append(declarations_.annotation(param));
    if (buffer) matched_.emplace_back(param, buffer);
  }

  /// Buffers of parameters that could not be written in the parameters' places.
  void print_matches() {
    for (const auto& [param, buffer] : matched_) {
      const std::string call = printer_.text_of(
          TextFragments().expr(param).text(", ").append(declarations_.arguments(buffer)));
      script_.line(kBody, fmt::format("{} = T.match_buffer({})", declarations_.bind(buffer), call));
    }
  }

  /// The buffers of parameters before flattening, which v0.9 and v0.10 keep.
  void print_preflattened() {
    if (!printer_.prints(TvmFeature::preflattened_buffer_map)) return;
    const NodeMap before = function_.map(f::PrimFunc::preflattened_buffer_map);
    const NodeMap buffers = function_.map(f::PrimFunc::buffer_map);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Node buffer = value_under(buffers, before.key(i));
      if (buffer) declarations_.state_before_flattening(buffer, before.value(i), kBody);
    }
  }

  /// Since v0.14 a symbol that equals the name is omitted.
  bool is_elided(std::string_view key, Node value) const {
    return printer_.prints(TvmFeature::private_functions) && key == kGlobalSymbol &&
           value.is(Kind::String) && value.text(f::String::value) == name_;
  }

  /// No line if there are no attributes: none and empty ones are different.
  void print_attrs() {
    const NodeMap map = attrs();
    TextFragments line;
    std::string_view separator = "T.func_attr({";
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (is_elided(map.name(i), map.value(i))) continue;
      line.text(std::exchange(separator, ", "));
      line.text(quoted(map.name(i))).text(": ").value(map.value(i));
    }
    const bool is_empty = separator != ", ";
    if (is_empty && (!map.defined() || !map.empty())) return;
    script_.line(kBody, is_empty ? TextFragments().text("T.func_attr({})") : line.text("})"));
  }

  Node function_;
  std::string_view name_;
  Printer& printer_;
  Script& script_;
  Definitions definitions_;
  Declarations declarations_;
  std::vector<std::pair<Node, Node>> matched_{};  // parameters and their buffers
};

/// A variable that code outside of its scope uses is found during printing: then it is declared at
/// the top, and the function is printed again.
void print_function(Node function, std::string_view name, Printer& printer, Script& script) {
  const std::size_t begin = script.mark();
  std::unordered_set<NodeId> declared;
  for (;;) {
    FunctionPrinter attempt(function, name, printer, script, declared);
    try {
      return attempt.print();
    } catch (const OutOfScope& use) {
      if (!attempt.may_declare(use.var) || !declared.insert(use.var.id()).second) {
        refuse(use);
      }
    }
    script.rewind(begin);
    printer.names().clear();
  }
}

/// The same; errors name the function.
void print_function_of(std::string_view name, Node function, Printer& printer, Script& script) {
  if (!is_identifier(name)) {
    refuse(fmt::format("a function called '{}' cannot be written in Python", name));
  }
  if (!function.is(Kind::PrimFunc)) {
    refuse(fmt::format("function {} is a {}, not TIR", name, function.info().name));
  }
  try {
    print_function(function, name, printer, script);
  } catch (const support::Error& error) {
    refuse(fmt::format("function {}: {}", name, error.diagnostic().message));
  }
}

FunctionScript script_of(const Document& document, const NamedFunction& function) {
  const ScriptOptions options{.constants = ConstantPlace::none};
  check_written_size(function.function, options.max_written_nodes);
  MetadataObjects metadata;
  Printer printer(document, metadata, options);
  Script script(printer, kHead);
  print_function_of(function.name, function.function, printer, script);
  return {script.text(), script.first_lines()};
}

// --- The module --------------------------------------------------------------------------------

/// The header, the functions in the order of the module, and the metadata that they refer to.
class ModulePrinter {
 public:
  ModulePrinter(const Document& document, const ScriptOptions& options)
      : document_(document),
        module_(document.module.root()),
        most_nodes_(options.max_written_nodes),
        printer_(document, metadata_, options),
        script_(printer_) {}

  /// The metadata comes first, but is known last: the script is printed in between.
  void write(const Sink& sink) {
    if (!module_.is(Kind::IRModule)) refuse("only an IRModule can be written in TVMScript");
    check_written_size(document_.module, most_nodes_);
    refuse_repeated_functions(document_.module);
    print_module_attrs();
    const std::vector<NamedFunction> functions = functions_of(document_.module);
    if (functions.empty() && !printer_.is_old()) script_.line(1, "pass");
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (i > 0) script_.empty_line();
      print_function_of(functions[i].name, functions[i].function, printer_, script_);
    }
    write_metadata(sink);
    sink(printer_.is_old() ? kOldHeader : kHeader);
    sink(script_.text());
    if (printer_.is_old()) sink(kOldFooter);
    if (metadata_.has_missing()) {
      sink("\n# Metadata omitted. Use show_meta=True in script() method to show it.\n");
    }
  }

 private:
  void print_module_attrs() {
    if (printer_.is_old()) return;
    const Node attrs = module_[f::IRModule::attrs];
    if (attributes_of(module_, attrs).empty()) return;
    try {
      script_.line(1, TextFragments().text("I.module_attrs(").value(attrs).text(")"));
    } catch (const OutOfScope& use) {
      refuse(use);
    }
  }

  /// The metadata is save_json, which cannot contain a constant without its data.
  void refuse_constants() const {
    NodeSet seen(module_.module());
    for (const auto& [key, ids] : metadata_.objects()) {
      // Clang 14 cannot capture structured bindings.
      const std::string_view type_key = key;
      const auto enter = [type_key](Node part) {
        if (!part.is(Kind::NDArray)) return Descend::into_children;
        refuse(
            fmt::format("constants of a {} are in the metadata of TVMScript: without their data "
                        "it cannot be written",
                        type_key));
      };
      for (const NodeId id : ids) walk(module_.module().node(id), seen, enter, [](Node) {});
    }
  }

  /// The objects that the text refers to, as save_json in a Python string.
  void write_metadata(const Sink& sink) {
    if (metadata_.empty()) return;
    if (!printer_.has_constants()) refuse_constants();
    std::string json;
    write_objects(document_, metadata_.objects(), [&](std::string_view bytes) { json += bytes; });
    sink("metadata = tvm.ir.load_json(\"\"\"");
    std::string escaped;
    for (const char c : json) {
      if (c == '"' || c == '\\') escaped += '\\';
      escaped += c;
    }
    sink(escaped);
    sink("\"\"\")\n");
  }

  const Document& document_;
  Node module_;
  std::uint64_t most_nodes_;
  MetadataObjects metadata_{};
  Printer printer_;
  Script script_;
};

}  // namespace
}  // namespace tvmscript

Result<void> write_tvmscript(const Document& document, const ScriptOptions& options,
                             const Sink& sink) {
  return support::to_result([&] { tvmscript::ModulePrinter(document, options).write(sink); });
}

Result<FunctionScript> write_function(const Document& document, const NamedFunction& function) {
  return support::to_result([&] { return tvmscript::script_of(document, function); });
}

}  // namespace mlf::tir
