// Declarations of variables and buffers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tir/tvmscript/write/definitions.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {

class Declarations {
 public:
  Declarations(Printer& printer, Script& script, const Definitions& definitions);

  /// `x = T.int32()` for each variable that nothing defines.
  void declare_free_vars(Indent indent);
  /// Buffers that nothing declares and whose parts all have names by now. They are declared where
  /// `indent` says, and for as long as the names of the scope.
  void declare_ready_buffers(Indent indent);
  /// `T.preflattened_buffer(A, (4, 4), "float32", data=A.data)`
  void state_before_flattening(Node buffer, Node before, Indent indent);

  /// `(16,), "int8", align=16`: what follows the bracket of T.Buffer and the like. The buffer's
  /// pointer is stated unless it comes along with the buffer.
  TextFragments arguments(Node buffer);
  /// Names the buffer, and what comes along with it; gives the name.
  std::string_view bind(Node buffer);
  /// The words behind `x: `: a type, or a constructor of the variable.
  TextFragments annotation(Node var);
  /// Whether `T.Buffer((16,), "float32")` in place of a parameter says all of a buffer.
  bool is_plain(Node buffer) const;

 private:
  TextFragments declaration(Node var);
  TextFragments old_declaration(Node var);
  TextFragments constructor(Node var);
  bool is_ready(Node buffer) const;
  bool has_default_offset(Node buffer) const;

  Printer& printer_;
  Script& script_;
  const Definitions& definitions_;
};

}  // namespace mlf::tir::tvmscript
