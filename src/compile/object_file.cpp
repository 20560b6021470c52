#include "compile/object_file.h"

#include <ar.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "compile/direct_calls.h"
#include "compile/unwind_frames.h"
#include "support/error.h"
#include "support/file.h"
#include "support/numbers.h"

namespace mlf::compile {
namespace {

using ElfFile = std::unique_ptr<Elf, support::Close<elf_end>>;

[[noreturn]] void refuse(const Location& where, const std::string& why) {
  throw support::Error(ErrorKind::invalid_input, why, where);
}

[[noreturn]] void refuse_damaged(const Location& where, const std::string& why) {
  refuse(where, "the object file is damaged: " + why);
}

[[noreturn]] void fail(const Location& where) {
  // libelf has no error for files of another format, such as Mach-O.
  const int error = elf_errno();
  refuse(where, std::string("the object file is not an ELF file: ") +
                    (error == 0 ? "it has another format" : elf_errmsg(error)));
}

/// Sections that all linker scripts know: `.text` and `.text.run`, but not `.text_ram`.
constexpr std::array<std::string_view, 27> kKnownSections{".text",         ".rodata",
                                                          ".data",         ".bss",
                                                          ".init",         ".fini",
                                                          ".ctors",        ".dtors",
                                                          ".init_array",   ".fini_array",
                                                          ".tdata",        ".tbss",
                                                          ".sdata",        ".sbss",
                                                          ".srodata",      ".ldata",
                                                          ".lbss",         ".lrodata",
                                                          ".const",        ".literal",
                                                          ".eh_frame",     ".ARM.exidx",
                                                          ".ARM.extab",    ".got",
                                                          ".note",         ".gcc_except_table",
                                                          ".preinit_array"};
/// Linker scripts place these by name, whatever their flags are.
constexpr std::array<std::string_view, 3> kReadByName{".rodata", ".srodata", ".lrodata"};
constexpr std::array<std::string_view, 6> kWrittenByName{".data", ".sdata", ".ldata",
                                                         ".bss",  ".sbss",  ".lbss"};

bool is_one_of(std::span<const std::string_view> sections, std::string_view name) {
  return std::ranges::any_of(sections, [&](std::string_view one) {
    return name.starts_with(one) && (name.size() == one.size() || name[one.size()] == '.');
  });
}

/// Classifies a section by its name and flags if the user does not place it. Returns whether it is
/// data or bss.
bool add_section(const GElf_Shdr& section, std::string_view name, const SectionPlaces& places,
                 CompiledCode& code) {
  if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) return false;
  const std::uint64_t padding = section.sh_addralign > 1 ? section.sh_addralign - 1 : 0;
  const bool is_writable =
      (section.sh_flags & SHF_WRITE) != 0 && (section.sh_flags & SHF_EXECINSTR) == 0;
  const auto placed = places.find(name);
  const bool is_placed = placed != places.end();
  const bool is_in_ram =
      is_placed ? placed->second == SectionMemory::ram
                : is_one_of(kWrittenByName, name) || (is_writable && !is_one_of(kReadByName, name));
  if (is_writable && !is_in_ram && !is_placed) code.writable_rodata += section.sh_size;
  const bool has_content = section.sh_type != SHT_NOBITS;
  if (!is_placed && has_content && !is_one_of(kKnownSections, name)) {
    code.unplaced.emplace(name);
    (is_in_ram ? code.unplaced_data : code.unplaced_read) += section.sh_size;
  }
  if (!is_in_ram || has_content) code.read_padding += padding;
  if (is_in_ram) code.written_padding += padding;
  if (!is_in_ram) {
    const bool is_code = (section.sh_flags & SHF_EXECINSTR) != 0;
    (is_code ? code.text : code.rodata) += section.sh_size;
    SectionBytes& read = code.read_sections[std::string(name)];
    read.is_code = is_code;
    read.bytes += section.sh_size;
    read.padding += padding;
  } else if (has_content) {
    code.data += section.sh_size;
  } else {
    code.bss += section.sh_size;
  }
  return is_in_ram;
}

/// Other files do not see static names. The linker itself defines the table of the ABI.
void add_name(const GElf_Sym& symbol, const char* name, ObjectSymbols& symbols) {
  const std::string_view text = name;
  const bool is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
  if (is_local || text.empty() || text == "_GLOBAL_OFFSET_TABLE_") return;
  (symbol.st_shndx == SHN_UNDEF ? symbols.wanted : symbols.defined).emplace(text);
}

/// Calls `visit` with each symbol of a table and its name; skips unreadable ones.
template <class Visit>
void for_each_symbol(Elf* elf, Elf_Scn* table, const GElf_Shdr& header, Visit&& visit) {
  Elf_Data* const data = elf_getdata(table, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) continue;
    const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr) visit(symbol, name);
  }
}

