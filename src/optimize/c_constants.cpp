#include "optimize/c_constants.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "optimize/other_code.h"
#include "support/characters.h"
#include "support/error.h"
#include "tir/c/c.h"
#include "tir/c/write/code.h"
#include "tir/c/write/constants.h"
#include "tir/pools.h"
#include "tir/save_json/layout.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using support::get_or_throw;
using tir::Node;
using tir::NodeId;
using tir::SourceRange;
namespace f = tir::f;

// --- Copies of pool constants for TVM's C++ runtime, in packed archives --------------------------

/// A `TVMConstantInfo` of `get_c_metadata`, with a serialised NDArray as a string. TVM writes
/// (src/target/metadata_utils.cc)
///     "w_let" /* name_hint*/,
///     64UL /* byte_offset*/,
///     88,
///     "\x3f\xa1…"
struct MetadataCopy {
  std::string name;
  std::uint64_t offset = 0;      ///< in the pool
  tir::SourceRange offset_text;  ///< its digits
  tir::SourceRange length_text;
  tir::SourceRange data_text;  ///< between the quotes
};

constexpr std::string_view kBehindName = "\" /* name_hint*/, \n";
constexpr std::string_view kBehindOffset = "UL /* byte_offset*/, \n";
constexpr std::string_view kBehindLength = ", \n\"";
constexpr std::string_view kEscape = "\\x";
constexpr std::size_t kEscapeLength = 4;

/// The number at `begin`, if `behind` follows its digits.
std::optional<std::uint64_t> number_before(std::string_view text, std::size_t begin,
                                           std::string_view behind, SourceRange& range) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  range = edit::at(begin, static_cast<std::size_t>(end - text.data()));
  const bool is_number = error == std::errc() && text.substr(range.end).starts_with(behind);
  return is_number ? std::optional(value) : std::nullopt;
}

/// The entry whose name ends at `quote`.
std::optional<MetadataCopy> copy_at(std::string_view text, std::size_t quote) {
  const std::size_t open = quote == 0 ? text.npos : text.rfind('"', quote - 1);
  if (open == text.npos) return std::nullopt;
  MetadataCopy copy;
  copy.name = text.substr(open + 1, quote - open - 1);
  const auto offset =
      number_before(text, quote + kBehindName.size(), kBehindOffset, copy.offset_text);
  if (!offset) return std::nullopt;
  copy.offset = *offset;
  const auto length = number_before(text, copy.offset_text.end + kBehindOffset.size(),
                                    kBehindLength, copy.length_text);
  const std::size_t begin = copy.length_text.end + kBehindLength.size();
  if (!length || *length > (text.size() - begin) / kEscapeLength) return std::nullopt;
  copy.data_text = edit::at(begin, begin + *length * kEscapeLength);
  return text.substr(copy.data_text.end).starts_with('"') ? std::optional(copy) : std::nullopt;
}

std::optional<std::vector<std::byte>> unescaped(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += kEscapeLength) {
    std::uint8_t value = 0;
    const char* const digits = text.data() + i + kEscape.size();
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    const bool is_escape =
        text.substr(i).starts_with(kEscape) && error == std::errc() && end == digits + 2;
    if (!is_escape) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

std::string escaped(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size() * kEscapeLength);
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<std::size_t>(byte);
    text += kEscape;
    text += kDigits[value / kDigits.size()];
    text += kDigits[value % kDigits.size()];
  }
  return text;
}

/// The NDArray of the entry, if it has the type and data of the constant.
std::optional<tir::save_json::Tensor> exact_copy(const MetadataCopy& copy, std::string_view text,
                                                 const CConstant& constant) {
  auto bytes = unescaped(edit::text_in(text, copy.data_text));
  if (!bytes) return std::nullopt;
  auto tensor = tir::save_json::tensor_of(*std::move(bytes));
  const bool is_it =
      tensor && tensor->dtype == constant.dtype && std::ranges::equal(tensor->data, constant.data);
  return is_it ? std::optional(*std::move(tensor)) : std::nullopt;
}

/// The entries of a file of C that have this form.
std::vector<MetadataCopy> metadata_copies(std::string_view text) {
  std::vector<MetadataCopy> copies;
  std::size_t quote = text.find(kBehindName);
  while (quote != text.npos) {
    if (auto copy = copy_at(text, quote)) copies.push_back(std::move(*copy));
    quote = text.find(kBehindName, quote + kBehindName.size());
  }
  return copies;
}

