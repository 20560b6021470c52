// describe_c and read_c: split files into items, and read items into one module.
#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "mlf/target.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/c/read/constants.h"
#include "tir/c/read/directives.h"
#include "tir/c/read/file_items.h"
#include "tir/c/read/function.h"
#include "tir/node_queries.h"
#include "tir/pools.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace c {
namespace {

// An operator archive ends with a function of this name, which forwards to the operator.
constexpr std::string_view kForwarder = "__tvm_main__";

/// Whether a function is printed from TIR. The forwarder of an operator archive is not, nor the
/// entry point `…_run`, which is in a file without a target.
bool is_wanted(const FileItems& file, const Item& item) {
  if (item.kind != ItemKind::function || item.name == kForwarder) return false;
  // For the C++ runtime; has no prefix in v0.16.
  if (item.name.ends_with("get_c_metadata")) return false;
  if (item.name == kLinkedParamsFunction) return false;
  return !file.target.empty() || !item.name.ends_with("_run");
}

bool has_functions(const FileItems& file) {
  return std::ranges::any_of(file.items, [&](const Item& item) { return is_wanted(file, item); });
}

/// People leave out the line of the target, a comment.
bool is_target_c(std::string_view target) {
  return target.empty() || target.substr(0, target.find(' ')) == "c";
}

/// The names in main's call arguments that are more than `name`, `&name`, `(T*)&name` or
/// `&name[0]`.
std::vector<std::string_view> shifted_in_call_of_main(const support::SourceText& source,
                                                      const Item& item) {
  std::vector<std::string_view> shifted;
  const std::string_view body = item.body.in(source.text);
  if (body.find("_main__") == body.npos && body.find("_run_model") == body.npos) return shifted;
  Cursor cursor(source, tokenize(source.text, item.body.begin, item.body.end));
  while (!cursor.at_end()) {
    const bool is_call =
        cursor.at_name() && is_main_symbol(cursor.text()) && cursor.at(sign("("), 1);
    cursor.advance();
    if (!is_call) continue;
    cursor.advance();
    std::vector<std::string_view> names;
    bool is_moved = false;
    for (std::size_t depth = 1; depth > 0 && !cursor.at_end(); cursor.advance()) {
      if (cursor.at(sign("("))) ++depth;
      if (cursor.at(sign(")"))) --depth;
      if (cursor.at_name()) names.push_back(cursor.text());
      if (cursor.looks_like("&$[0]")) {
        names.push_back(cursor.text(1));
        for (int i = 0; i < 4; ++i) cursor.advance();
        continue;
      }
      is_moved = is_moved || cursor.at(sign("+")) || cursor.at(sign("-")) || cursor.at(sign("["));
      const bool ends = depth == 0 || (depth == 1 && cursor.at(sign(",")));
      if (!ends) continue;
      if (is_moved) shifted.insert(shifted.end(), names.begin(), names.end());
      names.clear();
      is_moved = false;
    }
  }
  return shifted;
}

struct File {
  const Input* input;
  support::SourceText source;
  FileItems items;
  Directives directives;

  std::string_view text(Bytes range) const { return range.in(source.text); }

  /// Fails if the preprocessor may change an item.
  void require_plain(const Item& item) const {
    std::uint32_t begin = item.has_alternatives ? item.body.begin : item.head.begin;
    if (item.kind == ItemKind::function) {
      if (!directives.are_harmless_attributes(text({begin, item.declared}))) {
        support::fail_at(source, begin, "attributes that mlf does not know are before a function");
      }
      begin = item.declared;
    }
    const auto doubt = directives.in(source.text, {begin, item.end});
    if (!doubt) return;
    support::fail_at(source, std::max(begin, doubt->where.begin),
                     "what is compiled depends on " + doubt->why);
  }
};

/// `tvmgen_<module>_<compiler>_main_<k>`: TVM's names for functions of external compilers, which
/// are in files of another target.
bool is_of_another_compiler(std::string_view symbol) {
  const std::size_t last = symbol.find_last_not_of("0123456789");
  return last != symbol.npos && last + 1 < symbol.size() &&
         symbol.substr(0, last + 1).ends_with("_main_");
}

bool is_extern(const File& file, const Item& item) {
  return item.kind == ItemKind::workspace && file.text(item.head).starts_with("extern ");
}

std::string_view pool_of(const FunctionDraft& draft, const Param& param) {
  std::string_view name = pool_name(param.hint.empty() ? param.name : param.hint);
  if (draft.is_packed && name.starts_with(kHandlePrefix)) name.remove_prefix(kHandlePrefix.size());
  return name;
}

/// The arrays, pools and other variables that files declare.
class DeclaredMemory {
 public:
  explicit DeclaredMemory(ModuleContext& context) : context_(context) {}

