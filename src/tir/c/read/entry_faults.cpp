#include "tir/c/read/entry_faults.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "support/lookup.h"

namespace mlf::tir::c {
namespace {

using support::SourceText;

/// What may be before and behind a whole argument or value.
bool begins_value(Sign before) {
  return before == sign("(") || before == sign(",") || before == sign("=");
}
bool ends_value(Sign behind) {
  return behind == sign(")") || behind == sign(",") || behind == sign(";") || behind == sign("}");
}

class EntryChecker {
 public:
  EntryChecker(const SourceText& source, const Item& item, std::span<const SourceText> headers,
               const Arities& arities, const support::NameSet<std::string_view>& macros)
      : source_(source),
        headers_(headers),
        arities_(arities),
        macros_(macros),
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
      if (tokens_[i + 1].sign == sign("(")) check_call(i);
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
    if (known == types_.end() || known->second == nullptr) return;
    const HeaderStruct& type = *known->second;
    const std::string_view member = word(i + 2);
    const bool is_field = support::is_among(type.fields, member);
    const Sign before = tokens_[i - 1].sign;
    const Sign behind = i + 3 < tokens_.size() ? tokens_[i + 3].sign : Sign::none;
    if (!is_field && type.is_whole) {
      add(tokens_[i + 2], fmt::format("struct {} has no member '{}'", type.name, member));
    } else if (is_field && before == sign("&") && begins_value(tokens_[i - 2].sign) &&
               ends_value(behind)) {
      add(tokens_[i], fmt::format("passes the address of the pointer '{}'", member));
    } else if (support::is_among(type.numbers, member) && begins_value(before) &&
               ends_value(behind)) {
      add(tokens_[i], fmt::format("'{}' of struct {} is no pointer", member, type.name));
    }
  }

  /// `TVMValue tensors[4];` or `tensors[3] = …` at token `i`.
  void check_element(std::size_t i) {
    const auto number = decimal(word(i + 2));
    if (!number || tokens_[std::min(i + 3, tokens_.size() - 1)].sign != sign("]")) return;
    if (word(i - 1) == "TVMValue") elements_[word(i)] = *number;
    const auto array = elements_.find(word(i));
    const bool is_alone = ends_value(tokens_[i - 1].sign) || tokens_[i - 1].sign == sign("{");
    if (array == elements_.end() || !is_alone || *number < array->second) return;
    add(tokens_[i], fmt::format("'{}' has {} elements, and this is number {}", word(i),
                                array->second, *number + 1));
  }

  /// The number of arguments of the call at token `i`; nothing if a macro may have several.
  std::optional<std::size_t> arguments_at(std::size_t i) const {
    if (tokens_[i + 2].sign == sign(")")) return 0;
    std::size_t depth = 0;
    std::size_t arguments = 1;
    for (++i; i < tokens_.size(); ++i) {
      if (tokens_[i].sign == sign("(")) ++depth;
      if (tokens_[i].sign == sign(")") && --depth == 0) return arguments;
      if (depth == 1 && tokens_[i].sign == sign(",")) ++arguments;
      if (macros_.contains(word(i))) break;
    }
    return std::nullopt;
  }

  void check_call(std::size_t i) {
    const auto known = arities_.find(word(i));
    const bool is_call = word(i - 1) == "return" || begins_value(tokens_[i - 1].sign);
    if (known == arities_.end() || !is_call) return;
    const auto arguments = arguments_at(i);
    if (!arguments || *arguments == known->second.parameters) return;
    add(tokens_[i], fmt::format("'{}' is called with {} arguments and takes {}", word(i),
                                *arguments, known->second.parameters));
  }

  /// `&pool)` or `= value;`
  bool is_use(std::size_t i) const {
    const Sign before = tokens_[i - 1].sign;
    const Sign behind = i + 1 < tokens_.size() ? tokens_[i + 1].sign : Sign::none;
    return (before == sign("&") && ends_value(behind)) ||
           (before == sign("=") && behind == sign(";"));
  }

  /// A name that is in no other place than where its value is used.
  void check_variable(const Token& name) {
    const std::string_view variable = text_of(name, source_.text);
    const bool is_new = std::ranges::find(seen_, variable) == seen_.end();
    if (!is_new || macros_.contains(variable)) return;
    seen_.push_back(variable);
    std::size_t uses = 0;
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
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
  const support::NameSet<std::string_view>& macros_;
  std::vector<Token> tokens_;
  std::vector<HeaderStruct> structs_;
  std::map<std::string_view, const HeaderStruct*> types_;  // of pointers
  std::map<std::string_view, std::int64_t> elements_;      // of arrays of TVMValue
  std::vector<std::string_view> seen_;                     // variables
  std::vector<DeclarationFault> faults_;
};

}  // namespace

std::vector<DeclarationFault> entry_faults(const SourceText& source, const Item& item,
                                           std::span<const SourceText> headers,
                                           const Arities& arities,
                                           const support::NameSet<std::string_view>& macros) {
  return EntryChecker(source, item, headers, arities, macros).run();
}

}  // namespace mlf::tir::c
