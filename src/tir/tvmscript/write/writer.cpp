// A module in, TVMScript out.
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "mlf/tir/write.h"
#include "support/error.h"
#include "tir/save_json/write_objects.h"
#include "tir/tvmscript/write/dtypes.h"
#include "tir/tvmscript/write/function.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir {
namespace tvmscript {
namespace {

class ModulePrinter {
 public:
  ModulePrinter(const Document& document, const ScriptOptions& options)
      : document_(document),
        module_(document.module.root()),
        printer_(document.module, document.source.tvm_version.last, names_, metadata_,
                 options.max_written_nodes),
        script_(printer_) {}

  void write(const Sink& sink) {
    if (!module_.is(Kind::IRModule)) refuse("only an IRModule can be written in TVMScript");
    collect_names();
    print_module_attrs();
    const NodeMap functions = module_.map(f::IRModule::functions);
    if (functions.empty() && !printer_.spelling().is_old()) script_.line(1, "pass");
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (i > 0) script_.empty_line();
      print(functions.key(i), functions.value(i));
    }
    write_metadata(sink);
    sink(printer_.spelling().header);
    sink(script_.text());
    if (const auto footer = printer_.spelling().footer; !footer.empty()) sink(footer);
    if (metadata_.has_missing()) {
      sink("\n# Metadata omitted. Use show_meta=True in script() method to show it.\n");
    }
  }

 private:
  void collect_names() {
    const NodeMap functions = module_.map(f::IRModule::functions);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      names_.functions.push_back(functions.key(i).id());
    }
  }

  void print_module_attrs() {
    if (printer_.spelling().is_old()) return;
    const Node attrs = module_[f::IRModule::attrs];
    if (!attrs || attrs.map(f::DictAttrs::dict).empty()) return;
    script_.line(1, Pieces().text("I.module_attrs(").value(attrs).text(")"));
  }

  void print(Node global_var, Node function) {
    const std::string_view name = global_var.text(f::GlobalVar::name_hint);
    if (!is_identifier(name)) {
      refuse(fmt::format("a function called '{}' cannot be written in Python", name));
    }
    if (!function.is(Kind::PrimFunc)) {
      refuse(fmt::format("function {} is a {}, not TIR", name, function.info().name));
    }
    try {
      print_function(function, name, printer_, script_);
    } catch (const support::Error& error) {
      refuse(fmt::format("function {}: {}", name, error.diagnostic().message));
    }
  }

  /// The objects that the text refers to, as save_json in a Python string.
  void write_metadata(const Sink& sink) {
    if (metadata_.empty()) return;
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
  ModuleNames names_{};
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

}  // namespace mlf::tir