/// Throws for a file of which a linker would miss a part. libelf reads what is there.
void require_whole(const ElfFile& elf, const Location& where) {
  GElf_Ehdr file;
  std::size_t count = 0;
  std::size_t names = 0;
  std::size_t size = 0;
  std::uint64_t content = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &file) == nullptr) {
    fail(where);
  }
  const bool has_sections =
      elf_getshdrnum(elf.get(), &count) == 0 && elf_getshdrstrndx(elf.get(), &names) == 0;
  elf_rawfile(elf.get(), &size);
  if (!has_sections || count == 0 || file.e_shentsize == 0 || file.e_shoff > size ||
      (size - file.e_shoff) / file.e_shentsize < count) {
    refuse_damaged(where, "it ends before its table of sections");
  }
  for (std::size_t i = 1; i < count; ++i) {
    GElf_Shdr header;
    if (gelf_getshdr(elf_getscn(elf.get(), i), &header) == nullptr) fail(where);
    const bool has_content = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    if (has_content) content += std::min<std::uint64_t>(header.sh_size, size + 1);
    if (has_content && (header.sh_offset > size || header.sh_size > size - header.sh_offset)) {
      refuse_damaged(where, "a section ends behind the file");
    }
    const bool is_aligned = (header.sh_addralign & (header.sh_addralign - 1)) == 0;
    if (!is_aligned || elf_strptr(elf.get(), names, header.sh_name) == nullptr) {
      refuse_damaged(where, "a header of a section is invalid");
    }
  }
  // Each byte is read once.
  if (content > size) refuse_damaged(where, "its sections overlap");
}

/// Adds sizes of symbols. Static helpers of several files may share a name; their sizes add up.
void add_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header,
                 const std::set<std::size_t>& written, CompiledCode& code, ObjectSymbols& symbols) {
  GElf_Ehdr file;
  // A byte of this processor has 16 bits. Sizes of sections are in bytes of 8 bits even there.
  const bool has_words = gelf_getehdr(elf, &file) != nullptr && file.e_machine == EM_TI_C2000;
  const std::uint64_t unit = has_words ? 2 : 1;
  for_each_symbol(elf, section, header, [&](const GElf_Sym& symbol, const char* name) {
    add_name(symbol, name, symbols);
    if (symbol.st_shndx == SHN_UNDEF) return;
    if (symbol.st_shndx == SHN_COMMON) {
      // The value is the alignment.
      code.bss += symbol.st_size * unit;
      code.written_padding += symbol.st_value > 1 ? symbol.st_value - 1 : 0;
    }
    if (GELF_ST_BIND(symbol.st_info) == STB_GLOBAL) code.exported.emplace(name);
    if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT) {
      CompiledVariable& variable = code.variables[name];
      variable.bytes += symbol.st_size * unit;
      // A file may have it before the linker gives it a section.
      variable.is_written |= symbol.st_shndx == SHN_COMMON || written.contains(symbol.st_shndx);
    }
    const bool is_label = GELF_ST_BIND(symbol.st_info) == STB_LOCAL && symbol.st_size == 0;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || is_label) return;
    code.functions[name].bytes += symbol.st_size * unit;
  });
}

/// Calls `visit` with each section and its header; skips unreadable ones.
template <class Visit>
void for_each_section(const ElfFile& elf, Visit&& visit) {
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr) visit(section, header);
  }
}

/// Whether the object has no machine code before it is linked. GCC marks it with a symbol.
bool is_slim_lto(const ElfFile& elf) {
  bool is_slim = false;
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_SYMTAB) return;
    for_each_symbol(elf.get(), section, header, [&](const GElf_Sym&, std::string_view name) {
      is_slim = is_slim || name == "__gnu_lto_slim";
    });
  });
  return is_slim;
}

