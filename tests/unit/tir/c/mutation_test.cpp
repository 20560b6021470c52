// Damaged C: one clear error, an opaque function with its loss, or another tree. Nothing crashes,
// and what a change means is never lost without a word.
#include <random>

#include "reading.h"
#include "tir/c/read/tokens.h"
#include "tir/compare/compare.h"

namespace mlf::tir::c {
namespace {

/// Every form of statement, in one file.
const std::string& sample() {
  static const std::string text = kernel_file(
      "static const int8_t __attribute__((section(\".rodata.tvm\"), aligned(16))) c_0[4] = {\n"
      "    +0x01, -0x80, +0x7f, -0x01\n};\n"
      "TVM_DLL float my_function(float);\n"
      "TVM_DLL int32_t tvmgen_default_f(float* p, int32_t* q, uint8_t* workspace_1_var) {\n"
      "  void* w = TVMBackendAllocWorkspace(1, 0, (uint64_t)800, 2, 32);\n"
      "  if (w == NULL) {\n    return -1;\n  }\n"
      "  float local[8];\n"
      "  void* x_let = (&(workspace_1_var[64]));\n"
      "  for (int32_t i = 0; i < 8; ++i) {\n"
      "    int32_t cse_var_1 = ((i * 3) + 1);\n"
      "    int32_t v_ = q[cse_var_1] + 3;\n"
      "    local[i] = ((float)((v_) > (0) ? (v_) : (0)));\n"
      "    float condval;\n"
      "    if ((i < 3)) {\n      condval = expf(local[i]);\n    } else {\n"
      "      condval = -1.500000e+00f;\n    }\n"
      "    ((float*)w)[i] = (condval / my_function(p[(i % 5)]));\n"
      "  }\n"
      "  if (q[0] == 3) {\n    q[1] = ((int32_t)((int8_t*)c_0)[2]);\n  } else {\n"
      "    ((int16_t*)x_let)[(q[0] >> 2)] = (int16_t)7;\n  }\n"
      "  if (tvmgen_default_g(p, w, x_let) != 0 ) return -1;\n"
      "  if (TVMBackendFreeWorkspace(1, 0, w) != 0) {\n    return -1;\n  }\n"
      "  return 0;\n}\n");
  return text;
}

bool has_opaque(const Document& document) {
  return lost(document, LossCode::unknown_construct);
}

/// Whether the reader said anything about the change: an error, a loss, or another tree.
bool is_noticed(const Document& original, const std::string& text) {
  const auto changed = try_read({text});
  if (!changed || has_opaque(*changed)) return true;
  const VersionRange& version = original.source.tvm_version;
  return changed->losses != original.losses || changed->source.tvm_version != version ||
         !compare(original.module, changed->module).equal();
}

TEST(CDamage, TheSampleIsWhole) {
  const Document document = read_files({sample()});
  EXPECT_FALSE(has_opaque(document)) << details(document, LossCode::unknown_construct);
}

TEST(CDamage, CutAnywhereItIsAnErrorOrOpaque) {
  const std::size_t function = sample().find("TVM_DLL int32_t");
  for (std::size_t length = 0; length + 2 < sample().size(); ++length) {
    const auto document = try_read({sample().substr(0, length)});
    if (length <= function) {
      EXPECT_FALSE(document) << length;
    } else if (document) {
      EXPECT_TRUE(has_opaque(*document)) << sample().substr(length);
    }
  }
}

/// Tokens of the function's body.
std::vector<Token> body_tokens() {
  const std::size_t head = sample().find("TVM_DLL int32_t");
  const auto begin = static_cast<std::uint32_t>(sample().find('{', head) + 1);
  std::vector<Token> tokens =
      tokenize(sample(), begin, static_cast<std::uint32_t>(sample().rfind('}')));
  tokens.pop_back();
  return tokens;
}

std::string with(const Token& token, const std::string& replacement) {
  std::string text = sample();
  return text.replace(token.begin, token.end - token.begin, replacement);
}

// The last `return 0;` stands for nothing, and so do its tokens.
bool is_in_last_return(const Token& token) {
  return token.begin >= sample().rfind("return");
}

TEST(CDamage, ATokenLeftOutIsNoticed) {
  const Document original = read_files({sample()});
  for (const Token& token : body_tokens()) {
    if (is_in_last_return(token)) continue;
    EXPECT_TRUE(is_noticed(original, with(token, " ")))
        << token.begin << " " << sample().substr(token.begin, 30);
  }
}

TEST(CDamage, ATokenReplacedByAnotherOneIsNoticed) {
  const Document original = read_files({sample()});
  const std::vector<Token> tokens = body_tokens();
  std::mt19937 random(7);
  for (int i = 0; i < 4000; ++i) {
    const Token& token = tokens[random() % tokens.size()];
    const Token& other = tokens[random() % tokens.size()];
    const std::string old_text = sample().substr(token.begin, token.end - token.begin);
    const std::string new_text = sample().substr(other.begin, other.end - other.begin);
    if (old_text == new_text || is_in_last_return(token)) continue;
    EXPECT_TRUE(is_noticed(original, with(token, " " + new_text + " ")))
        << old_text << " -> " << new_text << " at " << sample().substr(token.begin, 40);
  }
}

TEST(CDamage, ANumberThatGrowsIsNoticed) {
  const Document original = read_files({sample()});
  for (const Token& token : body_tokens()) {
    if ((token.kind != TokenKind::integer && token.kind != TokenKind::real) ||
        is_in_last_return(token))
      continue;
    EXPECT_TRUE(is_noticed(original, with(token, "11"))) << sample().substr(token.begin, 30);
  }
}

TEST(CDamage, RandomBytesNeverBreakTheReader) {
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    std::string text = sample();
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random());
    const auto document = try_read({text});
    if (document) continue;
    EXPECT_EQ(document.error().kind, ErrorKind::invalid_input);
  }
}

TEST(CDamage, NestingNeedsNoStackOfTheMachine) {
  std::string blocks;
  for (int i = 0; i < 20'000; ++i) {
    blocks += "for (int32_t i" + std::to_string(i) + " = 0; i" + std::to_string(i) + " < 2; ++i" +
              std::to_string(i) + ") {\n";
  }
  const std::string closed = blocks + "p[0] = p[1];" + std::string(20'000, '}');
  EXPECT_FALSE(has_opaque(read_files({in_kernel(closed)})));
  EXPECT_TRUE(has_opaque(read_files({in_kernel("p[0] = " + std::string(100'000, '(') + ";")})));
  EXPECT_TRUE(has_opaque(read_files({in_kernel("p[0] = " + std::string(100'000, '!') + ";")})));
}

}  // namespace
}  // namespace mlf::tir::c