  /// Functions refer to arrays only by name. An array that is not read may have any content.
  void add_array(const File& file, const Item& item) {
    auto array = support::to_result([&] {
      file.require_plain(item);
      return read_array(context_, file.source, item);
    });
    if (!array) {
      variables_.emplace(item.name, OtherKind::constant);
      return note_unread("the array", array.error());
    }
    context_.facts.arrays.push_back(*std::move(array));
  }

  /// Records an unreadable pool as a loss. Its contents are then unknown, as if no file defined it.
  void add_constant_pool(const File& file, const Item& item) {
    auto pool = support::to_result([&] {
      file.require_plain(item);
      return read_constant_pool(context_, file.source, item);
    });
    if (pool) {
      const std::string_view head = file.text(item.head);
      const std::string_view before_type = head.substr(0, head.find("struct "));
      pool->is_writable = support::find_word(before_type, "const") == head.npos;
      pool->section = section_of(file.source.text, item);
      return add_pool(*std::move(pool));
    }
    hide_pools(file.source, item);
    note_unread("the constant pool", pool.error());
  }

  void add_workspace(const File& file, const Item& item) {
    auto pool = read_workspace_pool(file.source, item, file.directives);
    const auto is_plain = [&](Bytes part) { return !file.directives.in(file.source.text, part); };
    // The size was read with its macros.
    if (pool &&
        !(is_plain({item.head.begin, pool->size.begin}) && is_plain({pool->size.end, item.end}))) {
      pool.reset();
    }
    if (is_extern(file, item) && (!pool || is_pool(pool->name))) return;
    if (!pool) return hide_pools(file.source, item);
    if (pool->size_place) pool->size_place->file = context_.file;
    add_pool(*std::move(pool));
  }

  /// Variables of a file, and `static` ones of its functions without TIR: names of theirs, or of
  /// the functions.
  void add_variables(const support::SourceText& source, const FileItems& items) {
    for (const Item& item : items.items) {
      const auto has = [&](std::string_view word) {
        return support::find_word(item.head.in(source.text), word) != std::string::npos;
      };
      const bool is_made = item.kind == ItemKind::other || item.kind == ItemKind::workspace;
      // A tvm_model_t is the entry that TVM's versions of 2021 add.
      if (is_made && !has("extern") && !has("tvm_model_t")) {
        for (const auto& [name, is_const] : variables_of(source.text, item)) {
          // The pointer is TVM's, too.
          if (is_tvm_table(name) || name == "__tvm_module_ctx") continue;
          variables_.emplace(name, is_const ? OtherKind::constant : OtherKind::variable);
        }
      }
      const bool has_values = item.kind == ItemKind::array || item.kind == ItemKind::pool;
      if (has_values || is_wanted(items, item)) continue;
      const std::string_view body = item.body.in(source.text);
      std::size_t at = support::find_word(body, "static");
      for (; at != body.npos; at = support::find_word(body, "static", at + 1)) {
        const bool is_const = body.substr(at).starts_with("static const ");
        variables_.emplace(item.name, is_const ? OtherKind::constant : OtherKind::variable);
      }
    }
  }