void add_elf(const ElfFile& elf, const Location& where, const SectionPlaces& places,
             CompiledCode& code, ObjectSymbols& symbols) {
  require_whole(elf, where);
  if (is_slim_lto(elf))
    refuse(where, "the object file has no machine code: compile it with -fno-lto");
  std::size_t names = 0;
  elf_getshdrstrndx(elf.get(), &names);
  std::set<std::size_t> written;
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    const std::string_view name = elf_strptr(elf.get(), names, header.sh_name);
    const bool is_in_ram = add_section(header, name, places, code);
    // Constants with addresses: only the loader writes them.
    const bool is_constant = name.starts_with(".data.rel.ro");
    if (is_in_ram && !is_constant) written.insert(elf_ndxscn(section));
  });
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_SYMTAB) return;
    add_symbols(elf.get(), section, header, written, code, symbols);
  });
}

struct Relocation {
  std::size_t section = 0;  ///< that has the relocated bytes
  GElf_Addr offset = 0;
  GElf_Sym symbol{};
  std::string_view name{};                ///< of the symbol
  std::optional<std::uint64_t> addend{};  ///< nothing where the relocated bytes have it
};

/// Calls `visit` with each relocation, or with those of the section with index `target`.
template <class Visit>
void for_each_relocation(const ElfFile& elf, std::optional<std::size_t> target, Visit&& visit) {
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    const bool has_addends = header.sh_type == SHT_RELA;
    if ((!has_addends && header.sh_type != SHT_REL) || (target && header.sh_info != *target)) {
      return;
    }
    Elf_Scn* const table = elf_getscn(elf.get(), header.sh_link);
    Elf_Data* const symbols = elf_getdata(table, nullptr);
    Elf_Data* const data = elf_getdata(section, nullptr);
    GElf_Shdr of_symbols;
    if (data == nullptr || symbols == nullptr || header.sh_entsize == 0 ||
        gelf_getshdr(table, &of_symbols) == nullptr) {
      return;
    }
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
      GElf_Rela with{};
      GElf_Rel without{};
      const bool is_read = has_addends ? gelf_getrela(data, i, &with) != nullptr
                                       : gelf_getrel(data, i, &without) != nullptr;
      const GElf_Xword info = has_addends ? with.r_info : without.r_info;
      Relocation one{.section = header.sh_info,
                     .offset = has_addends ? with.r_offset : without.r_offset};
      if (!is_read ||
          gelf_getsym(symbols, static_cast<int>(GELF_R_SYM(info)), &one.symbol) == nullptr) {
        continue;
      }
      const char* const name = elf_strptr(elf.get(), of_symbols.sh_link, one.symbol.st_name);
      if (name != nullptr) one.name = name;
      if (has_addends) one.addend = static_cast<std::uint64_t>(with.r_addend);
      visit(one);
    }
  });
}

/// Whether this is a main function of AOT: the name of v0.9 and later, or that of v0.8.
bool is_main(std::string_view name) {
  return name.starts_with("tvmgen_") &&
         (name.ends_with("___tvm_main__") || name.ends_with("_run_model"));
}

bool is_of_runtime(std::string_view name) {
  return name.starts_with("TVM") || name.starts_with("__TVM");
}

/// The code of a function, in its section.
struct CodeRange {
  bool is_local = false;  ///< other files may have a function of its name
  std::size_t section = 0;
  GElf_Addr begin = 0;
  GElf_Addr end = 0;
  bool is_thumb = false;
};

/// Calls `visit` with the name and code of each function that a table of symbols defines.
template <class Visit>
void for_each_function(const ElfFile& elf, Elf_Scn* table, const GElf_Shdr& header, Visit&& visit) {
  GElf_Ehdr file;
  if (gelf_getehdr(elf.get(), &file) == nullptr) return;
  for_each_symbol(elf.get(), table, header, [&](const GElf_Sym& symbol, std::string_view name) {
    if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) return;
    // The lowest bit says that the code is Thumb.
    const bool is_thumb = file.e_machine == EM_ARM && (symbol.st_value & 1) != 0;
    const GElf_Addr begin = symbol.st_value - (is_thumb ? 1 : 0);
    const bool is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    visit(name, CodeRange{is_local, symbol.st_shndx, begin, begin + symbol.st_size, is_thumb});
  });
}

