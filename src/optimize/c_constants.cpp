#include "optimize/c_constants.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "mlf/tir/visit.h"
#include "optimize/metadata_copies.h"
#include "support/error.h"
#include "tir/c/c.h"
#include "tir/node_queries.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using support::get_or_throw;
using tir::Kind;
using tir::Node;
using tir::NodeId;
namespace f = tir::f;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// The last `length` characters of `text` before `end`, without blanks.
std::string end_without_blanks(std::string_view text, std::size_t end, std::size_t length) {
  std::string result;
  while (end > 0 && result.size() < length) {
    if (!is_blank(text[--end])) result += text[end];
  }
  std::ranges::reverse(result);
  return result;
}

/// The called function, if the text at `at` is the place of a name in an argument that has only
/// casts before the name; empty otherwise.
std::string_view called_around(std::string_view text, std::size_t at) {
  std::size_t closed = 0;      // closing brackets whose opening ones are still to come
  bool is_in_argument = true;  // not yet in an earlier argument
  while (at > 0) {
    const char c = text[--at];
    if (c == ',' && closed == 0) is_in_argument = false;
    const bool is_of_cast = is_letter(c) || is_blank(c) || c == '*' || c == '(' || c == ')';
    if (is_in_argument && !is_of_cast) return {};
    if (c == ';' || c == '{' || c == '}' || c == '"') return {};
    if (c == ')') ++closed;
    if (c != '(') continue;
    if (closed > 0) {
      --closed;
      continue;
    }
    std::size_t end = at;
    while (end > 0 && is_blank(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_letter(text[begin - 1])) --begin;
    if (begin < end) return text.substr(begin, end - begin);
  }
  return {};
}

/// Whether macros or line ends may join parts of words.
bool joins_words(std::string_view text) {
  if (text.find("##") != text.npos) return true;
  std::size_t at = text.find('\\');
  for (; at != text.npos; at = text.find('\\', at + 1)) {
    const std::size_t newline = text.substr(at + 1).starts_with('\r') ? at + 2 : at + 1;
    const bool is_splice = text.substr(newline).starts_with('\n');
    if (is_splice && at > 0 && is_letter(text[at - 1]) && newline + 1 < text.size() &&
        is_letter(text[newline + 1])) {
      return true;
    }
  }
  return false;
}

/// The first type name of constants that a C text defines as a macro; empty if there is none.
std::string_view type_macro(std::string_view text) {
  constexpr std::array<std::string_view, 10> kTypes{"int8_t",  "uint8_t",  "int16_t", "uint16_t",
                                                    "int32_t", "uint32_t", "int64_t", "uint64_t",
                                                    "float",   "double"};
  constexpr std::string_view kDefine = "define";
  std::size_t at = text.find(kDefine);
  for (; at != text.npos; at = text.find(kDefine, at + 1)) {
    std::size_t begin = at + kDefine.size();
    while (begin < text.size() && is_blank(text[begin])) ++begin;
    std::size_t end = begin;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    if (std::ranges::find(kTypes, word) != kTypes.end()) return word;
  }
  return {};
}

/// Whether the user may have added this file, with code that uses declarations of a module's C.
bool may_have_code(const Member& member) {
  constexpr std::array<std::string_view, 10> kEnds{".c",   ".h",   ".cc",  ".hh", ".cpp",
                                                   ".hpp", ".cxx", ".inc", ".s",  ".S"};
  const auto is_end = [&](std::string_view end) { return member.name.ends_with(end); };
  return member.type == archive::MemberType::file &&
         (member.name.starts_with("codegen/host/include/") || std::ranges::any_of(kEnds, is_end));
}

/// The name of the tensor that the entry of packed calls declares for a pool and passes to main.
std::string tensor_of(const std::string& pool) {
  return pool + "_dltensor";
}
constexpr std::size_t kUsesOfTensor = 2;

/// Counts each word of `counts` in a C text, and checks that a pool occurs only in the forms that
/// TVM writes: `struct POOL {`, `} POOL =`, and once `&POOL`, as an argument of a function that
/// `is_taker` accepts or as the data of a tensor.
class WordCounts {
 public:
  explicit WordCounts(std::function<bool(std::string_view)> is_taker = {})
      : is_taker_(std::move(is_taker)) {}

  void watch(const std::string& word) { counts_.try_emplace(word); }
  void watch_pool(const std::string& pool) { pools_.try_emplace(pool); }

  void read(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = word_end(text, at);
      if (end == at) {
        ++at;
        continue;
      }
      take(text, text.substr(at, end - at), at, end);
      at = end;
    }
  }

  std::size_t of(std::string_view word) const {
    const auto found = counts_.find(word);
    return found == counts_.end() ? 0 : found->second;
  }
  bool is_pool_clear(std::string_view pool) const {
    const auto found = pools_.find(pool);
    return found != pools_.end() && !found->second.is_used && found->second.is_given;
  }

 private:
  static std::size_t word_end(std::string_view text, std::size_t at) {
    while (at < text.size() && is_letter(text[at])) ++at;
    return at;
  }
  static char before(std::string_view text, std::size_t at) {
    while (at > 0 && is_blank(text[at - 1])) --at;
    return at == 0 ? '\0' : text[at - 1];
  }
  static char behind(std::string_view text, std::size_t at) {
    while (at < text.size() && is_blank(text[at])) ++at;
    return at == text.size() ? '\0' : text[at];
  }

  struct PoolWords {
    bool is_given = false;  ///< to functions that TVM wrote
    bool is_used = false;   ///< in another way
  };

  void take(std::string_view text, std::string_view word, std::size_t begin, std::size_t end) {
    const auto count = counts_.find(word);
    if (count != counts_.end()) ++count->second;
    const auto pool = pools_.find(word);
    if (pool == pools_.end() || pool->second.is_used) return;
    const char next = behind(text, end);
    const bool is_tag = text.substr(0, begin).ends_with("struct ") && next == '{';
    const bool is_defined = before(text, begin) == '}' && next == '=';
    if (is_tag || is_defined) return;
    pool->second.is_used = pool->second.is_given || !is_given(text, pool->first, begin, next);
    pool->second.is_given = true;
  }

  bool is_given(std::string_view text, const std::string& pool, std::size_t begin,
                char next) const {
    if (before(text, begin) != '&') return false;
    // A packed entry makes a tensor from the pool.
    const std::string tensor = "DLTensor" + tensor_of(pool) + "={.data=&";
    if (next == '}') return end_without_blanks(text, begin, tensor.size()) == tensor;
    const std::size_t ampersand = text.rfind('&', begin);
    return (next == ',' || next == ')') && is_taker_(called_around(text, ampersand));
  }

  std::function<bool(std::string_view)> is_taker_;
  std::map<std::string, std::size_t, std::less<>> counts_;
  std::map<std::string, PoolWords, std::less<>> pools_;
};

