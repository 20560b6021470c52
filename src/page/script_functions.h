// The functions of a TIR, one by one, as TVMScript.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "mlf/tir/document.h"

namespace mlf::page {

/// Lines of a text, both included and counted from 1, with their line breaks.
std::string_view lines_of(std::string_view text, std::size_t first, std::size_t last);

/// The whole module is written once and cut at its functions: one module for each function would
/// be a copy of it each time.
class ScriptFunctions {
 public:
  explicit ScriptFunctions(const tir::Document& document);

  /// Empty where TVMScript has no words for something in the module. `document` is that of the
  /// constructor.
  std::string find(const tir::Document& document, tir::NodeId function) const;

 private:
  std::map<std::string, std::string, std::less<>> by_name_;
};

}  // namespace mlf::page
