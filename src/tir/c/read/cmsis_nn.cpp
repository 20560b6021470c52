// TVM prints calls of CMSIS-NN with their arguments put into structs: they are taken out again, in
// the order of the arguments of call_extern.
#include "tir/c/read/cmsis_nn.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace mlf::tir::c {
namespace {

constexpr std::string_view kStructPrefix = "cmsis_nn_";
constexpr std::string_view kCall = "status = $ (";

/// The words of a text, `$` among them.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const Token& token : tokenize(text, 0, static_cast<std::uint32_t>(text.size()))) {
    if (token.kind != TokenKind::end) {
      words.push_back(text.substr(token.begin, token.end - token.begin));
    }
  }
  return words;
}

}  // namespace

bool CmsisReader::at_layer() const {
  return cursor_.at_name() && cursor_.text().starts_with(kStructPrefix);
}

NodeId CmsisReader::layer() {
  const CmsisFunction& function = called_function();
  const CmsisText* const text = cmsis_text_of(function.layer);
  if (text == nullptr) cursor_.fail(fmt::format("'{}' takes no structs", function.name));
  values_ = {};
  for (const CmsisForm& form : text->structs) pass(form);
  pass_call(function, *text);

  std::vector<NodeId> args = {context_.make().string_imm(function.name)};
  for (const CmsisArgument what : arguments_of(function.layer)) {
    std::vector<NodeId>& values = values_[static_cast<std::size_t>(what)];
    // The generator does not print it.
    if (values.empty() && what == CmsisArgument::depth_multiplier) {
      values = {context_.make().int32(kNoDepthMultiplier)};
    }
    args.insert(args.end(), values.begin(), values.end());
  }
  // The result has this type in the IR, and none that C states.
  context_.losses.add(LossCode::call_dtype);
  return context_.operators.call("tir.call_extern", function.result, args);
}

/// The function whose call comes next: the structs of each layer differ.
const CmsisFunction& CmsisReader::called_function() const {
  // More tokens than the structs of any layer have.
  constexpr std::size_t kMost = 256;
  std::size_t ahead = 0;
  while (ahead < kMost && !cursor_.at_word("status", ahead)) ++ahead;
  const bool is_call = cursor_.at(sign("="), ahead + 1) && cursor_.at_name(ahead + 2);
  if (!is_call) cursor_.fail("a struct of CMSIS-NN without a call behind it");
  const std::string_view name = cursor_.text(ahead + 2);
  const CmsisFunction* const function = find_cmsis_function(name);
  if (function == nullptr) {
    cursor_.fail(cursor_.peek(ahead + 2), fmt::format("the arguments of '{}' are not known", name));
  }
  return *function;
}

void CmsisReader::pass_words(std::string_view text) {
  for (const std::string_view word : words_of(text)) cursor_.expect(word);
}

/// Follows the form and keeps the argument at each `$`.
void CmsisReader::pass(const CmsisForm& form) {
  auto what = form.arguments.begin();
  for (const std::string_view word : words_of(form.text)) {
    if (word != "$") {
      cursor_.expect(word);
      continue;
    }
    std::vector<NodeId>& values = values_[static_cast<std::size_t>(*what)];
    const NodeId read = value(*what);
    if (read != NodeId::none) values.push_back(read);
    const bool is_whole = read == NodeId::none || values.size() == width_of(*what);
    if (is_whole) ++what;
  }
}

/// `arm_cmsis_nn_status status = f(…);` and the test behind it.
void CmsisReader::pass_call(const CmsisFunction& function, const CmsisText& text) {
  const std::string_view type = cursor_.expect_name("the type of a status");
  std::vector<std::string_view> words;
  if (!cursor_.accept_form(kCall, words) || words[0] != function.name) {
    cursor_.fail(fmt::format("expected 'status = {}('", function.name));
  }
  pass(text.passed);
  pass_words(");");
  for (const CmsisStatusTest& test : cmsis_status_tests()) {
    const std::string form = fmt::format("{}", fmt::join(test.lines, " "));
    const auto wanted = words_of(form);
    bool fits = test.type == type;
    for (std::size_t i = 0; i < wanted.size() && fits; ++i) fits = cursor_.text(i) == wanted[i];
    if (!fits) continue;
    for (std::size_t i = 0; i < wanted.size(); ++i) cursor_.advance();
    return;
  }
  cursor_.fail("expected the test of a status");
}

/// The argument at a `$`; nothing where the layer has no bias.
NodeId CmsisReader::value(CmsisArgument what) {
  if (!is_memory(what)) return number();
  const bool may_be_none = what == CmsisArgument::context || what == CmsisArgument::bias;
  if (!may_be_none || !cursor_.accept_word(kNoCmsisContext)) return variable();
  return what == CmsisArgument::context ? context_.make().string_imm(kNoCmsisContext)
                                        : NodeId::none;
}

NodeId CmsisReader::number() {
  const bool is_negative = cursor_.accept(sign("-"));
  const Token token = cursor_.advance();
  const auto number = decimal(cursor_.text(token));
  const std::int64_t value = number ? (is_negative ? -*number : *number) : 0;
  if (!number || !std::in_range<std::int32_t>(value)) cursor_.fail(token, "expected a number");
  return context_.make().int32(value);
}

/// A parameter, a workspace or a constant array.
NodeId CmsisReader::variable() {
  const Token token = cursor_.peek();
  const std::string_view name = cursor_.expect_name("a variable");
  const auto found = exprs_.memory(name);
  if (!found) cursor_.fail(token, fmt::format("unknown name '{}'", name));
  return *found;
}

}  // namespace mlf::tir::c
