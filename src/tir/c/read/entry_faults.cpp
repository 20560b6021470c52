#include "tir/c/read/entry_faults.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "support/lookup.h"

namespace mlf::tir::c {
namespace {

using support::SourceText;

// TVM has a few pools: for each, all of the text is searched.
constexpr std::size_t kMostVariables = 50;

/// What ends a whole argument or value.
bool ends_value(Sign behind) {
  return behind == sign(")") || behind == sign(",") || behind == sign(";") || behind == sign("}");
}

class EntryChecker {
 public:
  EntryChecker(const SourceText& source, const Item& item, std::span<const SourceText> headers,
               const Arities& arities)
      : source_(source),
        headers_(headers),
        arities_(arities),
        tokens_(tokenize(source.text, item.head.begin, item.body.end)) {
    for (const SourceText& header : headers) {
      std::ranges::move(read_header(header.text).structs, std::back_inserter(structs_));
    }
  }

  std::vector<DeclarationFault> run() && {
    for (std::size_t i = 2; i + 2 < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::name) continue;
      // `struct tvmgen_default_inputs* inputs`
      const bool is_pointer = word(i - 1) == "struct" && tokens_[i + 1].sign == sign("*");
      if (is_pointer) types_[word(i + 2)] = structure(word(i));
      if (tokens_[i + 1].sign == sign("->")) check_member(i);
      if (tokens_[i + 1].sign == sign("(") && word(i - 1) == "return") check_call(i);
      if (tokens_[i + 1].sign == sign("[")) check_element(i);
      if (is_use(i)) check_variable(tokens_[i]);
    }
    return std::move(faults_);
  }

 private:
  std::string_view word(std::size_t i) const { return text_of(tokens_[i], source_.text); }

  void add(const Token& at, std::string message) {
    faults_.push_back({source_.locate(at.begin, at.end - at.begin), std::move(message)});
  }

  /// Null: no header has it.
  const HeaderStruct* structure(std::string_view name) const {
    const auto found = std::ranges::find(structs_, name, &HeaderStruct::name);
    return found == structs_.end() ? nullptr : &*found;
  }

  /// `inputs->x` at token `i`.
  void check_member(std::size_t i) {
    const auto known = types_.find(word(i));
    const bool is_known = known != types_.end() && known->second != nullptr;
    if (!is_known || tokens_[i - 1].sign == sign("->")) return;
    const HeaderStruct& type = *known->second;
    const std::string_view member = word(i + 2);
    const bool is_field = support::is_among(type.fields, member);
    if (!is_field && type.is_whole) {
      add(tokens_[i + 2], fmt::format("struct {} has no member '{}'", type.name, member));
    } else if (takes_pointers_ && is_field && tokens_[i - 1].sign == sign("&")) {
      add(tokens_[i], fmt::format("passes the address of the pointer '{}'", member));
    } else if (takes_pointers_ && tokens_[i - 1].sign != sign(")") &&
               support::is_among(type.numbers, member)) {
      add(tokens_[i], fmt::format("'{}' of struct {} is no pointer", member, type.name));
    }
  }

  /// `TVMValue tensors[4];` or `tensors[3] = …` at token `i`.
  void check_element(std::size_t i) {
    const auto number = decimal(word(i + 2));
    if (!number) return;
    if (word(i - 1) == "TVMValue") elements_[word(i)] = *number;
    const auto array = elements_.find(word(i));
    if (array == elements_.end() || word(i - 1) == "TVMValue" || *number < array->second) return;
    add(tokens_[i], fmt::format("'{}' has {} elements, and this is number {}", word(i),
                                array->second, *number + 1));
  }

  void check_call(std::size_t i) {
    const auto known = arities_.find(word(i));
    if (known == arities_.end()) return;
    takes_pointers_ = known->second.takes_pointers;
    std::size_t arguments = tokens_[i + 2].sign == sign(")") ? 0 : 1;
    std::size_t depth = 0;
    for (std::size_t k = i + 1; k < tokens_.size(); ++k) {
      if (tokens_[k].sign == sign("(")) ++depth;
      if (tokens_[k].sign == sign(")")) --depth;
      if (depth == 1 && tokens_[k].sign == sign(",")) ++arguments;
    }
    if (arguments == known->second.parameters) return;
    add(tokens_[i], fmt::format("'{}' is called with {} arguments and takes {}", word(i), arguments,
                                known->second.parameters));
  }

  /// `&pool)` or `= value;`
  bool is_use(std::size_t i) const {
    const Sign before = tokens_[i - 1].sign;
    const Sign behind = tokens_[i + 1].sign;
    return (before == sign("&") && ends_value(behind)) ||
           (before == sign("=") && behind == sign(";"));
  }