// --- Frames -------------------------------------------------------------------------------------

/// Where each relocation of a table points to.
void add_relocations(const ElfFile& elf, std::size_t table, Elf_Data* content, UnwindTable& into) {
  for_each_relocation(elf, table, [&](const Relocation& one) {
    std::uint64_t addend = one.addend.value_or(0);
    if (!one.addend && one.offset + sizeof(std::uint32_t) <= content->d_size) {
      std::uint32_t word = 0;
      std::memcpy(&word, static_cast<const char*>(content->d_buf) + one.offset, sizeof word);
      addend = word;
    }
    // Keeps the first of several: for RISC-V, further relocations subtract one label from another.
    into.relocations.try_emplace(one.offset,
                                 SectionPlace{one.symbol.st_shndx, one.symbol.st_value + addend});
  });
}

/// On x86-64, a function may use 128 bytes below the stack pointer that its frame does not include.
constexpr std::uint64_t kRedZone = 128;

/// Adds the frames that the tables of a file state for the functions in its symbol table.
void add_unwind_frames(const ElfFile& elf, CompiledCode& code) {
  GElf_Ehdr file;
  std::size_t names = 0;
  if (gelf_getehdr(elf.get(), &file) == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0)
    return;
  if (file.e_ident[EI_DATA] != ELFDATA2LSB) return;
  std::map<SectionPlace, std::optional<std::uint64_t>> frames;
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    const char* const name = elf_strptr(elf.get(), names, header.sh_name);
    const std::string_view text = name == nullptr ? "" : name;
    if (text != ".eh_frame" && text != ".debug_frame") return;
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return;
    UnwindTable table{.bytes = {static_cast<const std::byte*>(data->d_buf), data->d_size},
                      .is_eh_frame = text == ".eh_frame",
                      .address_bytes = file.e_ident[EI_CLASS] == ELFCLASS64 ? 8U : 4U};
    add_relocations(elf, elf_ndxscn(section), data, table);
    frames.merge(unwind_frames(table));
  });
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_SYMTAB) return;
    const auto take = [&](std::string_view name, const CodeRange& range) {
      const auto frame = frames.find({range.section, range.begin});
      const auto function = code.functions.find(name);
      if (frame == frames.end() || !frame->second || function == code.functions.end()) return;
      code.red_zone = file.e_machine == EM_X86_64 ? kRedZone : 0;
      const std::uint64_t bytes = *frame->second + code.red_zone;
      // Static helpers of several files may share a name.
      function->second.frame = std::max(function->second.frame.value_or(0), bytes);
    };
    for_each_function(elf, section, header, take);
  });
}

// --- Calls of main ------------------------------------------------------------------------------

/// LLVM moves the computation of a packed function into a separate function with this suffix.
constexpr std::string_view kComputeSuffix = "_compute_";

std::optional<InstructionSet> instruction_set(const ElfFile& elf, bool is_thumb) {
  GElf_Ehdr file;
  if (gelf_getehdr(elf.get(), &file) == nullptr || file.e_ident[EI_DATA] != ELFDATA2LSB) {
    return std::nullopt;
  }
  switch (file.e_machine) {
    case EM_386:
    case EM_X86_64:
      return InstructionSet::x86_64;
    case EM_ARM:
      return is_thumb ? InstructionSet::thumb : InstructionSet::arm;
    case EM_AARCH64:
      return InstructionSet::aarch64;
    case EM_RISCV:
      return file.e_ident[EI_CLASS] == ELFCLASS64 ? InstructionSet::riscv64
                                                  : InstructionSet::riscv32;
    default:
      return std::nullopt;
  }
}

std::span<const std::byte> bytes_of(const ElfFile& elf, const CodeRange& range) {
  Elf_Scn* const section = elf_getscn(elf.get(), range.section);
  Elf_Data* const data = section == nullptr ? nullptr : elf_getdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr || range.end > data->d_size ||
      range.begin > range.end) {
    return {};
  }
  return {static_cast<const std::byte*>(data->d_buf) + range.begin, range.end - range.begin};
}