/// Whether this is the entry of the constant.
bool is_copy_of(const MetadataCopy& copy, const CConstant& constant) {
  return !constant.pool.empty() && constant.name == copy.name && constant.offset == copy.offset;
}

/// The edits that update a copy to the new constant; nullopt if it is not exact.
std::optional<std::vector<edit::Edit>> edits_of(const MetadataCopy& copy, std::string_view text,
                                                const CConstant& constant) {
  auto tensor = exact_copy(copy, text, constant);
  if (!tensor) return std::nullopt;
  if (constant.after.is_single()) std::ranges::fill(tensor->shape, 1);
  const std::vector<std::byte> data = constant.new_data();
  std::vector<std::byte> bytes =
      tir::save_json::tensor_header(constant.after.dtype, tensor->shape, data.size());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return std::vector<edit::Edit>{{copy.offset_text, std::to_string(constant.after.offset)},
                                 {copy.length_text, std::to_string(bytes.size())},
                                 {copy.data_text, escaped(bytes)}};
}

// --- Reading -------------------------------------------------------------------------------------

/// The name before the bracket of `T [attribute] name[N]`.
std::string declared_name(std::string_view text, const tir::DeclaredConstant& place) {
  const std::size_t bracket = text.find('[', place.type.end);
  std::size_t end = std::min(bracket, text.size());
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(tir::c::word_before(text, end));
}

/// The files of C of the readings.
std::set<const Member*> files_of(const CConstants& constants) {
  std::set<const Member*> files;
  for (const CReading& reading : constants.readings) {
    files.insert(reading.tir.files.begin(), reading.tir.files.end());
  }
  return files;
}

/// TVM's arrays are static. Code outside of the archive may use an array that is not static.
void keep_if_visible(CConstant& constant, std::string_view text) {
  const auto [begin, end] = constant.place.declaration;
  const bool is_member = constant.place.initializer.end > 0;
  const std::string_view before_type = text.substr(begin, constant.place.type.begin - begin);
  if (is_member || before_type.find("static") != before_type.npos) return;
  keep(constant.kept, "is visible to code outside of its file");
}

void collect_pools(const CReading& reading, CConstants& result) {
  for (const ConstantPool& pool : reading.constants.pools) {
    const auto is_it = [&](const CPoolOfConstants& one) { return one.name == pool.name; };
    if (std::ranges::any_of(result.pools, is_it)) continue;
    CPoolOfConstants found{.name = pool.name, .constants = {}};
    if (pool.constants.empty()) found.kept = "the application gives it";
    for (const PoolConstant& one : pool.constants) {
      const auto declared = reading.declared.find(one.array);
      if (declared == reading.declared.end()) {
        found.kept = "the C does not declare all of its constants";
        continue;
      }
      CConstant& constant = result.all[declared->second];
      constant.pool = pool.name;
      constant.offset = constant.after.offset = one.offset;
      found.constants.push_back(declared->second);
      found.bytes = std::max(found.bytes, one.offset + constant.bytes());
    }
    found.new_bytes = found.bytes;
    result.pools.push_back(std::move(found));
  }
}

void collect_uses(const CReading& reading, CConstants& result) {
  for (const ConstantUse& use : reading.constants.uses) {
    if (const auto constant = reading.constant_of(use)) {
      result.all[*constant].uses.push_back(&use);
    } else if (!use.key.pool.empty()) {
      result.keep_pool(use.key.pool,
                       "'" + use.name + "' of '" + use.function + "' points into a constant");
    }
  }
}

/// Runs last, so it counts only constants without another reason.
void find_unused(CConstants& result) {
  for (CConstant& constant : result.all) {
    // TVM also declares constants that no code reads in the function that owns them.
    if (!std::ranges::all_of(constant.uses, &ConstantUse::is_unread)) continue;
    constant.is_unused = constant.kept.empty() && !constant.has_copy;
    if (constant.uses.empty()) keep(constant.kept, "no function uses it");
  }
}

/// Notes the constant of an entry for the C++ runtime. An exact copy can be edited, so its words
/// are expected.
void expect_copy(const MetadataCopy& copy, std::string_view text,
                 std::map<std::string, std::size_t>& expected, CConstants& result) {
  for (CConstant& constant : result.all) {
    if (!is_copy_of(copy, constant)) continue;
    constant.has_copy = true;
    if (exact_copy(copy, text, constant)) ++expected[copy.name];
  }
}

