#include "commands/budget_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "archive/output_file.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/numbers.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace mlf::program {
namespace {

// A line for each module and finding: at most a few thousand lines.
constexpr std::uint64_t kMostBytes = 16u << 20;

constexpr std::string_view kMemory = "memory";

/// The table that contains the tables of single modules.
constexpr std::string_view kModules = "modules";

// --- What toml++ must not see -------------------------------------------------------------------

struct TomlFault {
  std::string what;
  std::uint32_t line = 1;    ///< 1-based
  std::uint32_t column = 1;  ///< 1-based, in bytes
};

/// The most dots, `[` and `{` in one statement of TOML, outside of strings and comments. Each is at
/// most one level of nesting.
constexpr unsigned kMostTomlNesting = 64;

/// Scans a text once. If the text is not TOML, the parser stops at the first error, so the rest
/// does not matter.
class Scan {
 public:
  /// toml++ skips a byte order mark.
  explicit Scan(std::string_view text)
      : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  std::optional<TomlFault> run() {
    bool is_statement_begin = true;
    while (at_ < text_.size()) {
      const std::size_t key = is_statement_begin ? key_of_head() : std::string_view::npos;
      if (key < text_.size() && !begins_key(text_[key])) {
        return fault("expected the key of a table", key);
      }
      const char last = text_[at_];
      step();
      is_statement_begin = last == '\n' && open_ == 0;
      // toml++ makes a table of each part of a dotted key, and destroys tables by recursion.
      if (nesting_ > kMostTomlNesting) {
        return fault(fmt::format("nested more than {} deep", kMostTomlNesting), at_ - 1);
      }
    }
    return std::nullopt;
  }

 private:
  /// Where the key begins if the head of a table is next: toml++ assumes that one is there.
  std::size_t key_of_head() const {
    constexpr std::string_view kBlanks = " \t";
    const std::size_t begin = text_.find_first_not_of(kBlanks, at_);
    if (begin == std::string_view::npos || text_[begin] != '[') return std::string_view::npos;
    const bool is_array = text_.substr(begin).starts_with("[[");
    return text_.find_first_not_of(kBlanks, begin + (is_array ? 2 : 1));
  }

  /// True for the bracket of an empty head, too: toml++ refuses that with a better message.
  static bool begins_key(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-\"']").find(c) != std::string_view::npos;
  }

  void step() {
    switch (const char c = text_[at_++]) {
      case '#':
        at_ = std::min(text_.find('\n', at_), text_.size());
        break;
      case '"':
      case '\'':
        skip_string(c);
        break;
      case '[':
      case '{':
        ++open_;
        ++nesting_;
        break;
      case ']':
      case '}':
        if (open_ > 0) --open_;
        break;
      case '.':
        ++nesting_;
        break;
      case '\n':
        if (open_ == 0) nesting_ = 0;  // the next statement
        break;
      default:
        break;
    }
  }

  void skip_string(char quote) {
    const bool is_triple = text_.substr(at_, 2) == std::string(2, quote);
    if (is_triple) at_ += 2;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      // Only strings in double quotes have escapes.
      if (c == '\\' && quote == '"') ++at_;
      if (c == '\n' && !is_triple) return;
      if (c == quote && !is_triple) return;
      if (c == quote && text_.substr(at_, 2) == std::string(2, quote)) return end_triple(quote);
    }
    at_ = text_.size();
  }

  /// The string may end with up to two more quotes.
  void end_triple(char quote) {
    at_ += 2;
    for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
  }

  TomlFault fault(std::string what, std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1;
    return {std::move(what), static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
            static_cast<std::uint32_t>(before.size() - line_begin + 1)};
  }

  std::string_view text_;
  std::size_t at_;
  unsigned open_ = 0;     ///< brackets and braces
  unsigned nesting_ = 0;  ///< of the statement so far
};

/// Throws `Error` of kind `invalid_input` with line and column, also for deep nesting.
toml::table parse_toml(std::string_view text, const std::string& path) {
  if (auto fault = Scan(text).run()) {
    throw support::Error(ErrorKind::invalid_input, std::move(fault->what),
                         {.file = path, .line = fault->line, .column = fault->column});
  }
  toml::parse_result document = toml::parse(text, path);
  if (document) return std::move(document).table();
  const toml::parse_error& error = document.error();
  const toml::source_position& begin = error.source().begin;
  throw support::Error(ErrorKind::invalid_input, std::string(error.description()),
                       {.file = path, .line = begin.line, .column = begin.column});
}

