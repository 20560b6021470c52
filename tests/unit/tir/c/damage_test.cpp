// Real generated C, damaged in thousands of ways: an error, an opaque function, or another tree. A
// change that none of them shows has to be of a kind that means nothing.
#include <array>
#include <cctype>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <random>

#include "archives.h"
#include "reading.h"
#include "support/corpus_directory.h"
#include "support/error.h"
#include "tir/c/read/file_items.h"
#include "tir/compare/compare.h"
#include "unit/tir/compare/corpus.h"

namespace mlf::tir::c {
namespace {

namespace fs = std::filesystem;
using Random = std::mt19937;

/// The text of one file with functions, and where its functions' tokens are.
struct Target {
  std::vector<SourceFile> files;
  std::size_t damaged = 0;  ///< which of the files is changed
  std::vector<Token> tokens;

  const std::string& text() const { return files[damaged].text; }
  std::string_view spelling(const Token& token) const {
    return std::string_view(text()).substr(token.begin, token.end - token.begin);
  }
};

struct Change {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string text;
};

/// A way to damage a text. Nothing where it has nothing to do with the token at `i`.
using Damage = std::function<std::optional<Change>(const Target&, std::size_t i, Random&)>;

std::optional<Change> cut(const Target& target, std::size_t i, Random&) {
  return Change{target.tokens[i].begin, static_cast<std::uint32_t>(target.text().size()), ""};
}

std::optional<Change> leave_out(const Target& target, std::size_t i, Random&) {
  return Change{target.tokens[i].begin, target.tokens[i].end, " "};
}

std::optional<Change> repeat(const Target& target, std::size_t i, Random&) {
  const Token& token = target.tokens[i];
  return Change{token.end, token.end, " " + std::string(target.spelling(token)) + " "};
}

std::optional<Change> replace(const Target& target, std::size_t i, Random& random) {
  const Token& other = target.tokens[random() % target.tokens.size()];
  return Change{target.tokens[i].begin, target.tokens[i].end,
                " " + std::string(target.spelling(other)) + " "};
}

std::optional<Change> swap_with_next(const Target& target, std::size_t i, Random&) {
  if (i + 1 == target.tokens.size()) return std::nullopt;
  const Token& first = target.tokens[i];
  const Token& second = target.tokens[i + 1];
  return Change{first.begin, second.end,
                std::string(target.spelling(second)) + " " + std::string(target.spelling(first))};
}

std::optional<Change> other_operator(const Target& target, std::size_t i, Random& random) {
  constexpr std::array<std::string_view, 17> kOperators = {
      "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "&", "|", "<<", ">>"};
  const std::string_view old = target.spelling(target.tokens[i]);
  if (std::ranges::find(kOperators, old) == kOperators.end()) return std::nullopt;
  return Change{target.tokens[i].begin, target.tokens[i].end,
                std::string(kOperators[random() % kOperators.size()])};
}

std::optional<Change> other_number(const Target& target, std::size_t i, Random& random) {
  const Token& token = target.tokens[i];
  if (token.kind != TokenKind::integer && token.kind != TokenKind::real) return std::nullopt;
  std::string number(target.spelling(token));
  const std::size_t digit = number.find_first_of("0123456789");
  const auto shift = static_cast<int>(random() % 8);
  number[digit] = static_cast<char>('1' + (number[digit] - '0' + shift) % 9);
  return Change{token.begin, token.end, number};
}

std::optional<Change> unknown_statement(const Target& target, std::size_t i, Random&) {
  if (target.spelling(target.tokens[i]) != ";") return std::nullopt;
  return Change{target.tokens[i].end, target.tokens[i].end, " goto nowhere; "};
}

struct Way {
  std::string_view name;
  Damage damage;
};
const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"cut", cut},
      {"token left out", leave_out},
      {"token repeated", repeat},
      {"token replaced", replace},
      {"tokens swapped", swap_with_next},
      {"operator changed", other_operator},
      {"number changed", other_number},
      {"unknown statement", unknown_statement},
  };
  return all;
}

std::optional<Document> read_target(const Target& target, std::string_view text) {
  CSources sources;
  for (std::size_t i = 0; i < target.files.size(); ++i) {
    const std::string_view bytes = i == target.damaged ? text : target.files[i].text;
    sources.files.push_back({target.files[i].name, {}, bytes, "codegen"});
  }
  auto document = support::to_result([&] { return read_c(sources); });
  if (!document) return std::nullopt;
  return *std::move(document);
}