/// The name before the bracket of `T [attribute] name[N]`.
std::string declared_name(std::string_view text, const tir::DeclaredConstant& place) {
  const std::size_t bracket = text.find('[', place.type.end);
  std::size_t end = std::min(bracket, text.size());
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && is_letter(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}

class Reader {
 public:
  Reader(const Deployment& deployment, std::size_t module, const EditedMembers& edited,
         const tir::ReadLimits& limits)
      : deployment_(deployment), module_(module), edited_(edited), limits_(limits) {}

  CConstants read() && {
    for (const TirSource& c : get_or_throw(deployment_.generated_c(module_))) read_source(c);
    for (std::size_t i = 0; i < result_.readings.size(); ++i) collect(i);
    std::ranges::for_each(result_.readings, [this](CReading& one) { collect_pools(one); });
    for (std::size_t i = 0; i < result_.readings.size(); ++i) collect_uses(i);
    keep_pools();
    look_for_more();
    keep_by_uses();
    keep_by_words();
    find_unused();
    return std::move(result_);
  }

 private:
  void read_source(const TirSource& c) {
    tir::Places places;
    tir::Document document =
        get_or_throw(tir::read_c_with_places(edited_.files_of(c), limits_, places));
    ModuleConstants constants =
        constants_of(document.module, [](std::string_view) { return true; });
    result_.readings.push_back(
        {&c, std::move(document), std::move(places), std::move(constants), {}});
  }

  const Member& member_of(const CReading& reading, std::uint32_t file) const {
    return *reading.source->c_members[file];
  }

  /// A file that several readings share declares its constants once.
  void collect(std::size_t index) {
    CReading& reading = result_.readings[index];
    for (const tir::DeclaredConstant& place : reading.places.constants()) {
      const Member& member = member_of(reading, place.file);
      const auto [known, is_new] =
          by_place_.try_emplace({&member, place.values.begin}, result_.all.size());
      reading.declared.emplace(place.array, known->second);
      if (!is_new) continue;
      const Node array = reading.document.module.node(place.array);
      CConstant constant{
          .name = declared_name(edited_.text_of(member), place),
          .member = &member,
          .place = place,
          .dtype = array.dtype(f::NDArray::dtype),
          .data = array.bytes(f::NDArray::data).value_or(std::span<const std::byte>()),
          .after = {.dtype = array.dtype(f::NDArray::dtype)}};
      keep_if_visible(constant);
      result_.all.push_back(std::move(constant));
    }
  }

  /// TVM's arrays are static. Code outside of the archive may use an array that is not static.
  void keep_if_visible(CConstant& constant) const {
    const auto [begin, end] = constant.place.declaration;
    const std::string_view text = edited_.text_of(*constant.member);
    const bool is_member = constant.place.initializer.end > 0;
    const std::string_view before_type = text.substr(begin, constant.place.type.begin - begin);
    if (is_member || before_type.find("static") != before_type.npos) return;
    keep(constant.kept, "is visible to code outside of its file");
  }

  void collect_pools(const CReading& reading) {
    for (const ConstantPool& pool : reading.constants.pools) {
      const auto is_it = [&](const CPoolOfConstants& one) { return one.name == pool.name; };
      if (std::ranges::any_of(result_.pools, is_it)) continue;
      CPoolOfConstants found{.name = pool.name, .constants = {}};
      if (pool.constants.empty()) found.kept = "the application gives it";
      for (const PoolConstant& one : pool.constants) {
        const auto declared = reading.declared.find(one.array);
        if (declared == reading.declared.end()) {
          found.kept = "the C does not declare all of its constants";
          continue;
        }
        CConstant& constant = result_.all[declared->second];
        constant.pool = pool.name;
        constant.offset = constant.after.offset = one.offset;
        found.constants.push_back(declared->second);
        found.bytes = std::max(found.bytes, one.offset + constant.bytes());
      }
      found.new_bytes = found.bytes;
      result_.pools.push_back(std::move(found));
    }
  }

  void collect_uses(std::size_t index) {
    const CReading& reading = result_.readings[index];
    for (std::size_t i = 0; i < reading.constants.uses.size(); ++i) {
      const ConstantUse& use = reading.constants.uses[i];
      const auto declared = reading.declared.find(use.array);
      if (declared != reading.declared.end()) {
        result_.all[declared->second].uses.emplace_back(index, i);
      } else if (!use.pool.empty()) {
        keep_pool(use.pool, "'" + use.name + "' of '" + use.function + "' points into a constant");
      }
    }
  }

  static void keep(std::string& kept, std::string why) {
    if (kept.empty()) kept = std::move(why);
  }

  void keep_pool(std::string_view name, const std::string& why) {
    for (CPoolOfConstants& pool : result_.pools) {
      if (pool.name == name) keep(pool.kept, why);
    }
  }

  /// Keeps pools with offsets that cannot change: in statements that keep their text, and in
  /// functions without TIR.
  void keep_pools() {
    std::set<std::string, std::less<>> known;
    for (const CReading& reading : result_.readings) {
      for (const tir::NamedFunction& one : tir::functions_of(reading.document.module)) {
        known.emplace(one.symbol);
        if (has_text(one.function)) with_text_.emplace(one.symbol);
      }
    }
    for (const CReading& reading : result_.readings) {
      for (const FunctionSites& one : reading.constants.sites)
        with_pools_.emplace(one.symbol, &one);
    }
    for (const CReading& reading : result_.readings) {
      if (!reading.constants.pools_kept.empty()) keep_all_pools(reading.constants.pools_kept);
      for (const FunctionSites& function : reading.constants.sites) {
        for (const PoolArgument& argument : function.arguments) {
          if (is_pool_parameter(argument)) continue;
          keep_pool(argument.pool,
                    known.contains(argument.callee)
                        ? "'" + argument.callee + "' is given it in a parameter of another name"
                        : "'" + argument.callee + "' is given the pool, and its C is not here");
        }
      }
    }
    if (!with_text_.empty()) keep_all_pools(unread_statement_of(*with_text_.begin()));
  }

  /// A statement that is kept as text may use a constant whose declaration differs from TVM's form.
  void look_for_more() {
    if (!with_text_.empty()) result_.incomplete = unread_statement_of(*with_text_.begin());
    for (const CReading& reading : result_.readings) {
      for (const tir::Loss& loss : reading.document.losses) {
        const bool is_declaration =
            loss.code == tir::LossCode::unknown_construct && loss.scope == tir::LossScope::module;
        if (is_declaration) keep(result_.incomplete, loss.name);
      }
    }
  }

  static std::string unread_statement_of(const std::string& function) {
    return "'" + function + "' has a statement that mlf cannot read";
  }

  /// Whether the callee's parameter is this pool, so that its lets are known.
  bool is_pool_parameter(const PoolArgument& argument) const {
    const auto callee = with_pools_.find(argument.callee);
    if (callee == with_pools_.end()) return false;
    const FunctionSites& function = *callee->second;
    for (std::size_t i = 0; i < function.pools.size(); ++i) {
      const bool is_it = function.pool_parameters[i] == argument.parameter;
      if (is_it) return function.pools[i] == argument.pool;
    }
    return false;
  }

  void keep_all_pools(const std::string& why) {
    for (CPoolOfConstants& pool : result_.pools) keep(pool.kept, why);
  }

  static bool has_text(Node function) {
    bool has = false;
    tir::for_each_pre_order(function, [&](Node node) {
      has = has || node.is(Kind::OpaqueStmt) || node.is(Kind::OpaqueExpr);
    });
    return has;
  }

  void keep_by_uses() {
    for (CConstant& constant : result_.all) {
      if (constant.data.empty()) keep(constant.kept, "its data are not known");
      for (const auto& [reading, index] : constant.uses) {
        const ConstantUse& use = result_.readings[reading].constants.uses[index];
        if (!use.kept.empty()) keep(constant.kept, use.kept);
        if (with_text_.contains(use.function)) {
          keep(constant.kept, unread_statement_of(use.function));
        }
      }
    }
    for (const CReading& reading : result_.readings) keep_by_indices(reading);
  }

  void keep_by_indices(const CReading& reading) {
    const auto constant_of = [&](const ConstantUse& use) -> CConstant* {
      const auto declared = reading.declared.find(use.array);
      return declared == reading.declared.end() ? nullptr : &result_.all[declared->second];
    };
    const std::string why = "is loaded with an index that mlf cannot replace";
    std::map<NodeId, CConstant*> by_variable;
    for (const ConstantUse& use : reading.constants.uses) {
      CConstant* const constant = constant_of(use);
      if (constant == nullptr) continue;
      by_variable.emplace(use.variable, constant);
      const auto is_plain = [&](NodeId load) {
        return has_plain_indices(reading.document.module.node(load));
      };
      if (!std::ranges::all_of(use.loads, is_plain)) keep(constant->all_kept, why);
    }
    for (const auto& [load, place] : reading.places.loads()) {
      const auto found = by_variable.find(variable_of(reading.document.module.node(load)).id());
      if (found == by_variable.end()) continue;
      const std::string_view text = edited_.text_of(member_of(reading, place.file));
      if (!plain_index(text, place.range)) keep(found->second->all_kept, why);
    }
  }

  /// Runs last, so it counts only constants without another reason.
  void find_unused() {
    for (CConstant& constant : result_.all) {
      if (!constant.uses.empty()) continue;
      constant.is_unused = constant.kept.empty() && !constant.has_copy;
      keep(constant.kept, "no function uses it");
    }
  }

  /// By variable: the number of its loads in the text that can be edited.
  std::map<NodeId, std::size_t> loads_by_variable(const CReading& reading) const {
    std::map<NodeId, std::size_t> count;
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const auto& [load, place] : reading.places.loads()) {
      // The reader may read a statement twice.
      if (!seen.emplace(place.file, place.range.begin).second) continue;
      if (!c_load(edited_.text_of(member_of(reading, place.file)), place.range)) continue;
      ++count[variable_of(reading.document.module.node(load)).id()];
    }
    return count;
  }

  /// Keeps a constant whose name occurs anywhere but in its declaration, a let, or a load.
  void keep_by_words() {
    WordCounts words([this](std::string_view name) { return with_pools_.contains(name); });
    std::map<std::string, std::size_t> expected;
    for (const CConstant& constant : result_.all) {
      expected[constant.name] += constant.pool.empty() ? 1 : 2;
    }
    for (const CReading& reading : result_.readings) {
      const std::map<NodeId, std::size_t> loads = loads_by_variable(reading);
      for (const ConstantUse& use : reading.constants.uses) {
        const auto count = loads.find(use.variable);
        const std::size_t lets = use.pool.empty() ? 0 : 1;
        expected[use.name] += lets + (count == loads.end() ? 0 : count->second);
      }
    }
    const std::string pragma = "pack";
    words.watch(pragma);
    for (const auto& [word, count] : expected) words.watch(word);
    for (const CPoolOfConstants& pool : result_.pools) {
      words.watch_pool(pool.name);
      words.watch(tensor_of(pool.name));
    }
    for (const Member* const file : files_of(result_)) {
      const std::string_view text = edited_.text_of(*file);
      words.read(text);
      if (joins_words(text)) keep_all("its C joins parts of words");
      keep_where_types_are_macros(text);
      for (const MetadataCopy& copy : metadata_copies(text)) expect_copy(copy, text, expected);
    }
    const WordCounts others = words_of_others(expected);
    const auto is_clear = [&](const std::string& word) {
      return words.of(word) == expected[word] && others.of(word) == 0;
    };
    const std::string why = "the C names it in a place that mlf cannot read";
    for (CConstant& constant : result_.all) {
      if (!is_clear(constant.name)) {
        keep(constant.kept, why);
        keep_pool(constant.pool, "the C names '" + constant.name + "' where mlf cannot read it");
      }
      for (const auto& [reading, index] : constant.uses) {
        const ConstantUse& use = result_.readings[reading].constants.uses[index];
        if (!is_clear(use.name)) keep(constant.kept, why);
      }
    }
    for (CPoolOfConstants& pool : result_.pools) {
      const bool is_pool_clear = words.is_pool_clear(pool.name) && others.of(pool.name) == 0 &&
                                 words.of(tensor_of(pool.name)) <= kUsesOfTensor;
      if (!is_pool_clear) keep(pool.kept, why);
    }
    if (words.of(pragma) > 0) keep_all_pools("its C may have '#pragma pack'");
  }

  void keep_all(const std::string& why) {
    for (CConstant& constant : result_.all) keep(constant.kept, why);
    keep_all_pools(why);
  }

  void keep_where_types_are_macros(std::string_view text) {
    const std::string_view type = type_macro(text);
    if (!type.empty()) keep_all("its C has '" + std::string(type) + "' as a macro");
  }

  /// Counts words in code that is not the module's own C. Other modules declare static names, so
  /// equal names in their C are different objects.
  WordCounts words_of_others(const std::map<std::string, std::size_t>& names) {
    WordCounts words;
    for (const auto& [word, count] : names) words.watch(word);
    for (const CPoolOfConstants& pool : result_.pools) words.watch(pool.name);
    std::set<std::string_view> known;
    for (const Member* const file : files_of(result_)) known.insert(file->name);
    const auto& modules = deployment_.library().modules;
    for (std::size_t i = 0; i < modules.size(); ++i) {
      if (i == module_) continue;
      for (const FileRef& file : modules[i].files.sources) known.insert(file.name);
    }
    for (const Member& member : deployment_.archive().members()) {
      if (!may_have_code(member) || known.contains(member.name)) continue;
      words.read(edited_.text_of(member));
      keep_where_types_are_macros(edited_.text_of(member));
    }
    return words;
  }

  /// Notes the constant of an entry for the C++ runtime. An exact copy can be edited, so its words
  /// are expected.
  void expect_copy(const MetadataCopy& copy, std::string_view text,
                   std::map<std::string, std::size_t>& expected) {
    for (CConstant& constant : result_.all) {
      if (!is_copy_of(copy, constant)) continue;
      constant.has_copy = true;
      if (edits_of(copy, text, constant)) ++expected[copy.name];
    }
  }

  const Deployment& deployment_;
  std::size_t module_;
  const EditedMembers& edited_;
  const tir::ReadLimits& limits_;
  CConstants result_;
  std::map<std::pair<const Member*, std::uint32_t>, std::size_t> by_place_;
  std::set<std::string, std::less<>> with_text_;
  std::map<std::string, const FunctionSites*, std::less<>> with_pools_;  // by symbol
};

}  // namespace

