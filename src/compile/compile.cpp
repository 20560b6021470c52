#include "mlf/compile.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "compile/c_compiler.h"
#include "compile/object_file.h"
#include "support/c_files.h"
#include "support/characters.h"
#include "support/error.h"

namespace mlf {
namespace compile {
namespace {

using support::get_or_throw;

void add_uncompiled(const std::string& name, const ProgramResult& result, const CCompiler& compiler,
                    CompiledCode& code) {
  code.uncompiled.push_back("'" + name + "' was not compiled: the compiler " +
                            why_it_failed(result, compiler.directory().path()));
}

void compile_file(const FileRef& file, std::string_view text, const CCompiler& compiler,
                  std::size_t number, CompiledCode& code, ObjectSymbols& symbols) {
  const std::string stem = std::to_string(number);
  const std::string object = compiler.path(stem + ".o");
  const char* const end = file.name.ends_with(".c") ? ".c" : ".cc";
  // -fstack-usage writes <number>.su beside the object.
  std::vector<std::string> flags{"-fstack-usage", "-w"};
  ProgramResult result = compiler.compile(stem, end, text, flags);
  if (!is_success(result) && support::find_word(result.errors, "half") != std::string::npos) {
    // TVM's name of float16, unless the user's flags or the C define it.
    flags.insert(flags.end(), {"-include", "mlf/half.h"});
    result = compiler.compile(stem, end, text, flags);
  }
  if (!is_success(result)) return add_uncompiled(file.name, result, compiler, code);
  if (!std::filesystem::exists(object)) {
    throw support::Error(ErrorKind::invalid_input, std::string("the compiler ") + kWroteNothing,
                         {.member = file.name});
  }
  add_object_file(object, compiler.sections(), code, symbols);
  add_frames(compiler.path(stem + ".su"), code);
}

/// A source that compilers take, and that the format does not have.
bool is_other_source(std::string_view name) {
  return support::ends_with_any(name, {".C", ".c++", ".CPP", ".cp", ".sx", ".asm", ".i", ".ii"});
}

/// People add kernels in assembler. One for another processor is code of unknown size.
void compile_assembler(const archive::Archive& archive, const CCompiler& compiler,
                       CompiledCode& code, ObjectSymbols& symbols) {
  for (const archive::Member& member : archive.members()) {
    const bool is_code =
        member.type == archive::MemberType::file && member.name.starts_with("codegen/");
    if (is_code && is_other_source(member.name)) {
      code.uncompiled.push_back("'" + member.name + "' was not compiled: mlf does not compile it");
    }
    if (!is_code || !support::is_assembler(member.name)) continue;
    const std::string stem = "assembler";
    const std::string object = compiler.path(stem + ".o");
    const ProgramResult result = compiler.compile(stem, member.name.ends_with(".S") ? ".S" : ".s",
                                                  get_or_throw(archive.read(member)), {"-w"});
    if (!is_success(result)) {
      add_uncompiled(member.name, result, compiler, code);
      continue;
    }
    // Of several modules, those have the file that need it.
    CompiledCode alone;
    ObjectSymbols defines;
    add_object_file(object, compiler.sections(), alone, defines);
    const std::vector<std::string> missing = symbols.missing();
    const bool is_needed = std::ranges::any_of(
        missing, [&](const std::string& name) { return defines.defined.contains(name); });
    if (is_needed) {
      add_object_file(object, compiler.sections(), code, symbols);
    } else {
      code.uncompiled.push_back("'" + member.name + "' defines nothing that the C calls");
    }
  }
}

/// Whether an object file defines a name that the C defines. It is another build of the C then, and
/// no program has both.
bool repeats(std::string_view bytes, const FileRef& file, const ObjectSymbols& of_c) {
  ObjectCode code;
  ObjectSymbols symbols;
  add_object(bytes, file.name, code, symbols);
  return std::ranges::any_of(symbols.defined,
                             [&](const std::string& name) { return of_c.defined.contains(name); });
}

CompiledCode compile(const archive::Archive& archive, const Module& module,
                     const Compiler& compiler) {
  if (module.files.sources.empty()) {
    throw support::Error(ErrorKind::invalid_input,
                         "there is no C to compile in module '" + module.name + "'");
  }
  const CCompiler c_compiler(archive, module, compiler);
  CompiledCode code;
  ObjectSymbols symbols;
  for (std::size_t i = 0; i < module.files.sources.size(); ++i) {
    const FileRef& file = module.files.sources[i];
    const std::string_view text = get_or_throw(archive.read(*archive.find(file.name)));
    compile_file(file, text, c_compiler, i, code, symbols);
  }
  if (code.uncompiled.size() == module.files.sources.size()) {
    throw support::Error(ErrorKind::invalid_input, code.uncompiled.front());
  }
  compile_assembler(archive, c_compiler, code, symbols);
  // C of an LLVM target calls kernels that are in objects.
  ObjectCode all{std::move(code)};
  const ObjectSymbols of_c = symbols;
  for (const FileRef& file : module.files.objects) {
    try {
      const std::string_view bytes = get_or_throw(archive.read(*archive.find(file.name)));
      if (!repeats(bytes, file, of_c)) add_object(bytes, file.name, all, symbols);
    } catch (const support::Error& error) {
      support::throw_unless_invalid(error.diagnostic());
      all.code.uncompiled.push_back(file.name + ": " + error.what());
    }
  }
  all.code.missing = symbols.missing();
  all.code.may_recurse = symbols.may_recurse();
  return std::move(all.code);
}

}  // namespace
}  // namespace compile

Result<CompiledCode> compile_module(const archive::Archive& archive, const Module& module,
                                    const Compiler& compiler) {
  return support::to_result_in(archive.path(),
                               [&] { return compile::compile(archive, module, compiler); });
}

Result<std::optional<ObjectCode>> object_code(const archive::Archive& archive,
                                              const Module& module) {
  return support::to_result_in(archive.path(), [&]() -> std::optional<ObjectCode> {
    if (module.files.objects.empty()) return std::nullopt;
    ObjectCode object;
    compile::ObjectSymbols symbols;
    for (const FileRef& file : module.files.objects) {
      const std::string_view bytes = support::get_or_throw(archive.read(*archive.find(file.name)));
      compile::add_object(bytes, file.name, object, symbols);
    }
    object.code.missing = symbols.missing();
    object.code.may_recurse = symbols.may_recurse();
    return object;
  });
}

}  // namespace mlf