enum class Outcome { error, opaque, another_tree, said_otherwise, means_nothing, silent };
constexpr std::array<std::string_view, 6> kOutcomes = {
    "error", "opaque", "another tree", "losses or version", "means nothing", "silent"};

std::size_t opaque_functions(const Document& document) {
  return static_cast<std::size_t>(
      std::ranges::count(document.losses, LossCode::unknown_construct, &Loss::code));
}

Outcome outcome_of(const Document& whole, const std::optional<Document>& damaged) {
  if (!damaged) return Outcome::error;
  if (opaque_functions(*damaged) > opaque_functions(whole)) return Outcome::opaque;
  if (!compare(whole.module, damaged->module).equal()) return Outcome::another_tree;
  const bool is_same =
      damaged->losses == whole.losses && damaged->source.tvm_version == whole.source.tvm_version;
  return is_same ? Outcome::silent : Outcome::said_otherwise;
}

/// Files of one archive and one target; the tokens are those of functions' heads and bodies.
std::vector<Target> targets(const fs::path& root) {
  std::vector<Target> all;
  for (const fs::path& tar : archives(root)) {
    const std::vector<SourceFile> files = c_files(tar);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (describe_c(files[i].text).role != CRole::kernels) continue;
      Target target{files, i, {}};
      const support::SourceText source{files[i].name, {}, files[i].text};
      for (const Item& item : split(source).items) {
        if (item.kind != ItemKind::function || item.name == "__tvm_main__") continue;
        std::vector<Token> tokens = tokenize(source.text, item.head.begin, item.body.end);
        tokens.pop_back();
        target.tokens.insert(target.tokens.end(), tokens.begin(), tokens.end());
      }
      all.push_back(std::move(target));
    }
  }
  return all;
}

std::vector<std::string_view> spellings(std::string_view text) {
  std::vector<std::string_view> all;
  for (const Token& token : tokenize(text, 0, static_cast<std::uint32_t>(text.size()))) {
    all.push_back(text.substr(token.begin, token.end - token.begin));
  }
  return all;
}

/// A kind of change that no tree can show, and which means nothing.
struct Idle {
  std::string_view name;
  bool (*is_one)(std::string_view before, std::string_view after, std::string_view line);
};

bool differ_only_in(std::string_view before, std::string_view after, std::string_view tokens) {
  const auto rest = [&](std::string_view text) {
    std::vector<std::string_view> kept = spellings(text);
    std::erase_if(kept, [&](std::string_view one) { return tokens.find(one) != tokens.npos; });
    return kept;
  };
  return rest(before) == rest(after);
}

/// Whether one name became another, and its function says neither of them anywhere else.
bool is_renamed_unused(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old = spellings(before);
  const std::vector<std::string_view> fresh = spellings(after);
  if (old.size() != fresh.size()) return false;
  const auto [from, to] = std::ranges::mismatch(old, fresh);
  const auto is_once = [](const std::vector<std::string_view>& all, auto at) {
    const auto is_head = [](std::string_view word) { return word == "TVM_DLL"; };
    const auto end = std::find_if(at, all.end(), is_head);
    const auto behind_head =
        std::find_if(std::make_reverse_iterator(at), all.rend(), is_head).base();
    return std::count(behind_head, end, *at) == 1;
  };
  const auto is_name = [](std::string_view word) {
    return word.front() == '_' || std::isalpha(static_cast<unsigned char>(word.front())) != 0;
  };
  return from != old.end() && is_name(*from) && is_name(*to) &&
         std::equal(from + 1, old.end(), to + 1) && is_once(old, from) && is_once(fresh, to);
}

/// Whether `++i` became `i++`.
bool is_increment_behind(std::string_view before, std::string_view after) {
  std::vector<std::string_view> old = spellings(before);
  std::vector<std::string_view> fresh = spellings(after);
  const auto end = [](std::string_view a, std::string_view b) { return a == "++" && b == ")"; };
  const bool is_behind = std::ranges::adjacent_find(fresh, end) != fresh.end();
  std::ranges::sort(old);
  std::ranges::sort(fresh);
  return is_behind && old == fresh;
}