std::set<const Member*> files_of(const CConstants& constants) {
  std::set<const Member*> files;
  for (const CReading& reading : constants.readings) {
    files.insert(reading.source->c_members.begin(), reading.source->c_members.end());
  }
  return files;
}

Node variable_of(Node load) {
  return load[f::BufferLoad::buffer][f::Buffer::data];
}

std::optional<tir::SourceRange> plain_index(std::string_view text, tir::SourceRange load) {
  constexpr std::string_view kOther = "_.()*+-/%,<> ";
  if (load.end <= load.begin || text[load.end - 1] != ']') return std::nullopt;
  std::uint32_t begin = load.end - 1;
  while (begin > load.begin && text[begin - 1] != '[') {
    --begin;
    if (!is_letter(text[begin]) && kOther.find(text[begin]) == kOther.npos) return std::nullopt;
  }
  if (begin == load.begin || begin + 1 == load.end) return std::nullopt;
  return tir::SourceRange{begin, load.end - 1};
}

bool has_plain_indices(Node load) {
  constexpr std::array<std::string_view, 6> kPure{"tir.shift_left",  "tir.shift_right",
                                                  "tir.bitwise_and", "tir.bitwise_or",
                                                  "tir.bitwise_xor", "tir.bitwise_not"};
  bool are_plain = true;
  for (const Node index : load.list(f::BufferLoad::indices)) {
    are_plain = are_plain && index.dtype() == tir::DType::Int(32);
    tir::for_each_pre_order(index, [&](Node node) {
      const auto is_it = [&](std::string_view op) { return tir::is_call_of(node, op); };
      are_plain = are_plain && (!node.is(Kind::Call) || std::ranges::any_of(kPure, is_it));
    });
  }
  return are_plain;
}