  /// A pool of a name in a declaration that is not read has an unknown size. A pointer is not the
  /// memory that it points to.
  void hide_pools(const support::SourceText& source, const Item& item) {
    const bool is_extern = source.text.substr(item.head.begin).starts_with("extern ");
    if (is_extern || item.kind == ItemKind::function || item.kind == ItemKind::prototype) return;
    const std::uint32_t end = item.body.end > item.body.begin ? item.body.begin : item.end;
    const Cursor cursor(source, tokenize(source.text, item.head.begin, end));
    for (std::size_t i = 0; cursor.at_position(i).kind != TokenKind::end; ++i) {
      // An array of pointers is memory, too.
      const bool is_pointer = i > 0 && cursor.at_position(i - 1).sign == sign("*") &&
                              cursor.at_position(i + 1).sign != sign("[");
      if (cursor.at_position(i).kind != TokenKind::name || is_pointer) continue;
      unread_pools_.insert(cursor.text(cursor.at_position(i)));
    }
  }

  /// A definition in a file takes precedence over declarations in other files.
  void add_pools(const std::vector<CPool>& pools) {
    for (const CPool& pool : pools) {
      if (is_pool(pool.name) || unread_pools_.contains(pool.name)) continue;
      context_.facts.pools.push_back(
          {.name = pool.name, .bytes = pool.bytes, .is_constant = pool.is_constant});
    }
  }

  /// An application may pass main an address inside of the array that has the pool's name: then the
  /// array's size is not that of the pool.
  void forget_shifted_pools(const std::vector<File>& files) {
    for (const File& file : files) {
      for (const Item& item : file.items.items) {
        const bool is_wrapper = item.body.end > item.body.begin && !is_wanted(file.items, item);
        if (!is_wrapper || item.kind == ItemKind::array || item.kind == ItemKind::pool) continue;
        for (const std::string_view name : shifted_in_call_of_main(file.source, item)) {
          std::erase_if(context_.facts.pools, [&](const Pool& pool) { return pool.name == name; });
        }
      }
    }
  }

  /// Pools of main whose declarations are not read.
  void note_unread_pools(const std::vector<FunctionDraft>& drafts) {
    support::NameSet<std::string_view> noted;
    for (const FunctionDraft& draft : drafts) {
      for (const Param& param : draft.params) {
        const std::string_view name = pool_of(draft, param);
        if (!unread_pools_.contains(name) || !noted.insert(name).second) continue;
        add_loss(fmt::format("the size of pool '{}'", name));
      }
    }
  }

  std::vector<OtherMemory> other_memory(const std::vector<FunctionDraft>& drafts,
                                        std::vector<OtherMemory> all) const {
    // What main does not take is in no network, even where it hands its address to kernels.
    const bool has_main = std::ranges::any_of(drafts, &FunctionDraft::is_main);
    support::NameSet<std::string_view> pools;
    for (const FunctionDraft& draft : drafts) {
      if (has_main && !draft.is_main) continue;
      for (const Param& param : draft.params) pools.insert(pool_of(draft, param));
    }
    for (const auto& [name, kind] : variables_) {
      if (pools.contains(name)) continue;
      // Another file may have a variable of this name that is not read.
      const auto array = std::ranges::find(context_.facts.pools, name, &Pool::name);
      const bool is_sized = kind == OtherKind::variable && array != context_.facts.pools.end() &&
                            !unread_pools_.contains(name);
      all.push_back({.kind = kind, .name = name});
      if (is_sized) all.back().bytes = static_cast<std::uint64_t>(array->bytes);
    }
    for (const Pool& pool : context_.facts.pools) {
      const bool is_used = pools.contains(pool.name);
      const std::int64_t bytes = (is_used ? 0 : pool.bytes) + pool.padding;
      if (pool.members.empty() || bytes == 0) continue;
      all.push_back({.kind = is_used ? OtherKind::padding : OtherKind::constant,
                     .name = std::string(pool.name),
                     .bytes = static_cast<std::uint64_t>(bytes)});
    }
    for (const Pool& pool : context_.facts.pools) {
      if (!pool.is_writable) continue;
      all.push_back({.kind = OtherKind::writable,
                     .name = std::string(pool.name),
                     .bytes = static_cast<std::uint64_t>(pool.bytes + pool.padding),
                     .section = pool.section});
    }
    return all;
  }

  std::vector<Loss> unread;  ///< of pools and arrays