/// A function that code refers to. Other files may have one of its name if it is local.
struct Callee {
  std::string_view name;
  bool is_local = false;
};

struct Function {
  CodeRange range;
  std::string_view name;
  std::multimap<GElf_Addr, Callee> refers_to{};  ///< by the place in its code
};
using Functions = std::map<SectionPlace, Function>;  ///< by their first bytes

Function* function_at(Functions& functions, const SectionPlace& place) {
  const auto behind = functions.upper_bound(place);
  if (behind == functions.begin()) return nullptr;
  Function& found = std::prev(behind)->second;
  const bool is_inside = found.range.section == place.section && place.offset < found.range.end;
  return is_inside ? &found : nullptr;
}

/// Returns the function that a relocation in the code of `from` refers to; nothing if it refers to
/// data. An undefined symbol has no type, so it counts as a function.
std::optional<Callee> callee_of(const Relocation& one, const Function* from, Functions& functions) {
  const auto type = GELF_ST_TYPE(one.symbol.st_info);
  if (type == STT_FUNC || (one.symbol.st_shndx == SHN_UNDEF && one.symbol.st_name != 0)) {
    return Callee{one.name, GELF_ST_BIND(one.symbol.st_info) == STB_LOCAL};
  }
  // REL files have the addend in the code, in the form of the instruction.
  if (type != STT_SECTION || !one.addend) return {};
  // On x86-64, a distance is from the end of the instruction, 4 bytes behind the relocated ones.
  const GElf_Addr place = *one.addend;
  const Function* target = function_at(functions, {one.symbol.st_shndx, place + 4});
  const auto behind = functions.lower_bound({one.symbol.st_shndx, place});
  if (target == nullptr && behind != functions.end()) target = &behind->second;
  if (target == nullptr || target->range.section != one.symbol.st_shndx) return {};
  // For Xtensa, branches inside of a function have relocations, too.
  const GElf_Addr begin = target->range.begin;
  if (target == from && place != begin && place + 4 != begin) return {};
  return Callee{target->name, target->range.is_local};
}

/// The functions of a file with those that they refer to: by relocations, and by calls that the
/// assembler has resolved.
Functions functions_of(const ElfFile& elf) {
  Functions functions;
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_SYMTAB) return;
    for_each_function(elf, section, header, [&](std::string_view name, const CodeRange& range) {
      functions.try_emplace({range.section, range.begin}, Function{range, name});
    });
  });
  std::map<std::size_t, std::set<std::uint64_t>> relocated;  // by section
  for_each_relocation(elf, std::nullopt, [&](const Relocation& one) {
    relocated[one.section].insert(one.offset);
    Function* const from = function_at(functions, {one.section, one.offset});
    const auto to = from == nullptr ? std::nullopt : callee_of(one, from, functions);
    if (to) from->refers_to.emplace(one.offset, *to);
  });
  for (auto at = functions.begin(); at != functions.end(); ++at) {
    CodeRange range = at->second.range;
    // Names of one place, and of places in a function, would make the code be read again.
    const auto next = std::next(at);
    if (next != functions.end() && next->first.section == range.section) {
      range.end = std::min(range.end, next->first.offset);
    }
    const auto set = instruction_set(elf, range.is_thumb);
    if (!set) return functions;
    for (const DirectCall& call :
         direct_calls(bytes_of(elf, range), range.begin, *set, relocated[range.section])) {
      const auto to = functions.find({range.section, call.target});
      // A jump to its own beginning is a loop.
      if (to == functions.end() || (to == at && !call.returns)) continue;
      at->second.refers_to.emplace(call.offset, Callee{to->second.name, to->second.range.is_local});
    }
  }
  return functions;
}

/// `file` distinguishes functions that other files do not see.
void add_calls(const Functions& functions, const std::string& file, ObjectSymbols& symbols) {
  const auto unique = [&](const Callee& one) {
    return one.is_local ? fmt::format("{} of {}", one.name, file) : std::string(one.name);
  };
  for (const auto& [place, function] : functions) {
    auto& calls = symbols.calls[unique({function.name, function.range.is_local})];
    for (const auto& [offset, callee] : function.refers_to) calls.insert(unique(callee));
  }
}