std::optional<CLoad> c_load(std::string_view text, tir::SourceRange range) {
  const std::string_view load = text.substr(range.begin, range.end - range.begin);
  if (load.empty() || load.front() != '(') {
    return load.empty() || !is_letter(load.front()) ? std::nullopt : std::optional(CLoad{});
  }
  constexpr std::string_view kCast = "((";
  const std::size_t star = load.find('*');
  if (!load.starts_with(kCast) || star == load.npos) return std::nullopt;
  const std::string_view type = load.substr(kCast.size(), star - kCast.size());
  if (type.empty() || !std::ranges::all_of(type, is_letter)) return std::nullopt;
  const auto begin = static_cast<std::uint32_t>(range.begin + kCast.size());
  return CLoad{tir::SourceRange{begin, static_cast<std::uint32_t>(begin + type.size())}};
}

CConstants read_constants(const Deployment& deployment, std::size_t module,
                          const EditedMembers& edited, const tir::ReadLimits& limits) {
  return Reader(deployment, module, edited, limits).read();
}

NewConstants new_constants_of(const CConstants& constants) {
  NewConstants wanted;
  for (const CPoolOfConstants& pool : constants.pools) {
    if (!pool.kept.empty()) continue;
    wanted.pool_sizes.emplace(pool.name, NumberChange{pool.bytes, pool.new_bytes});
    for (const std::size_t index : pool.constants) {
      const CConstant& one = constants.all[index];
      wanted.in_pools.emplace(std::pair(pool.name, one.offset), one.after);
    }
  }
  for (const CReading& reading : constants.readings) {
    for (const ConstantUse& use : reading.constants.uses) {
      if (!use.pool.empty()) continue;
      const auto declared = reading.declared.find(use.array);
      wanted.arrays[use.function].push_back(declared == reading.declared.end()
                                                ? NewConstant{use.element}
                                                : constants.all[declared->second].after);
    }
  }
  return wanted;
}

}  // namespace mlf::optimize
