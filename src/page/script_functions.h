// The functions of a TIR, one by one, as TVMScript.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "mlf/tir/document.h"

namespace mlf::page {

/// Lines of a text, both included and counted from 1, with their line breaks.
std::string_view lines_of(std::string_view text, std::size_t first, std::size_t last);

/// A module as TVMScript, without the data of its constants where that is possible: the page has
/// its own table of them. Empty where TVMScript has no words for something in it.
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
  /// Null where there is none of this name.
  const Function* find(std::string_view name) const;

 private:
  std::map<std::string, Function, std::less<>> by_name_;
};

/// What the module calls a function of its own; empty where it has no such function.
std::string_view name_of(const tir::Document& document, tir::NodeId function);

}  // namespace mlf::page