// --- Reading ------------------------------------------------------------------------------------

Location place_of(const toml::source_region& region, const std::string& path) {
  return {.file = path, .line = region.begin.line, .column = region.begin.column};
}

/// Reads a budget or a board from a document; `path` is its name in errors.
class BudgetReader {
 public:
  explicit BudgetReader(const std::string& path) : path_(path) {}

  Budget read(const toml::table& document) const {
    Budget budget{.common = demands(document, kModules)};
    const toml::node* modules = document.get(kModules);
    if (modules == nullptr) return budget;
    for (const auto& [name, node] : table(*modules, kModules)) {
      Demands& own = budget.of_modules[std::string(name.str())];
      own = demands(table(node, kModules), {});
      own.where = place_of(name.source(), path_);
    }
    return budget;
  }

  Board read_board(const toml::table& document) const {
    Board board;
    for (const auto& [key, value] : document) {
      if (key.str() == "in_turn") {
        if (!value.is_boolean()) refuse(value.source(), "expected true or false");
        board.in_turn = value.as_boolean()->get();
      } else if (key.str() == kMemory) {
        for (const auto& [name, node] : table(value, kMemory)) {
          board.memories.push_back(memory(name, node));
        }
      } else if (key.str() == "prefix") {
        board.prefixes = prefixes(value);
      } else {
        refuse(key.source(), "a board has 'in_turn', [prefix] and tables [memory.NAME]");
      }
    }
    if (board.memories.empty()) refuse(document.source(), "a board needs a table [memory.NAME]");
    return board;
  }

 private:
  [[noreturn]] void refuse(const toml::source_region& where, std::string message) const {
    throw support::Error(ErrorKind::invalid_input, std::move(message), place_of(where, path_));
  }

  /// A number, or a text like "96K".
  std::uint64_t amount(Resource resource, const toml::node& value) const {
    if (const auto* number = value.as_integer(); number != nullptr && number->get() >= 0) {
      return static_cast<std::uint64_t>(number->get());
    }
    const auto* text = value.as_string();
    if (text == nullptr) {
      refuse(value.source(), "expected a number of 0 or more, or a text like \"96K\"");
    }
    const auto number = amount_of(resource, text->get());
    if (!number) refuse(value.source(), number.error().message);
    return *number;
  }

  Limit limit(const toml::key& key, const toml::node& value) const {
    const auto resource = resource_named(key.str());
    if (!resource) refuse(key.source(), resource.error().message);
    return {*resource, amount(*resource, value)};
  }

  BoardMemory memory(const toml::key& name, const toml::node& node) const {
    const toml::table& entries = table(node, kMemory);
    BoardMemory memory{.name = std::string(name.str())};
    if (memory.name.empty()) refuse(name.source(), "a memory needs a name");
    if (!entries.contains("bytes")) refuse(name.source(), "a memory needs bytes = \"64K\"");
    for (const auto& [key, value] : entries) {
      if (key.str() == "bytes") {
        memory.bytes = amount(Resource::ram, value);
        continue;
      }
      if (key.str() != "holds") refuse(key.source(), "a memory has 'bytes' and 'holds'");
      for (const toml::node* one : texts(value, "[\"pools\", \"stack\"]", "name of a part")) {
        memory.holds.push_back({one->as_string()->get(), place_of(one->source(), path_)});
      }
    }
    return memory;
  }

  std::vector<SymbolPrefix> prefixes(const toml::node& node) const {
    if (!node.is_table()) refuse(node.source(), "expected a table [prefix]");
    std::vector<SymbolPrefix> list;
    for (const auto& [archive, value] : *node.as_table()) {
      const std::string text = value.value_or(std::string());
      const bool is_name = !text.empty() && !support::is_digit(text.front()) &&
                           std::ranges::all_of(text, support::is_word_character);
      if (!is_name) refuse(value.source(), "expected a name in C: \"module.tar\" = \"kws\"");
      list.push_back({{std::string(archive.str()), place_of(archive.source(), path_)}, text});
    }
    return list;
  }

  /// The texts of a list, each `what`.
  std::vector<const toml::node*> texts(const toml::node& value, std::string_view example,
                                       std::string_view what) const {
    if (!value.is_array()) refuse(value.source(), fmt::format("expected a list like {}", example));
    std::vector<const toml::node*> list;
    for (const toml::node& one : *value.as_array()) {
      if (!one.is_string()) refuse(one.source(), fmt::format("expected the {}", what));
      list.push_back(&one);
    }
    return list;
  }

