// The functions of a TIR module as separate TVMScript texts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "mlf/tir/document.h"

namespace mlf::page {

/// Lines of a text, both included and counted from 1, with their line breaks.
std::string_view lines_of(std::string_view text, std::size_t first, std::size_t last);

/// A module as TVMScript, without the data of its constants if possible: the page has its own table
/// of them. Empty if TVMScript cannot express the module.
std::string script_of(const tir::Document& document);

/// The whole module is written once and cut at its functions: one module for each function would
/// be a copy of it each time.
class ScriptFunctions {
 public:
  explicit ScriptFunctions(std::string_view script);

  struct Function {
    std::string text;
    std::uint32_t first_line = 1;  ///< in the whole script
  };
  /// Returns null if there is no function of this name.
  const Function* find(std::string_view name) const;

 private:
  std::map<std::string, Function, std::less<>> by_name_;
};

/// Returns the module's name for a function, or an empty text.
std::string_view name_of(const tir::Document& document, tir::NodeId function);

}  // namespace mlf::page