 private:
  bool is_pool(std::string_view name) const {
    return std::ranges::find(context_.facts.pools, name, &Pool::name) != context_.facts.pools.end();
  }

  /// A pool that two files define is in memory twice.
  void add_pool(Pool pool) {
    if (is_pool(pool.name)) {
      unread_pools_.insert(pool.name);
      std::erase_if(context_.facts.pools, [&](const Pool& one) { return one.name == pool.name; });
    }
    if (!unread_pools_.contains(pool.name)) context_.facts.pools.push_back(std::move(pool));
  }

  void note_unread(std::string_view what, const Diagnostic& error) {
    support::throw_unless_invalid(error);
    const Location& where = error.where;
    const std::string& name = where.member.empty() ? where.file : where.member;
    add_loss(
        fmt::format("{} at {}:{}:{}: {}", what, name, where.line, where.column, error.message));
  }

  void add_loss(std::string what) {
    unread.push_back({LossCode::unknown_construct, LossScope::module, {}, std::move(what)});
  }

  ModuleContext& context_;
  support::NameSet<std::string_view> unread_pools_;        ///< names that may be those of pools
  std::set<std::pair<std::string, OtherKind>> variables_;  ///< outside of functions with TIR
};

/// The macros of the options without those that a header may define otherwise.
MacroValues macros_for(std::string_view text, const CSources& sources) {
  MacroValues macros = sources.macros;
  if (macros.empty() || !sources.headers) return macros;
  const std::vector<std::string_view> includes = directives_of(text).includes;
  for (const std::string_view header : included_texts(includes, sources.headers)) {
    std::erase_if(macros, [&](const auto& macro) {
      return support::find_word(header, macro.first) != header.npos;
    });
  }
  return macros;
}

/// A port may declare constants in another section or in none: includes those that a function
/// names.
void find_plain_arrays(File& file) {
  for (Item& item : file.items.items) {
    const std::string_view head = file.text(item.head);
    const bool has_values = item.kind == ItemKind::other && item.body.end > item.body.begin;
    if (!has_values || !declares_constant_array(head)) continue;
    const std::string_view name = array_name(head);
    const bool is_named = std::ranges::any_of(file.items.items, [&](const Item& function) {
      return is_wanted(file.items, function) &&
             support::find_word(file.text(function.body), name) != std::string_view::npos;
    });
    if (!is_named || name.empty()) continue;
    item.kind = ItemKind::array;
    item.name = name;
  }
}

/// A static array belongs to its file. A name with several arrays in other files, or in this one,
/// is not known.
void name_arrays(ModuleContext& context) {
  const std::vector<ConstantArray>& arrays = context.facts.arrays;
  auto& by_name = context.facts.array_by_name;
  by_name.clear();
  support::NameSet<std::string_view> unclear;
  for (const bool is_own : {true, false}) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if ((arrays[i].file == context.file) != is_own) continue;
      const auto [named, is_new] = by_name.try_emplace(arrays[i].name, i);
      const bool is_from_here = arrays[named->second].file == context.file;
      if (!is_new && is_from_here == is_own) unclear.insert(arrays[i].name);
    }
  }
  for (const std::string_view name : unclear) by_name.erase(name);
}

using ArrayOwners = std::map<std::size_t, std::size_t>;  // array → draft

/// Whether all functions that are called or in the graph were read completely. Otherwise an array
/// that no body names may belong to a missing function.
bool has_all_functions(const std::vector<FunctionDraft>& drafts, const CSources& sources) {
  support::NameSet<std::string_view> read;
  for (const FunctionDraft& draft : drafts) read.insert(draft.name);
  for (const FunctionDraft& draft : drafts) {
    if (!draft.is_understood) return false;
    for (const CallSite& call : draft.calls) {
      const bool is_here =
          call.callee.starts_with("tvmgen_") && !is_of_another_compiler(call.callee);
      if (is_here && !read.contains(call.callee)) return false;
    }
  }
  return std::ranges::all_of(sources.signatures, [&](const CSignature& signature) {
    return is_of_another_compiler(signature.function) || read.contains(signature.function);
  });
}

