// Reads generated C in tests, and spells what came out of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/error.h"
#include "tir/c/c.h"

namespace mlf::tir::c {

/// A statement or expression in one line: `for (i < 4) { p[i] = (q[i] Add 1) }`. Numbers that are
/// no int32 have their type behind them; calls of operators stand without "tir.".
std::string spell(Node node);

/// A file of kernels as TVM 0.18 begins it, with these functions.
inline std::string kernel_file(std::string_view functions) {
  return "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
         "#include \"tvm/runtime/c_runtime_api.h\"\n#include <math.h>\n#include <stdbool.h>\n" +
         std::string(functions);
}

/// `statements` as the body of an unpacked kernel with the parameters `float* p`, `int32_t* q`,
/// `int8_t* r` and the scalar `int32_t n`.
inline std::string in_kernel(std::string_view statements) {
  return kernel_file(
      "TVM_DLL int32_t tvmgen_default_f(float* p, int32_t* q, int8_t* r, int32_t n) {\n" +
      std::string(statements) + "\n  return 0;\n}\n");
}

inline Result<Document> try_read(const std::vector<std::string>& files) {
  CSources sources;
  for (const std::string& file : files) sources.files.push_back({"lib.c", {}, file, "codegen"});
  return support::to_result([&] { return read_c(sources); });
}

inline Document read_files(const std::vector<std::string>& files) {
  auto document = try_read(files);
  if (!document) throw std::runtime_error(to_string(document.error()));
  return *std::move(document);
}

/// The function with this name; the only one where none is given.
inline Node function(const Document& document, std::string_view name = {}) {
  const NodeMap functions = document.module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (name.empty() || functions.key(i).text(f::GlobalVar::name_hint) == name) {
      return functions.value(i);
    }
  }
  throw std::runtime_error("no function " + std::string(name));
}

inline std::string body_of(const Document& document, std::string_view name = {}) {
  return spell(function(document, name)[f::PrimFunc::body]);
}

/// What statements in a kernel are read as.
inline std::string statements(std::string_view text) {
  return body_of(read_files({in_kernel(text)}));
}

/// What an expression is read as: the argument of `f(…);`, which may have any type.
inline std::string expression(std::string_view text) {
  const Document document = read_files({in_kernel("  f(" + std::string(text) + ");")});
  const Node body = function(document)[f::PrimFunc::body];
  if (!body.is(Kind::Evaluate)) return spell(body);
  return spell(body[f::Evaluate::value].list(f::Call::args)[1]);
}

inline std::string details(const Document& document, LossCode code) {
  std::string all;
  for (const Loss& loss : document.losses) {
    if (loss.code == code) all += (all.empty() ? "" : "\n") + loss.name;
  }
  return all;
}

inline bool lost(const Document& document, LossCode code) {
  return std::ranges::find(document.losses, code, &Loss::code) != document.losses.end();
}

}  // namespace mlf::tir::c