constexpr std::array kIdle = {
    Idle{"an empty statement", [](std::string_view before, std::string_view after,
                                  std::string_view) { return differ_only_in(before, after, ";"); }},
    Idle{"a function without TVM_DLL",
         [](std::string_view before, std::string_view after, std::string_view) {
           return differ_only_in(before, after, "TVM_DLL");
         }},
    Idle{"where the sign of an increment is",
         [](std::string_view before, std::string_view after, std::string_view) {
           return is_increment_behind(before, after);
         }},
    Idle{"redundant parentheses around what & is applied to",
         [](std::string_view before, std::string_view after, std::string_view) {
           return differ_only_in(before, after, "(&)");
         }},
    Idle{"the name of what is not read",
         [](std::string_view before, std::string_view after, std::string_view) {
           return is_renamed_unused(before, after);
         }},
    Idle{"how large the stack of a call is",
         [](std::string_view, std::string_view, std::string_view line) {
           return line.find("TVMValue stack") != line.npos;
         }},
    Idle{"the count of arguments, which TVM 0.16 and later print one too small",
         [](std::string_view, std::string_view, std::string_view line) {
           return line.find("NULL) != 0") != line.npos && line.find("&ret_type_code") != line.npos;
         }},
};

bool means_nothing(std::string_view before, std::string_view after, std::string_view line) {
  return std::ranges::any_of(kIdle,
                             [&](const Idle& idle) { return idle.is_one(before, after, line); });
}

using Counts = std::map<std::string_view, std::array<std::size_t, kOutcomes.size()>>;

std::string_view line_at(std::string_view text, std::uint32_t at) {
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

/// Damages a file in one way and says what came of it; nothing where that changes no token.
std::optional<Outcome> outcome_of(const Target& target, const Document& whole,
                                  const Change& change) {
  std::string text = target.text();
  text.replace(change.begin, change.end - change.begin, change.text);
  if (spellings(text) == spellings(target.text())) return std::nullopt;
  const Outcome outcome = outcome_of(whole, read_target(target, text));
  const std::string_view line = line_at(target.text(), change.begin);
  if (outcome != Outcome::silent) return outcome;
  if (means_nothing(target.text(), text, line)) return Outcome::means_nothing;
  const std::string_view before = std::string_view(target.text()).substr(change.begin, 20);
  ADD_FAILURE() << before << " became '" << change.text << "' in " << line;
  return outcome;
}

void damage(const Target& target, std::size_t times, Counts& counts) {
  const auto whole = read_target(target, target.text());
  ASSERT_TRUE(whole);
  Random random(20);
  for (const Way& way : ways()) {
    for (std::size_t done = 0, tries = 0; done < times && tries < 100 * times; ++tries) {
      const auto change = way.damage(target, random() % target.tokens.size(), random);
      const auto outcome = change ? outcome_of(target, *whole, *change) : std::nullopt;
      if (!outcome) continue;
      ++done;
      ++counts[way.name][static_cast<std::size_t>(*outcome)];
    }
  }
}

void print(const Counts& counts) {
  if (!shows_tables()) return;
  for (const auto& [way, outcomes] : counts) {
    std::printf("%-20s", std::string(way).c_str());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      std::printf("  %zu %s", outcomes[i], std::string(kOutcomes[i]).c_str());
    }
    std::printf("\n");
  }
}

TEST(CDamagedArchives, OfTheTestsAreNeverSilentlyWrong) {
  Counts counts;
  for (const Target& target : targets(MLF_TEST_DATA "/c")) damage(target, 60, counts);
  print(counts);
}

TEST(CDamagedArchives, OfTheCorpusAreNeverSilentlyWrong) {
  Counts counts;
  for (const Target& target : targets(test::corpus_directory())) {
    if (target.text().size() < 100'000) damage(target, 2, counts);
  }
  print(counts);
}

TEST(CDamage, DeepNestingOfEveryKindIsOpaque) {
  for (const std::string_view open : {"(", "{", "((int32_t)", "q[", "-", "(1 + ", "if (n) {"}) {
    std::string statements = open == "{" || open == "if (n) {" ? "" : "q[0] = ";
    for (int i = 0; i < 100'000; ++i) statements += open;
    const auto document = try_read({in_kernel(statements)});
    EXPECT_TRUE(!document || lost(*document, LossCode::unknown_construct)) << open;
  }
}

}  // namespace
}  // namespace mlf::tir::c