/// The number of loads through `variable` in the text that can be edited.
std::size_t editable_loads(const CReading& reading, NodeId variable,
                           const edit::EditedMembers& edited) {
  return static_cast<std::size_t>(
      std::ranges::count_if(reading.tir.loads_of(variable), [&](const tir::Place& place) {
        return type_of_c_load(edited.text_of(*reading.tir.files[place.file]), place.range)
            .has_value();
      }));
}

class Reader {
 public:
  Reader(std::size_t module, const OtherCode& others, edit::EditedMembers& edited)
      : deployment_(edited.deployment()), module_(module), others_(others), edited_(edited) {}

  CConstants read() && {
    for (const TirSource& c : get_or_throw(deployment_.generated_c(module_))) read_source(c);
    for (CReading& one : result_.readings) collect(one);
    for (const CReading& one : result_.readings) collect_pools(one, result_);
    for (const CReading& one : result_.readings) collect_uses(one, result_);
    keep_pools();
    look_for_more();
    keep_by_uses();
    keep_by_words();
    find_unused(result_);
    return std::move(result_);
  }

 private:
  void read_source(const TirSource& c) {
    edit::PlacedTir tir = edited_.take_tir(c);
    const tir::Module& module = tir.document.module;
    ModuleConstants constants = constants_of(module, tir::prim_functions_of(module));
    result_.readings.push_back({std::move(tir), std::move(constants), {}});
  }

  /// A file that several readings share declares its constants once.
  void collect(CReading& reading) {
    for (const tir::DeclaredConstant& place : reading.tir.places.constants) {
      const Member& member = *reading.tir.files[place.file];
      const auto [known, is_new] =
          by_place_.try_emplace({&member, place.values.begin}, result_.all.size());
      reading.declared.emplace(place.array, known->second);
      if (!is_new) continue;
      const Node array = reading.tir.document.module.node(place.array);
      CConstant constant{
          .name = declared_name(edited_.text_of(member), place),
          .member = &member,
          .place = place,
          .dtype = array.dtype(f::NDArray::dtype),
          .data = array.bytes(f::NDArray::data).value_or(std::span<const std::byte>()),
          .after = {.dtype = array.dtype(f::NDArray::dtype)}};
      keep_if_visible(constant, edited_.text_of(member));
      result_.all.push_back(std::move(constant));
    }
  }

  /// Keeps pools with offsets that cannot change: in statements that keep their text, and in
  /// functions without TIR.
  void keep_pools() {
    std::set<std::string, std::less<>> known;
    for (const CReading& reading : result_.readings) {
      for (const tir::NamedFunction& one : tir::functions_of(reading.tir.document.module)) {
        known.emplace(one.symbol);
        if (has_text(one.function)) with_text_.emplace(one.symbol);
      }
      for (const FunctionSites& one : reading.constants.sites)
        with_pools_.emplace(one.symbol, &one);
    }
    for (const CReading& reading : result_.readings) {
      if (!reading.constants.pools_kept.empty())
        result_.keep_all_pools(reading.constants.pools_kept);
      for (const FunctionSites& function : reading.constants.sites) {
        for (const PoolArgument& argument : function.arguments) {
          if (is_pool_parameter(argument)) continue;
          result_.keep_pool(
              argument.pool,
              known.contains(argument.callee)
                  ? "'" + argument.callee + "' is given it in a parameter of another name"
                  : "'" + argument.callee + "' is given the pool, and its C is not here");
        }
      }
    }
    if (!with_text_.empty()) result_.keep_all_pools(unread_statement_of(*with_text_.begin()));
  }

  /// A statement that is kept as text may use a constant whose declaration differs from TVM's form.
  void look_for_more() {
    if (!with_text_.empty()) result_.incomplete = unread_statement_of(*with_text_.begin());
    for (const CReading& reading : result_.readings) {
      for (const tir::Loss& loss : reading.tir.document.losses) {
        const bool is_declaration =
            loss.code == tir::LossCode::unknown_construct && loss.scope == tir::LossScope::module;
        if (is_declaration) keep(result_.incomplete, loss.name);
      }
    }
  }

  /// Whether the callee's parameter is this pool, so that its lets are known.
  bool is_pool_parameter(const PoolArgument& argument) const {
    const auto callee = with_pools_.find(argument.callee);
    return callee != with_pools_.end() && callee->second->takes(argument.pool, argument.parameter);
  }