  const toml::table& table(const toml::node& node, std::string_view what) const {
    if (!node.is_table()) refuse(node.source(), fmt::format("expected a table [{}.NAME]", what));
    return *node.as_table();
  }

  Demands demands(const toml::table& table, std::string_view passed_over) const {
    constexpr std::string_view kNoFinding = "no-finding";
    Demands demands;
    for (const auto& [key, value] : table) {
      if (key.str() == passed_over) continue;
      if (key.str() == kNoFinding) {
        for (const toml::node* one : texts(value, "[\"constants-twice\"]", "code of a finding")) {
          const auto code = finding_named(one->as_string()->get());
          if (!code) refuse(one->source(), code.error().message);
          demands.no_findings.push_back(*code);
        }
      } else {
        demands.limits.push_back(limit(key, value));
      }
    }
    return demands;
  }

  const std::string& path_;
};

Budget parse_budget(std::string_view text, const std::string& path) {
  return BudgetReader(path).read(parse_toml(text, path));
}

// --- New limits ---------------------------------------------------------------------------------

/// The offset of a place, which toml++ states as line and column in code points.
std::size_t offset_of(const toml::source_position& place, std::string_view text) {
  // toml++ does not count a byte order mark as a column.
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::size_t at = place.line == 1 && text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  for (auto line = place.line; line > 1; --line) at = text.find('\n', at) + 1;
  for (auto column = place.column; column > 1; --column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return at;
}

std::string updated(const BudgetFile& file, const std::string& path,
                    const std::vector<ModuleLimit>& limits) {
  const toml::table document = parse_toml(file.text, path);
  std::map<std::size_t, std::pair<std::size_t, std::uint64_t>> numbers;  // by begin: end, number
  for (const ModuleLimit& one : limits) {
    const toml::table& table =
        one.module == kAllModules ? document : *document[kModules][one.module].as_table();
    const toml::source_region& place = table.get(to_string(one.limit.resource))->source();
    numbers[offset_of(place.begin, file.text)] = {offset_of(place.end, file.text), one.limit.most};
  }
  std::string text;
  std::size_t copied = 0;
  for (const auto& [begin, number] : numbers) {
    text += file.text.substr(copied, begin - copied) + fmt::format("{}", number.second);
    copied = number.first;
  }
  return text + file.text.substr(copied);
}

}  // namespace

Result<std::uint64_t> number_of(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const std::string_view digits = unit == text.npos ? text : text.substr(0, text.size() - 1);
  const auto number = support::whole_number<std::uint64_t>(digits);
  const std::size_t bits = unit == text.npos ? 0 : 10 * (unit + 1);
  if (!number || *number > (std::uint64_t{INT64_MAX} >> bits)) {
    return tl::make_unexpected(Diagnostic{
        ErrorKind::usage,
        fmt::format("'{}' is not a whole number from 0 to {}, or one with K, M, G or T such as 96K",
                    text, INT64_MAX)});
  }
  return *number << bits;
}

Result<std::uint64_t> amount_of(Resource resource, std::string_view text) {
  if (resource != Resource::time) return number_of(text);
  struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
  };
  constexpr std::array kUnits{Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000},
                              Unit{"s", 1'000'000'000}, Unit{"", 1}};
  const auto* const unit =
      std::ranges::find_if(kUnits, [&](const Unit& one) { return text.ends_with(one.name); });
  const auto number =
      support::whole_number<std::uint64_t>(text.substr(0, text.size() - unit->name.size()));
  if (!number || *number > std::uint64_t{INT64_MAX} / unit->nanoseconds) {
    return tl::make_unexpected(Diagnostic{
        ErrorKind::usage,
        fmt::format("'{}' is no time: a whole number with ns, us, ms or s, as 50ms", text)});
  }
  return *number * unit->nanoseconds;
}

BudgetFile read_budget(const std::string& path) {
  TirFile file = support::get_or_throw(load_tir_file(path, kMostBytes));
  Budget budget = parse_budget(file.text, path);
  return {std::move(file.text), std::move(budget)};
}

Board read_board(const std::string& path) {
  const TirFile file = support::get_or_throw(load_tir_file(path, kMostBytes));
  return BudgetReader(path).read_board(parse_toml(file.text, path));
}

void update_budget(const std::string& path, const BudgetFile& file,
                   const std::vector<ModuleLimit>& limits) {
  if (limits.empty()) return;
  write_file(path, updated(file, path, limits));
}

}  // namespace mlf::program