/// The name of the kernel whose computation this function contains.
std::string_view without_compute_suffix(std::string_view name) {
  if (name.ends_with(kComputeSuffix)) name.remove_suffix(kComputeSuffix.size());
  return name;
}

void add_main(const Functions& functions, ObjectCode& object) {
  if (!object.main.empty()) return;
  std::map<std::string_view, const Function*> by_name;
  for (const auto& [place, function] : functions) {
    if (is_main(function.name)) object.main = function.name;
    by_name.emplace(function.name, &function);
  }
  if (object.main.empty()) return;
  const std::string compute = object.main + std::string(kComputeSuffix);
  for (const std::string& part : {object.main, compute}) {
    const auto found = by_name.find(part);
    if (found == by_name.end()) continue;
    for (const auto& [offset, callee] : found->second->refers_to) {
      const std::string_view kernel = without_compute_suffix(callee.name);
      if (is_of_runtime(kernel) || kernel == object.main) continue;
      object.main_calls.emplace_back(kernel);
    }
  }
}

}  // namespace

std::vector<std::string> ObjectSymbols::missing() const {
  std::vector<std::string> names;
  std::ranges::set_difference(wanted, defined, std::back_inserter(names));
  return names;
}

bool ObjectSymbols::may_recurse() const {
  // Takes away functions that no other one calls, until none is left.
  std::map<std::string_view, std::size_t> callers;
  for (const auto& [from, called] : calls) {
    callers.try_emplace(from);
    for (const std::string& to : called) ++callers[to];
  }
  std::vector<std::string_view> uncalled;
  for (const auto& [name, count] : callers) {
    if (count == 0) uncalled.push_back(name);
  }
  std::size_t taken = 0;
  for (; !uncalled.empty(); ++taken) {
    const auto from = calls.find(std::string(uncalled.back()));
    uncalled.pop_back();
    if (from == calls.end()) continue;
    for (const std::string& to : from->second) {
      if (--callers[to] == 0) uncalled.push_back(to);
    }
  }
  return taken != callers.size();
}

void add_object_file(const std::string& path, const SectionPlaces& places, CompiledCode& code,
                     ObjectSymbols& symbols) {
  elf_version(EV_CURRENT);
  const support::File file = support::File::open(path, O_RDONLY);
  const ElfFile elf(elf_begin(file.fd(), ELF_C_READ, nullptr));
  add_elf(elf, {.file = path}, places, code, symbols);
  add_calls(functions_of(elf), path, symbols);
}

