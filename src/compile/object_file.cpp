#include "compile/object_file.h"

#include <fcntl.h>
#include <gelf.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
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
  if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) return;
  const std::uint64_t padding = section.sh_addralign > 1 ? section.sh_addralign - 1 : 0;
  const bool is_written =
      (section.sh_flags & SHF_WRITE) != 0 && (section.sh_flags & SHF_EXECINSTR) == 0;
  const bool has_content = section.sh_type != SHT_NOBITS;
  if (!is_written || has_content) code.read_padding += padding;
  if (is_written) code.written_padding += padding;
  if ((section.sh_flags & SHF_EXECINSTR) != 0) {
    code.text += section.sh_size;
  } else if (!is_written) {
    code.rodata += section.sh_size;
  } else if (has_content) {
    code.data += section.sh_size;
  } else {
    code.bss += section.sh_size;
  }
}

/// Static names are of no other file. The linker itself defines the table of the ABI.
void add_name(const GElf_Sym& symbol, const char* name, ObjectSymbols& symbols) {
  const std::string_view text = name;
  const bool is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
  if (is_local || text.empty() || text == "_GLOBAL_OFFSET_TABLE_") return;
  (symbol.st_shndx == SHN_UNDEF ? symbols.wanted : symbols.defined).emplace(text);
}

/// Sizes of symbols: static helpers of several files may share a name and are added up.
void add_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, CompiledCode& code,
                 ObjectSymbols& symbols) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr) continue;
    add_name(symbol, name, symbols);
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    code.functions[name].bytes += symbol.st_size;
  }
}

}  // namespace

std::vector<std::string> ObjectSymbols::missing() const {
  std::vector<std::string> names;
  std::ranges::set_difference(wanted, defined, std::back_inserter(names));
  return names;
}

void add_object_file(const std::string& path, CompiledCode& code, ObjectSymbols& symbols) {
  elf_version(EV_CURRENT);
  const support::File file = support::File::open(path, O_RDONLY);
  const std::unique_ptr<Elf, EndElf> elf(elf_begin(file.fd(), ELF_C_READ, nullptr));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) fail(path, elf_errmsg(-1));
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) fail(path, elf_errmsg(-1));
    add_section(header, code);
    if (header.sh_type == SHT_SYMTAB) add_symbols(elf.get(), section, header, code, symbols);
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