/// The function that owns an array which no body names: arrays follow the order of functions, so
/// it is between the owners of its neighbours. Two neighbours with one owner decide it, even if
/// other functions could not be read. Of several it may be main, if main has constants.
FunctionDraft* only_owner(std::vector<FunctionDraft>& drafts, const CSources& sources,
                          const ArrayOwners& owners, std::size_t array, FunctionDraft* main) {
  const auto next = owners.upper_bound(array);
  const std::size_t first = next == owners.begin() ? 0 : std::prev(next)->second;
  const std::size_t last = next == owners.end() ? drafts.size() - 1 : next->second;
  const bool is_between = next != owners.begin() && next != owners.end() && first == last;
  if (!is_between && !has_all_functions(drafts, sources)) return nullptr;
  FunctionDraft* owner = nullptr;
  for (std::size_t i = first; i <= last; ++i) {
    if (is_of_another_compiler(drafts[i].name)) continue;
    if (owner != nullptr) return main;
    owner = &drafts[i];
  }
  return owner;
}

/// Assigns arrays that no body names to functions, and returns all of them.
std::vector<OtherMemory> assign_unused_arrays(ModuleContext& context,
                                              std::vector<FunctionDraft>& drafts,
                                              const CSources& sources) {
  ArrayOwners owners;
  FunctionDraft* main = nullptr;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (drafts[i].is_main && !drafts[i].constants.empty()) main = &drafts[i];
    for (const auto& [array, var] : drafts[i].constants) owners.try_emplace(array, i);
  }
  const ModuleFacts& facts = context.facts;
  std::vector<OtherMemory> unused;
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    const ConstantArray& array = facts.arrays[i];
    if (owners.contains(i) || array.name.starts_with(kLinkedParamPrefix)) continue;
    FunctionDraft* const owner =
        owners.empty() ? nullptr : only_owner(drafts, sources, owners, i, main);
    unused.push_back(
        {.kind = owner == nullptr ? OtherKind::constant : OtherKind::constant_in_kernel,
         .name = std::string(array.name),
         .bytes = array.count * array.element.element_bytes()});
    if (owner == nullptr) {
      ++unknown;
      continue;
    }
    owner->constants.emplace_back(i, array_variable(context, array));
  }
  if (unknown == 0 || owners.empty()) return unused;
  FunctionDraft& first = drafts.front();
  first.losses.push_back(
      {LossCode::unknown_construct, LossScope::function, std::string(first.name),
       fmt::format("{} constants belong to no function that is understood", unknown)});
  return unused;
}

NodeId target_node(ModuleContext& context, const std::vector<File>& files) {
  for (const File& file : files) {
    if (file.items.target.empty()) continue;
    const auto target = support::value_if_valid(parse_target(file.items.target));
    if (target) return text::make_target(context.make, *target);
  }
  return NodeId::none;
}

/// The key of main in the IRModule; its symbol has the module's prefix.
std::string_view name_in_module(const ModuleContext& context, const FunctionDraft& draft) {
  if (!draft.is_main) return draft.name;
  return context.versions.all_have(TvmFeature::c_main_is_run_model) ? "run_model" : "__tvm_main__";
}

/// Of the files with functions of TVM's own generator.
std::vector<ImportedC> imported(const std::vector<File>& files) {
  std::vector<ImportedC> all;
  for (const File& file : files) {
    if (!has_functions(file.items) || !is_target_c(file.items.target)) continue;
    for (ImportedC& piece : imported_c(file.source, file.items)) all.push_back(std::move(piece));
  }
  return all;
}

/// Without its digest.
Source source_of(const ModuleContext& context) {
  const support::SourceText& primary = *context.primary;
  return {.member = primary.member.empty() ? primary.file.substr(primary.file.rfind('/') + 1)
                                           : primary.member,
          .dialect = Dialect::c,
          .stage = "codegen",
          .tvm_version = context.versions.range(),
          .sha256 = {}};
}

class ModuleReader {
 public:
  ModuleReader(const CSources& sources, Places* places) : sources_(sources) {
    context_.places = places;
  }

