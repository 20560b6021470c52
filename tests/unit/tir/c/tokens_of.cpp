#include "tokens_of.h"

#include <algorithm>
#include <stdexcept>

#include "mlf/tir/write.h"
#include "reading.h"
#include "tir/c/read/file_items.h"
#include "tir/c/read/tokens.h"
#include "tir/compare/compare.h"

namespace mlf::tir::c {

Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  for (const Token& token : tokenize(text, 0, static_cast<std::uint32_t>(text.size()))) {
    if (token.kind == TokenKind::end) continue;
    tokens.emplace_back(text.substr(token.begin, token.end - token.begin));
  }
  return tokens;
}

Functions functions_of(std::string_view text) {
  const support::SourceText source{{}, {}, text};
  Functions functions;
  for (const Item& item : split(source).items) {
    if (item.kind != ItemKind::function) continue;
    const std::size_t end = std::min<std::size_t>(item.body.end + 1, text.size());
    functions[std::string(item.name)] =
        tokens_of(text.substr(item.head.begin, end - item.head.begin));
  }
  return functions;
}

std::string written(const Document& document) {
  std::string text;
  const auto result = write_c(document, [&](std::string_view part) { text += part; });
  if (!result) throw std::runtime_error(to_string(result.error()));
  return text;
}

void expect_own_text(const std::string& file) {
  const Document document = read_files({file});
  ASSERT_FALSE(lost(document, LossCode::unknown_construct))
      << details(document, LossCode::unknown_construct);
  const std::string text = written(document);
  EXPECT_EQ(functions_of(text), functions_of(file)) << text;
  EXPECT_TRUE(compare(document.module, read_files({text}).module).equal()) << text;
}

}  // namespace mlf::tir::c
