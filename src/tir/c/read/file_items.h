// Splits a file of generated C into its top level items: functions, prototypes, constants, pools.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mlf/tir/document.h"
#include "support/source_text.h"
#include "tir/c/read/tokens.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {

enum class ItemKind : std::uint8_t {
  function,   ///< with a body
  prototype,  ///< without a body
  array,      ///< `static const T name[N] = {…};`
  pool,       ///< `struct P {members} P = {values};`
  workspace,  ///< `static uint8_t P[N];`: an array without values, possibly a pool
  other,      ///< registries, metadata, wrappers, imported C: no TIR
};

/// Half-open range of bytes.
struct Bytes {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

struct Item {
  ItemKind kind = ItemKind::other;
  std::string_view name;
  Bytes head;  ///< the text before the body or the initialiser
  std::uint32_t declared =
      0;                  ///< of a function: the place of TVM_DLL, behind attributes and macros
  Bytes body;             ///< between the braces of a function, or of the initialiser
  std::uint32_t end = 0;  ///< after the last brace or semicolon
  bool is_closed = true;  ///< whether the body ends before the text does
  /// Whether the preprocessor selects one of several equal declarations of this array.
  bool has_alternatives = false;
};

struct FileItems {
  std::vector<Item> items;        ///< in the order of the text
  std::string_view target;        ///< of the line `// tvm target: …`; empty if there is none
  bool includes_stdbool = false;  ///< since v0.12
};

/// The name before the last `[` of a declaration.
std::string_view array_name(std::string_view head);
/// Whether a declaration is of an array of constants, of TVM or of a port.
bool declares_constant_array(std::string_view head);
/// Whether the array is in the section of linked parameters, or (v0.8) has their prefix.
bool is_tvm_array(std::string_view head);

/// Splits a file. Never fails: unknown text becomes `other` items. Passes initialisers of arrays at
/// memory speed, without reading them.
FileItems split(const support::SourceText& source);

/// The tokens of a declaration without `__attribute__` and parentheses, except sizes of arrays.
std::vector<Token> without_attributes(std::string_view text, Bytes head);

/// The section that an attribute of a declaration names; empty if there is none.
std::string section_of(std::string_view text, const Item& item);

/// Narrows `versions` by the content of the file: includes, names of temporaries and parameters,
/// order of the prologue.
void infer_version(const support::SourceText& source, const FileItems& file,
                   VersionInference& versions);

/// Whether a word before a parenthesis may be the name of a function.
bool may_be_function(std::string_view name);

struct DeclaredVariable {
  std::string_view name;
  bool is_const = false;
};
/// Those of `uint8_t pool[4], *other __attribute__((…)) = 0, (*function)(void);`, from a token up
/// to the semicolon. Of a pointer, itself is const, not what it points to.
std::vector<DeclaredVariable> variables_in(std::string_view text, std::span<const Token> tokens);
/// Those of a declaration outside of functions.
std::vector<DeclaredVariable> variables_of(std::string_view text, const Item& item);

/// Whether TVM wrote this file although no function in it is printed from TIR.
bool is_support(const support::SourceText& source);

/// The content of a file of kernels that TVM did not print from TIR: functions, types, arrays, and
/// preprocessor lines.
std::vector<ImportedC> imported_c(const support::SourceText& source, const FileItems& file);

}  // namespace mlf::tir::c