  /// A name that is in no other place than where its value is used.
  void check_variable(const Token& name) {
    const std::string_view variable = text_of(name, source_.text);
    const bool is_first = seen_.size() < kMostVariables && !support::is_among(seen_, variable);
    if (!is_first) return;
    seen_.push_back(variable);
    std::size_t uses = 0;
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      uses += word(i) == variable && is_use(i) ? 1 : 0;
    }
    const bool is_in_header = std::ranges::any_of(headers_, [&](const SourceText& header) {
      return count_of_word(header.text, variable) > 0;
    });
    if (is_in_header || count_of_word(source_.text, variable) > uses) return;
    add(name, fmt::format("nothing declares '{}'", variable));
  }

  const SourceText& source_;
  std::span<const SourceText> headers_;
  const Arities& arities_;
  std::vector<Token> tokens_;
  std::vector<HeaderStruct> structs_;
  std::map<std::string_view, const HeaderStruct*> types_;  // of pointers
  std::map<std::string_view, std::int64_t> elements_;      // of arrays of TVMValue
  bool takes_pointers_ = false;                            // main, in all its parameters
  std::vector<std::string_view> seen_;                     // variables
  std::vector<DeclarationFault> faults_;
};

/// Passes the statements before the call of main, in the forms that TVM prints. Returns whether
/// they fill one array in its order, and declare each name once.
bool pass_packed_values(Cursor& cursor) {
  std::vector<std::string_view> words;
  std::vector<std::string_view> names;
  std::string_view array;
  std::size_t elements = 0;
  while (!cursor.at_end() && !cursor.at_word("return")) {
    words.clear();
    const bool is_array = cursor.accept_form("TVMValue $[$];", words);
    const bool is_variable = is_array || cursor.accept_form("DLTensor $ = {.data = &$};", words) ||
                             cursor.accept_form("TVMValue $ = {.v_handle = &$};", words);
    if (is_variable) {
      if ((is_array && !array.empty()) || support::is_among(names, words[0])) return false;
      if (is_array) array = words[0];
      names.push_back(words[0]);
      continue;
    }
    const bool is_element = cursor.accept_form("$[$] = ((TVMValue*)$)[$];", words) ||
                            cursor.accept_form("$[$] = $;", words);
    if (!is_element || words[0] != array || words[1] != std::to_string(elements)) return false;
    ++elements;
  }
  return true;
}

}  // namespace

bool has_form_of_tvm(const SourceText& source, const Item& item) {
  Cursor cursor(source, tokenize(source.text, item.body.begin, item.body.end));
  std::vector<std::string_view> words;
  if (!pass_packed_values(cursor) || !cursor.accept_form("return $(", words)) return false;
  std::size_t depth = 1;
  for (Sign before = Sign::none; depth > 0; before = cursor.advance().sign) {
    const bool is_call = cursor.at_name() && cursor.at(sign("("), 1);
    const bool is_part = cursor.at_name() || cursor.at(sign("(")) || cursor.at(sign(")")) ||
                         cursor.at(sign("->")) || cursor.at(sign("&")) || cursor.at(sign(",")) ||
                         (cursor.at(sign("*")) && cursor.at(sign(")"), 1));
    if (!is_part || is_call || (cursor.at(sign("&")) && before == sign("&"))) return false;
    if (cursor.at(sign("("))) ++depth;
    if (cursor.at(sign(")"))) --depth;
  }
  return cursor.accept(sign(";")) && cursor.at_end();
}

std::vector<DeclarationFault> entry_faults(const SourceText& source, const Item& item,
                                           std::span<const SourceText> headers,
                                           const Arities& arities,
                                           const support::NameSet<std::string_view>& macros) {
  const auto has_macro = [&](std::string_view text, std::uint32_t begin, std::uint32_t end) {
    return std::ranges::any_of(tokenize(text, begin, end), [&](const Token& token) {
      return token.kind == TokenKind::name && macros.contains(text_of(token, text));
    });
  };
  const bool is_changed =
      !has_form_of_tvm(source, item) || has_macro(source.text, item.head.begin, item.body.end) ||
      joins_words(source.text) || std::ranges::any_of(headers, [&](const SourceText& header) {
        return joins_words(header.text) ||
               has_macro(header.text, 0, static_cast<std::uint32_t>(header.text.size()));
      });
  if (is_changed) return {};
  return EntryChecker(source, item, headers, arities).run();
}

}  // namespace mlf::tir::c