  void keep_by_uses() {
    for (CConstant& constant : result_.all) {
      if (constant.data.empty()) keep(constant.kept, "its data are not known");
      for (const ConstantUse* const use : constant.uses) {
        if (!use->kept.empty()) keep(constant.kept, use->kept);
        if (with_text_.contains(use->function)) {
          keep(constant.kept, unread_statement_of(use->function));
        }
      }
    }
    for (const CReading& reading : result_.readings) {
      for (const ConstantUse& use : reading.constants.uses) {
        const auto index = reading.constant_of(use);
        if (!index || may_have_one_element(use, reading.tir, edited_)) continue;
        keep(result_.all[*index].all_kept, "is loaded with an index that mlf cannot replace");
      }
    }
  }

  /// Keeps a constant whose name occurs anywhere but in its declaration, a let, or a load.
  void keep_by_words() {
    tir::c::WordCounts words;
    std::map<std::string, std::size_t> expected;
    for (const CConstant& constant : result_.all) {
      expected[constant.name] += constant.pool.empty() ? 1 : 2;
    }
    for (const CReading& reading : result_.readings) {
      for (const ConstantUse& use : reading.constants.uses) {
        const std::size_t lets = use.key.pool.empty() ? 0 : 1;
        expected[use.name] += lets + editable_loads(reading, use.variable, edited_);
      }
    }
    const std::string pragma = "pack";
    words.try_emplace(pragma);
    for (const auto& [word, count] : expected) words.try_emplace(word);
    const std::set<const Member*> files = files_of(result_);
    for (const Member* const file : files) {
      const std::string_view text = edited_.text_of(*file);
      count_words(*file, words);
      for (const MetadataCopy& copy : metadata_copies(text))
        expect_copy(copy, text, expected, result_);
    }
    const ModuleCode code(module_, others_, edited_);
    keep_by_code(code, expected);
    tir::c::WordCounts unread = words_of_unread(expected, files);
    const auto is_clear = [&](const std::string& word) {
      return words[word] == expected[word] && unread[word] == 0 &&
             others_.place_of(word, files).empty();
    };
    const std::string why = "the C names it in a place that mlf cannot read";
    for (CConstant& constant : result_.all) {
      if (!is_clear(constant.name)) {
        keep(constant.kept, why);
        result_.keep_pool(constant.pool,
                          "the C names '" + constant.name + "' where mlf cannot read it");
      }
      for (const ConstantUse* const use : constant.uses) {
        if (!is_clear(use->name)) keep(constant.kept, why);
      }
    }
    for (CPoolOfConstants& pool : result_.pools) {
      const PoolNames names =
          code.names_of_pool(pool.name, [&](std::string_view function, std::size_t parameter) {
            return is_pool_parameter({std::string(function), pool.name, parameter});
          });
      if (!names.other_use.empty()) keep(pool.kept, "other code may use it: " + names.other_use);
      if (!names.is_given) keep(pool.kept, "no call of the C passes it");
      for (const auto& [symbol, sites] : with_pools_) {
        if (unread[symbol] == 0 && others_.place_of(symbol, files).empty()) continue;
        keep(pool.kept, "other code may pass other constants to '" + symbol + "'");
      }
    }
    if (words[pragma] > 0) result_.keep_all_pools("its C may have '#pragma pack'");
  }

  /// Keeps all constants if code may use them by parts of their names, or by their section.
  void keep_by_code(const ModuleCode& code, const std::map<std::string, std::size_t>& expected) {
    std::set<std::string, std::less<>> names;
    for (const auto& [word, count] : expected) names.insert(word);
    for (const CPoolOfConstants& pool : result_.pools) names.insert(pool.name);
    const std::string joined = code.joined(names);
    if (!joined.empty()) keep_all(joined + " may join parts of names");
    const std::string section = code.use_of_sections();
    if (!section.empty()) keep_all("other code may use a section of the C: " + section);
  }

  void keep_all(const std::string& why) {
    for (CConstant& constant : result_.all) keep(constant.kept, why);
    result_.keep_all_pools(why);
  }

  void count_words(const Member& file, tir::c::WordCounts& words) {
    const std::string_view text = edited_.text_of(file);
    tir::c::count_words(code_of(file, text), words);
    keep_where_a_type_is(tir::c::type_macro(text));
  }

  void keep_where_a_type_is(std::string_view macro) {
    if (!macro.empty()) keep_all("its C has '" + std::string(macro) + "' as a macro");
  }