  Document read(const ReadLimits& limits) {
    split(limits);
    for (const File& file : files_) infer_version(file.source, file.items, context_.versions);
    collect_facts();
    SourceDigest digest(*find_primary().input);
    read_functions(read_function);
    memory_.note_unread_pools(drafts_);
    std::optional<std::string> target;
    for (const File& file : files_) {
      if (!target && !file.items.target.empty()) target = std::string(file.items.target);
    }
    Module module = finish();
    Source primary = source_of(context_);
    primary.sha256 = digest.hex();
    return {.source = std::move(primary),
            .target = std::move(target),
            .module = std::move(module),
            .losses = losses(),
            .imported_c = imported(files_),
            .other_memory = memory_.other_memory(drafts_, unused_arrays_)};
  }

  Document read_outline(const ReadLimits& limits) {
    split(limits);
    collect_facts();
    find_primary();
    read_functions(outline_function);
    return {.source = source_of(context_), .target = {}, .module = finish(), .losses = {}};
  }

 private:
  using ReadFunction = FunctionDraft(ModuleContext&, support::SourceText&, const Item&);

  /// Offsets have 32 bits. A file that is too large is not read any further.
  void split(const ReadLimits& limits) {
    const std::uint64_t most = std::min<std::uint64_t>(limits.max_source_bytes, UINT32_MAX - 1);
    for (const Input& input : sources_.files) {
      support::SourceText source{input.file, input.member, input.text};
      if (auto active = active_text(input.text, macros_for(input.text, sources_))) {
        source.text = active_texts_.emplace_back(*std::move(active));
      }
      if (input.text.size() > most) {
        support::fail_at(
            source, 0,
            fmt::format("the source has {} bytes, more than {}", input.text.size(), most));
      }
      FileItems items = c::split(source);
      Directives directives = directives_of(source.text, items.items);
      // Code that names one is compiled as something else.
      for (const auto& [name, value] : sources_.macros) {
        if (value && !directives.is_harmless_export(name, *value)) {
          directives.macros.try_emplace(name, Macro{.value = *value});
        }
      }
      files_.push_back({&input, std::move(source), std::move(items), std::move(directives)});
      find_plain_arrays(files_.back());
      memory_.add_variables(files_.back().source, files_.back().items);
      read_headers(files_.back());
      for (const Item& item : files_.back().items.items) {
        if (item.body.end <= item.body.begin || item.name.empty()) continue;
        if (!is_wanted(files_.back().items, item)) context_.facts.own_functions.insert(item.name);
        if (!defined_.insert(item.name).second) defined_twice_.insert(item.name);
      }
    }
  }

  /// What the headers of a file define may change the file.
  void read_headers(File& file) {
    if (!sources_.headers) return;
    Directives& all = file.directives;
    for (const std::string_view text : included_texts(all.includes, sources_.headers)) {
      const support::SourceText header{{}, {}, text};
      const FileItems items = c::split(header);
      Directives of_header = directives_of(text, items.items);
      for (const Item& item : items.items) memory_.hide_pools(header, item);
      memory_.add_variables(header, items);
      all.macros.merge(of_header.macros);
      if (!all.everywhere) all.everywhere = std::move(of_header.everywhere);
    }
  }

  /// Runs before any function: bodies use arrays and prototypes from later files.
  void collect_facts() {
    for (const File& file : files_) {
      context_.file = static_cast<std::uint32_t>(&file - files_.data());
      for (const Item& item : file.items.items) {
        if (!is_extern(file, item)) collect(file, item);
      }
      if (auto metadata = read_metadata(file.source, file.items)) {
        context_.facts.metadata.push_back(std::move(*metadata));
      }
    }
    // The definition, if a file has it, states the size.
    for (const File& file : files_) {
      context_.file = static_cast<std::uint32_t>(&file - files_.data());
      for (const Item& item : file.items.items) {
        if (is_extern(file, item)) memory_.add_workspace(file, item);
      }
    }
    memory_.forget_shifted_pools(files_);
    memory_.add_pools(sources_.pools);
  }

