#include "tir/tvmscript/write/function.h"

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tir/tvm_features.h"
#include "tir/tvmscript/write/declarations.h"
#include "tir/tvmscript/write/definitions.h"
#include "tir/tvmscript/write/dtypes.h"
#include "tir/tvmscript/write/statements.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::string_view kGlobalSymbol = "global_symbol";
constexpr Indent kHead = 1;
constexpr Indent kBody = 2;

bool is_void(Node type) {
  return type.is(Kind::TupleType) && type.list(f::TupleType::fields).empty();
}

bool is_handle(Node type) {
  return type && type.is(Kind::PrimType) &&
         type.dtype(std::uint8_t{f::PrimType::dtype}) == DType::Handle();
}

class FunctionPrinter {
 public:
  FunctionPrinter(Node function, std::string_view name, Printer& printer, Script& script,
                  const std::unordered_set<std::uint32_t>& declared)
      : function_(function),
        name_(name),
        printer_(printer),
        script_(script),
        definitions_(definitions_of(function, printer.spelling(), declared)),
        declarations_(printer, script, definitions_) {}

  bool may_declare(Node var) const { return definitions_.declarable.contains(index(var.id())); }

  void print() {
    print_decorator();
    print_signature();
    declarations_.declare_free_vars(kBody);
    print_matches();
    print_preflattened();
    declarations_.declare_ready_buffers(kBody);
    print_attrs();
    StatementPrinter(printer_, script_, definitions_, declarations_)
        .print(function_[f::PrimFunc::body], kBody);
    printer_.names().clear();
  }

 private:
  NodeMap attrs() const {
    const Node attrs = function_[f::PrimFunc::attrs];
    if (!attrs) return {function_.module(), {}, false};
    return attrs.map(f::DictAttrs::dict);
  }

  bool has_symbol() const { return bool(attrs().find(kGlobalSymbol)); }

  /// From v0.14 on a function has its name as global_symbol unless it says that it is private.
  void print_decorator() {
    const bool is_private =
        has(printer_.minor_version(), TvmFeature::private_functions) && !has_symbol();
    script_.line(kHead, is_private ? "@T.prim_func(private=True)" : "@T.prim_func");
  }

  void print_signature() {
    Pieces line;
    line.text(fmt::format("def {}(", name_));
    const NodeMap buffers = function_.map(f::PrimFunc::buffer_map);
    std::string_view separator;
    for (const Node param : function_.list(f::PrimFunc::params)) {
      line.text(std::exchange(separator, ", "));
      const Node buffer = buffer_of(param, buffers);
      buffer&& stands_for(param, buffer) ? print_buffer_param(buffer, line)
                                         : print_param(param, buffer, line);
    }
    line.text(")");
    if (const Node type = function_[f::PrimFunc::ret_type]; !is_void(type)) {
      line.text(" -> ").node(Form::type, type);
    } else {
      line.text(printer_.spelling().void_result);
    }
    script_.line(kHead, line.text(":"));
  }

  /// Whether a buffer may be written in place of its parameter, which nothing else uses.
  bool stands_for(Node param, Node buffer) const {
    if (printer_.spelling().buffer_param == Spelling::BufferParam::none) return false;
    if (definitions_.is_used(param) || param.is(Kind::SizeVar)) return false;
    if (!is_handle(param[f::Var::type_annotation])) return false;
    return declarations_.is_plain(buffer) && has_fixed_shape(buffer);
  }

  static bool has_fixed_shape(Node buffer) {
    for (const Node extent : buffer.list(f::Buffer::shape)) {
      if (!extent.is(Kind::IntImm)) return false;
    }
    return true;
  }

  void print_buffer_param(Node buffer, Pieces& line) {
    const Pieces stated = declarations_.arguments(buffer);
    const bool is_call = printer_.spelling().buffer_param == Spelling::BufferParam::call;
    line.text(declarations_.bind(buffer)).text(is_call ? ": T.Buffer(" : ": T.Buffer[");
    line.append(stated).text(is_call ? ")" : "]");
  }

  void print_param(Node param, Node buffer, Pieces& line) {
    line.text(printer_.names().bind(param.id(), param.text(f::Var::name))).text(": ");
    line.append(declarations_.annotation(param));
    if (buffer) matched_.emplace_back(param, buffer);
  }

  void print_matches() {
    for (const auto& [param, buffer] : matched_) {
      const Pieces stated = declarations_.arguments(buffer);
      const std::string name(declarations_.bind(buffer));
      script_.line(kBody, Pieces()
                              .text(name + " = T.match_buffer(")
                              .expr(param)
                              .text(", ")
                              .append(stated)
                              .text(")"));
    }
  }

  /// What buffers of parameters were before they got one dimension, which v0.9 and v0.10 remember.
  void print_preflattened() {
    if (!has(printer_.minor_version(), TvmFeature::preflattened_buffer_map)) return;
    const NodeMap before = function_.map(f::PrimFunc::preflattened_buffer_map);
    const NodeMap buffers = function_.map(f::PrimFunc::buffer_map);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Node buffer = buffer_of(before.key(i), buffers);
      if (buffer) declarations_.state_before_flattening(buffer, before.value(i), kBody);
    }
  }

  bool is_elided(std::string_view key, Node value) const {
    return has(printer_.minor_version(), TvmFeature::private_functions) && key == kGlobalSymbol &&
           value.is(Kind::String) && value.text(f::String::value) == name_;
  }

  void print_attrs() {
    const NodeMap map = attrs();
    Pieces line;
    std::string_view separator = "T.func_attr({";
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (is_elided(map.name(i), map.value(i))) continue;
      line.text(std::exchange(separator, ", "));
      line.text(quoted(map.name(i))).text(": ").value(map.value(i));
    }
    const bool is_empty = separator != ", ";
    if (is_empty && (!map.defined() || !map.empty())) return;
    script_.line(kBody, is_empty ? Pieces().text("T.func_attr({})") : line.text("})"));
  }

  Node function_;
  std::string_view name_;
  Printer& printer_;
  Script& script_;
  Definitions definitions_;
  Declarations declarations_;
  std::vector<std::pair<Node, Node>> matched_{};  // parameters and their buffers
};

}  // namespace

/// A variable that more than its scope uses shows where it is used: then it is declared at the top,
/// and the function is printed anew.
void print_function(Node function, std::string_view name, Printer& printer, Script& script) {
  const std::size_t begin = script.mark();
  std::unordered_set<std::uint32_t> declared;
  for (;;) {
    FunctionPrinter attempt(function, name, printer, script, declared);
    try {
      return attempt.print();
    } catch (const OutOfScope& use) {
      if (!attempt.may_declare(use.var) || !declared.insert(index(use.var.id())).second) {
        refuse(use);
      }
    }
    script.rewind(begin);
    printer.names().clear();
  }
}

}  // namespace mlf::tir::tvmscript
