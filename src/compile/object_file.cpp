#include "compile/object_file.h"

#include <fcntl.h>
#include <gelf.h>

#include <charconv>
#include <fstream>
#include <memory>
#include <string_view>

#include "support/error.h"
#include "support/file.h"

namespace mlf::compile {
namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};

[[noreturn]] void fail(const std::string& path, const char* why) {
  throw support::Error(ErrorKind::invalid_input,
                       std::string("the object file is not an ELF file: ") + why, {.file = path});
}

/// By what the program does with it; names of sections are the compiler's own.
void add_section(const GElf_Shdr& section, CompiledCode& code) {
  if ((section.sh_flags & SHF_ALLOC) == 0) return;
  if ((section.sh_flags & SHF_EXECINSTR) != 0) {
    code.text += section.sh_size;
  } else if ((section.sh_flags & SHF_WRITE) == 0) {
    code.rodata += section.sh_size;
  } else if (section.sh_type == SHT_NOBITS) {
    code.bss += section.sh_size;
  } else {
    code.data += section.sh_size;
  }
}

/// Sizes of symbols: static helpers of several files may share a name and are added up.
void add_functions(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, CompiledCode& code) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) continue;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr) code.functions[name].bytes += symbol.st_size;
  }
}

}  // namespace

void add_object_file(const std::string& path, CompiledCode& code) {
  elf_version(EV_CURRENT);
  const support::File file = support::File::open(path, O_RDONLY);
  const std::unique_ptr<Elf, EndElf> elf(elf_begin(file.fd(), ELF_C_READ, nullptr));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) fail(path, elf_errmsg(-1));
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) fail(path, elf_errmsg(-1));
    add_section(header, code);
    if (header.sh_type == SHT_SYMTAB) add_functions(elf.get(), section, header, code);
  }
}

// A line is "file.c:12:5:function", a tab, bytes, a tab, "static" or "dynamic,bounded" or
// "dynamic".
void add_frames(const std::string& path, CompiledCode& code) {
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::size_t colon = line.rfind(':', first);
    // GCC writes a row of inlined functions as well: only what the object has is looked up.
    const auto function =
        code.functions.find(std::string_view(line).substr(colon + 1, first - colon - 1));
    std::uint64_t bytes = 0;
    std::from_chars(line.data() + first + 1, line.data() + second, bytes);
    const bool is_bounded = line.compare(second + 1, line.npos, "dynamic") != 0;
    if (function != code.functions.end() && is_bounded) function->second.frame = bytes;
  }
}

}  // namespace mlf::compile