  /// Counts words in C of the module that has no TIR. Other modules declare static names, so equal
  /// names in their C are different objects.
  tir::c::WordCounts words_of_unread(const std::map<std::string, std::size_t>& names,
                                     const std::set<const Member*>& files) {
    tir::c::WordCounts words;
    for (const auto& [word, count] : names) words.try_emplace(word);
    for (const auto& [symbol, sites] : with_pools_) words.try_emplace(symbol);
    for (const FileRef& file : deployment_.library().modules[module_].files.sources) {
      const Member* const member = deployment_.archive().find(file.name);
      if (member == nullptr || !may_have_code(*member) || files.contains(member)) continue;
      count_words(*member, words);
    }
    keep_where_a_type_is(others_.type_macro(files));
    return words;
  }

  const Deployment& deployment_;
  std::size_t module_;
  const OtherCode& others_;
  edit::EditedMembers& edited_;
  CConstants result_;
  std::map<std::pair<const Member*, std::uint32_t>, std::size_t> by_place_;
  std::set<std::string, std::less<>> with_text_;
  std::map<std::string, const FunctionSites*, std::less<>> with_pools_;  // by symbol
};

}  // namespace

CConstants read_constants(std::size_t module, const OtherCode& others,
                          edit::EditedMembers& edited) {
  return Reader(module, others, edited).read();
}

NewConstants new_constants_of(const CConstants& constants) {
  NewConstants wanted;
  for (const CPoolOfConstants& pool : constants.pools) {
    if (!pool.kept.empty()) continue;
    wanted.pool_sizes.emplace(pool.name, edit::NumberChange{pool.bytes, pool.new_bytes});
    for (const std::size_t index : pool.constants) {
      const CConstant& one = constants.all[index];
      wanted.constants.emplace(ConstantKey::in_pool(pool.name, one.offset), one.after);
    }
  }
  for (const CReading& reading : constants.readings) {
    for (const ConstantUse& use : reading.constants.uses) {
      const auto index = reading.constant_of(use);
      if (use.key.pool.empty() && index)
        wanted.constants.emplace(use.key, constants.all[*index].after);
    }
  }
  return wanted;
}

namespace {

class CEditor {
 public:
  CEditor(const CConstants& constants, const edit::EditedMembers& edited)
      : constants_(constants), edited_(edited) {}

  edit::FileEdits run() && {
    for (const CConstant& constant : constants_.all) {
      if (constant.after.is_removed) {
        remove(constant);
      } else {
        declare(constant);
      }
    }
    for (const CPoolOfConstants& pool : constants_.pools) change_total(pool);
    for (const CReading& reading : constants_.readings) restrict_pools(reading);
    for (const Member* const file : files_of(constants_)) change_copies(*file);
    return std::move(edits_);
  }

 private:
  void edit(const Member& member, SourceRange range, std::string text) {
    edits_[&member].push_back({range, std::move(text)});
  }

  void remove(const CConstant& constant) {
    const std::string_view text = edited_.text_of(*constant.member);
    edit(*constant.member, edit::whole_lines(text, constant.place.declaration), {});
    if (constant.pool.empty()) return;
    edit(*constant.member, edit::whole_lines(text, constant.place.initializer), {});
  }

  void declare(const CConstant& constant) {
    const tir::DType dtype = constant.after.dtype;
    if (constant.after.is_single()) edit(*constant.member, constant.place.count, "1");
    if (dtype != constant.dtype) {
      edit(*constant.member, constant.place.type, tir::c::type_text(dtype));
      if (dtype.element_bytes() == 1) drop_packed(constant);
    }
    if (constant.after.changes(constant.dtype)) {
      edit(*constant.member, constant.place.values, values_of(constant));
    }
    if (!constant.pool.empty()) change_comment(constant);
  }

  /// gcc warns about `packed` members that have no alignment requirement.
  void drop_packed(const CConstant& constant) {
    constexpr std::array<std::string_view, 2> kPacked{"packed, ", ", packed"};
    const std::string_view text = edited_.text_of(*constant.member);
    const auto [begin, end] = constant.place.declaration;
    for (const std::string_view form : kPacked) {
      const std::size_t packed = text.substr(0, end).find(form, begin);
      if (packed == text.npos) continue;
      return edit(*constant.member, edit::at(packed, packed + form.size()), {});
    }
  }