  /// Since v0.15 a prototype states the result type of each called function.
  void collect(const File& file, const Item& item) {
    switch (item.kind) {
      case ItemKind::array:
        return memory_.add_array(file, item);
      case ItemKind::pool:
        return memory_.add_constant_pool(file, item);
      case ItemKind::function:
        if (item.name == kLinkedParamsFunction) {
          read_linked_param_ids(file.source, item, linked_ids_);
        }
        return;
      case ItemKind::workspace:
        return memory_.add_workspace(file, item);
      case ItemKind::prototype: {
        Cursor cursor(file.source, tokenize(file.source.text, item.head.begin, item.head.end));
        if (support::find_word(file.text(item.head), "weak") != std::string_view::npos) {
          weak_.insert(item.name);
        }
        cursor.accept_word("TVM_DLL");
        const auto result = cursor.at_name() ? scalar_type(cursor.text()) : std::nullopt;
        if (!result) return;
        cursor.advance();
        context_.facts.results[item.name] = cursor.at(sign("*")) ? DType::Handle() : *result;
        return;
      }
      case ItemKind::other:
        return memory_.hide_pools(file.source, item);
    }
  }

  /// The first file with functions: source ranges refer to it.
  const File& find_primary() {
    const auto found =
        std::ranges::find_if(files_, [](const File& file) { return has_functions(file.items); });
    if (found != files_.end()) {
      context_.primary = &found->source;
      return *found;
    }
    if (files_.empty()) throw support::Error(ErrorKind::invalid_input, "no files of C were given");
    support::fail_at(files_.front().source, 0, "no function that TVM printed from TIR");
  }

  /// An error with a place concerns this function; an error without one, such as too many nodes,
  /// concerns all. Lines are counted on from there, so that many errors do not count them anew.
  FunctionDraft read_or_keep(ReadFunction& read, File& file, const Item& item) {
    try {
      file.require_plain(item);
      if (defined_twice_.contains(item.name)) {
        support::fail_at(file.source, item.head.begin, "a function that is defined twice");
      }
      if (weak_.contains(item.name)) {
        support::fail_at(file.source, item.head.begin, "a weak function: another may replace it");
      }
      return read(context_, file.source, item);
    } catch (const support::Error& error) {
      if (error.diagnostic().where.line == 0) throw;
      file.source.count_lines_to(item.head.begin);
      return opaque_function(context_, file.source, item, error.diagnostic());
    }
  }

  void read_functions(ReadFunction& read) {
    for (File& file : files_) {
      context_.file = static_cast<std::uint32_t>(&file - files_.data());
      name_arrays(context_);
      for (const Item& item : file.items.items) {
        if (is_wanted(file.items, item)) drafts_.push_back(read_or_keep(read, file, item));
      }
    }
    unused_arrays_ = assign_unused_arrays(context_, drafts_, sources_);
  }

  /// Sizes come first: stated sizes of kernels limit main, and main's sizes follow from what
  /// kernels use.
  Module finish() {
    const NodeId target = target_node(context_, files_);
    StatedTypes types = stated_types(context_, sources_, drafts_);
    std::vector<NodePair> functions(drafts_.size());
    for (FunctionDraft& draft : drafts_) {
      state_sizes(draft, types[draft.name]);
      if (draft.is_main) limit_sizes(draft, drafts_);
    }
    // Kernels come first: main takes sizes from them.
    for (const bool is_main : {false, true}) {
      for (std::size_t i = 0; i < drafts_.size(); ++i) {
        FunctionDraft& draft = drafts_[i];
        if (draft.is_main != is_main) continue;
        const Types& stated = types[draft.name];
        if (is_main) pass_uses_on(context_.builder, draft, drafts_, stated);
        functions[i] = {context_.make.global_var(name_in_module(context_, draft)),
                        finish_function(context_, draft, stated, target)};
      }
    }
    if (const auto linked = linked_params_function(context_, linked_ids_)) {
      functions.push_back(*linked);
    }
    Builder& builder = context_.builder;
    const NodeId root =
        builder.make(Kind::IRModule, {builder.map(functions), NodeId::none, NodeId::none,
                                      NodeId::none, NodeId::none, NodeId::none});
    return std::move(builder).finish(root);
  }