namespace {

/// A member of a static library.
struct LibraryMember {
  ObjectSymbols symbols{};
  std::uint64_t flash = 0;
  std::uint64_t ram = 0;
  bool is_needed = false;
};

/// Counts what linkers leave out, as far as the entry point of TVM's runtimes tells.
void count_unused(std::vector<LibraryMember>& members, const ObjectSymbols& others,
                  CompiledCode& code) {
  std::map<std::string_view, LibraryMember*> definitions;
  std::vector<std::string_view> wanted(others.wanted.begin(), others.wanted.end());
  for (LibraryMember& member : members) {
    for (const std::string& name : member.symbols.defined) {
      definitions.try_emplace(name, &member);
      const bool is_entry = name.starts_with("tvmgen_") && name.ends_with("_run");
      if (is_entry) wanted.push_back(name);
    }
  }
  while (!wanted.empty()) {
    const auto found = definitions.find(wanted.back());
    wanted.pop_back();
    if (found == definitions.end() || found->second->is_needed) continue;
    found->second->is_needed = true;
    const auto& needs = found->second->symbols.wanted;
    wanted.insert(wanted.end(), needs.begin(), needs.end());
  }
  for (const LibraryMember& member : members) {
    if (member.is_needed) continue;
    code.unused_flash += member.flash;
    code.unused_ram += member.ram;
  }
}

/// Whether a member of a static library is a table of names, and no object.
bool is_table(std::string_view name, std::string_view content) {
  constexpr std::string_view kBsdTable = "__.SYMDEF";
  return name == "/" || name == "//" || name == "/SYM64/" || name.starts_with(kBsdTable) ||
         (name.starts_with("#1/") && content.starts_with(kBsdTable));
}

/// Linkers take nothing from a file such as a licence.
bool is_text(std::string_view content) {
  // Bytes above 127 count as binary on every computer, whatever the sign of `char` is.
  return !content.starts_with(ARMAG) && std::ranges::all_of(content, [](unsigned char c) {
    return (c >= ' ' && c < 0x80) || c == '\n' || c == '\r' || c == '\t';
  });
}

/// Calls `visit` with an object file, or with each of a static library. Throws `Error` for a
/// library that is cut.
void for_each_object(std::string_view bytes, const Location& where,
                     const std::function<void(std::string_view)>& visit) {
  if (!bytes.starts_with(ARMAG)) return visit(bytes);
  // Each member is behind a header with its size.
  bytes.remove_prefix(SARMAG);
  // Linkers pass over blank lines and zeros behind the last member.
  constexpr std::string_view kFill("\0\n", 2);
  while (bytes.find_first_not_of(kFill) != bytes.npos) {
    std::string_view digits = bytes.substr(std::min(offsetof(ar_hdr, ar_size), bytes.size()));
    const auto size = support::take_number<std::size_t>(digits);
    if (bytes.size() < sizeof(ar_hdr) || !size || *size > bytes.size() - sizeof(ar_hdr)) {
      refuse(where, "the static library is damaged: a member ends behind the file");
    }
    std::string_view name = bytes.substr(0, sizeof(ar_hdr::ar_name));
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    const std::string_view content = bytes.substr(sizeof(ar_hdr), *size);
    if (!is_table(name, content) && !is_text(content)) visit(content);
    bytes.remove_prefix(std::min(sizeof(ar_hdr) + *size + *size % 2, bytes.size()));
  }
}

}  // namespace

void require_whole_objects(std::string_view bytes, const Location& where) {
  elf_version(EV_CURRENT);
  for_each_object(bytes, where, [&](std::string_view content) {
    if (!content.starts_with(ELFMAG)) return;
    std::vector<char> own(content.begin(), content.end());
    require_whole(ElfFile(elf_memory(own.data(), own.size())), where);
  });
}

void add_object(std::string_view bytes, std::string_view member, ObjectCode& object,
                ObjectSymbols& symbols) {
  elf_version(EV_CURRENT);
  std::vector<LibraryMember> members;
  const auto add = [&](std::string_view content) {
    // libelf needs writable bytes.
    std::vector<char> own(content.begin(), content.end());
    const ElfFile elf(elf_memory(own.data(), own.size()));
    const CompiledCode& code = object.code;
    LibraryMember one{.flash = code.text + code.rodata + code.data, .ram = code.data + code.bss};
    add_elf(elf, {.member = std::string(member)}, {}, object.code, one.symbols);
    const Functions functions = functions_of(elf);
    add_calls(functions, fmt::format("{} {}", members.size(), member), one.symbols);
    one.flash = code.text + code.rodata + code.data - one.flash;
    one.ram = code.data + code.bss - one.ram;
    members.push_back(std::move(one));
    add_unwind_frames(elf, object.code);
    add_main(functions, object);
  };
  for_each_object(bytes, {.member = std::string(member)}, add);
  if (bytes.starts_with(ARMAG)) count_unused(members, symbols, object.code);
  for (LibraryMember& one : members) {
    symbols.defined.merge(one.symbols.defined);
    symbols.wanted.merge(one.symbols.wanted);
    for (auto& [from, called] : one.symbols.calls) symbols.calls[from].merge(called);
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
    // GCC also writes a row for inlined functions, so only functions of the object count.
    const auto function =
        code.functions.find(std::string_view(line).substr(colon + 1, first - colon - 1));
    std::uint64_t bytes = 0;
    std::from_chars(line.data() + first + 1, line.data() + second, bytes);
    const bool is_bounded = line.compare(second + 1, line.npos, "dynamic") != 0;
    if (function == code.functions.end() || !is_bounded) continue;
    // Static helpers of several files may share a name.
    function->second.frame = std::max(function->second.frame.value_or(0), bytes);
  }
}

}  // namespace mlf::compile