  /// The blanks after the last row stay.
  std::string values_of(const CConstant& constant) const {
    const std::string_view text = edited_.text_of(*constant.member);
    const auto [begin, end] = constant.place.values;
    const std::string_view old = text.substr(begin, end - begin);
    std::string values = old.starts_with('\n') ? "\n" : "";
    tir::c::write_data([&](std::string_view rows) { values += rows; }, constant.after.dtype,
                       constant.new_data());
    const std::size_t last = old.find_last_not_of(' ');
    if (last != old.npos && old[last] == '\n') values += old.substr(last + 1);
    return values;
  }

  /// `// 8192 bytes, aligned offset: 24576` after a member. A comment with other text stays,
  /// because nothing depends on it.
  void change_comment(const CConstant& constant) {
    const std::string_view text = edited_.text_of(*constant.member);
    const std::string old = comment(constant.bytes(), constant.offset);
    const std::size_t end = constant.place.declaration.end;
    const std::size_t begin = text.substr(0, text.find('\n', end)).find("//", end);
    if (begin == text.npos || text.substr(begin, old.size()) != old) return;
    edit(*constant.member, edit::at(begin, begin + old.size()),
         comment(constant.new_bytes(), constant.after.offset));
  }
  static std::string comment(std::uint64_t bytes, std::uint64_t offset) {
    return fmt::format("// {} bytes, aligned offset: {}\n", bytes, offset);
  }

  /// `}// of total size 53296 bytes` after the values of a pool.
  void change_total(const CPoolOfConstants& pool) {
    if (!pool.kept.empty() || pool.constants.empty()) return;
    const CConstant& last = constants_.all[pool.constants.back()];
    const std::string_view text = edited_.text_of(*last.member);
    const std::string old = fmt::format("// of total size {} bytes", pool.bytes);
    const std::size_t begin = text.find(old, last.place.initializer.end);
    if (begin == text.npos) return;
    edit(*last.member, edit::at(begin, begin + old.size()),
         fmt::format("// of total size {} bytes", pool.new_bytes));
  }

  void change_copies(const Member& file) {
    const std::string_view text = edited_.text_of(file);
    for (const MetadataCopy& copy : metadata_copies(text)) {
      for (const CConstant& constant : constants_.all) {
        if (!is_copy_of(copy, constant)) continue;
        auto edits = edits_of(copy, text, constant);
        if (!edits) continue;
        std::ranges::move(*edits, std::back_inserter(edits_[&file]));
      }
    }
  }

  void restrict_pools(const CReading& reading) {
    for (const ConstantUse& use : reading.constants.uses) {
      const auto index = reading.constant_of(use);
      if (!index || use.key.pool.empty() || use.loads.empty()) continue;
      const CConstant& constant = constants_.all[*index];
      const bool is_byte = constant.after.dtype.element_bytes() == 1;
      if (is_byte && constant.after.changes(constant.dtype)) restrict_pool(reading, use);
    }
  }

  /// Compilers must assume that bytes overlap everything that a loop stores. No program writes to a
  /// pool of constants, so its pointer may be `restrict` (C11 6.7.3.1). With it, gcc -O2 needs a
  /// tenth fewer instructions for keyword spotting than for the wider type.
  void restrict_pool(const CReading& reading, const ConstantUse& use) {
    for (const FunctionSites& function : reading.constants.sites) {
      if (function.symbol != use.function) continue;
      const tir::Node node = reading.tir.document.module.node(function.function);
      const tir::NodeMap buffers = node.map(f::PrimFunc::buffer_map);
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (tir::pool_name(buffers.key(i).text(f::Var::name)) != use.key.pool) continue;
        const tir::NodeId data = buffers.value(i)[f::Buffer::data].id();
        const tir::Place* const name = support::find_value(reading.tir.places.parameters, data);
        if (name == nullptr) continue;
        const Member& member = *reading.tir.files[name->file];
        const std::string_view before = edited_.text_of(member).substr(0, name->range.begin);
        const bool is_restrict = before.ends_with("restrict ") || before.ends_with("restrict__ ");
        if (!is_restrict) edit(member, name->range, "__restrict ");
      }
    }
  }

  const CConstants& constants_;
  const edit::EditedMembers& edited_;
  edit::FileEdits edits_;
};

}  // namespace

edit::FileEdits declaration_edits(const CConstants& constants, const edit::EditedMembers& edited) {
  return CEditor(constants, edited).run();
}

}  // namespace mlf::optimize