  /// The losses of every module of this dialect, then those of its functions.
  std::vector<Loss> losses() {
    LossLog of_dialect;
    of_dialect.add_all(Dialect::c);
    std::vector<Loss> all = of_dialect.finish();
    all.insert(all.end(), memory_.unread.begin(), memory_.unread.end());
    for (const FunctionDraft& draft : drafts_) {
      for (const Loss& loss : draft.losses) {
        all.emplace_back(loss).where = name_in_module(context_, draft);
      }
    }
    // The order of losses in the document must not depend on that of the functions.
    std::ranges::stable_sort(all, {}, [](const Loss& loss) {
      return std::tuple(loss.code, loss.scope, std::string_view(loss.where));
    });
    return all;
  }

  const CSources& sources_;
  std::deque<std::string> active_texts_;  ///< of files in which they are others
  std::vector<File> files_;
  ModuleContext context_;
  DeclaredMemory memory_{context_};
  LinkedParamIds linked_ids_;
  std::vector<FunctionDraft> drafts_;
  std::vector<OtherMemory> unused_arrays_;
  support::NameSet<std::string_view> defined_;  ///< functions of all files
  support::NameSet<std::string_view> defined_twice_;
  support::NameSet<std::string_view> weak_;  ///< by their prototypes
};

}  // namespace
}  // namespace c

/// The items alone decide this: no function is read.
namespace {

/// The members of a pool by their initialisers, `.name = {…}`.
void add_members(std::string_view text, c::Bytes body, std::vector<CDefinition>& constants) {
  text = text.substr(0, body.end);
  for (std::size_t dot = text.find('.', body.begin); dot < text.size();) {
    const auto name = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1,
                                       text.end(), support::is_word_character);
    const std::size_t end = std::min(text.find('}', dot), text.size());
    constants.push_back({std::string(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name),
                         {static_cast<std::uint32_t>(dot), static_cast<std::uint32_t>(end)}});
    dot = text.find('.', end);
  }
}

}  // namespace

CFile describe_c(std::string_view text, const MacroValues& macros) {
  if (text.size() >= UINT32_MAX) return {};
  const std::optional<std::string> active = c::active_text(text, macros);
  const support::SourceText source{{}, {}, active ? *active : text};
  const c::FileItems items = c::split(source);
  std::optional<c::Directives> directives;  // most files define no pool
  CFile file;
  file.target = items.target;
  for (const c::Item& item : items.items) {
    if (c::is_wanted(items, item)) file.functions.emplace_back(item.name);
    if (item.kind == c::ItemKind::prototype) {
      file.prototypes.push_back({std::string(item.name), {item.head.begin, item.end}});
    }
    if (item.kind == c::ItemKind::workspace) {
      if (!directives) directives = c::directives_of(source.text, items.items);
      const auto pool = c::read_workspace_pool(source, item, *directives);
      if (pool) {
        file.arrays.push_back(
            {std::string(pool->name), c::section_of(source.text, item), pool->alignment});
      }
    }
    if (item.kind == c::ItemKind::array) {
      file.constants.push_back({std::string(item.name), {item.head.begin, item.end}});
    }
    if (item.kind == c::ItemKind::pool) {
      add_members(source.text, item.body, file.constants);
      file.arrays.push_back({std::string(item.name), c::section_of(source.text, item)});
    }
    if (item.kind != c::ItemKind::function) continue;
    const std::uint32_t brace = item.is_closed ? 1 : 0;
    file.definitions.push_back({std::string(item.name), {item.head.begin, item.body.end + brace}});
  }
  if (!file.functions.empty()) {
    file.role = c::is_target_c(items.target) ? CRole::kernels : CRole::external;
  } else if (c::is_support(source)) {
    file.role = CRole::support;
  }
  return file;
}

Document read_c(const CSources& sources, const ReadLimits& limits) {
  return c::ModuleReader(sources, nullptr).read(limits);
}

Document read_c_constants(const CSources& sources, const ReadLimits& limits) {
  return c::ModuleReader(sources, nullptr).read_outline(limits);
}

Document read_c_with_places(const CSources& sources, const ReadLimits& limits, Places& places) {
  return c::ModuleReader(sources, &places).read(limits);
}

}  // namespace mlf::tir
