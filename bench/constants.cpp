#include "constants.h"

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <iterator>
#include <random>
#include <type_traits>

namespace mlf::bench {
namespace {

constexpr std::size_t kElements = 100'000;  // of one array
constexpr std::size_t kColumns = 80;
constexpr int kIntegerGoal = 600;
constexpr int kFloatGoal = 400;

/// Small numbers of both signs, like weights.
template <class Number>
Number weight(std::mt19937_64& random) {
  if constexpr (std::is_floating_point_v<Number>) {
    return std::normal_distribution<Number>(0, Number(0.1))(random);
  } else if constexpr (sizeof(Number) == 1) {
    return static_cast<Number>(random());
  } else {
    const auto wide = static_cast<std::int64_t>(random()) >> (64 - 6 * sizeof(Number));
    return static_cast<Number>(wide);
  }
}

/// As TVM prints them: all digits of integers, floats with blanks behind short ones.
struct Hexadecimal {
  template <class Number>
  static void print(std::string& to, Number value) {
    const auto out = std::back_inserter(to);
    if constexpr (std::is_floating_point_v<Number>) {
      char text[32];
      const int length = std::snprintf(text, sizeof text, "%a", static_cast<double>(value));
      fmt::format_to(out, "{:<{}}", std::string_view(text, static_cast<std::size_t>(length)),
                     2 * sizeof(Number) + 1);
    } else {
      if (std::is_signed_v<Number>) to += value < 0 ? '-' : '+';
      const auto wide = static_cast<std::int64_t>(value);
      fmt::format_to(out, "0x{:0{}x}", static_cast<std::uint64_t>(wide < 0 ? -wide : wide),
                     2 * sizeof(Number));
      if (sizeof(Number) == 8) to += "LL";
    }
  }
  template <class Number>
  static constexpr std::size_t columns = 2 * sizeof(Number) + 2;
};

struct Decimal {
  template <class Number>
  static void print(std::string& to, Number value) {
    fmt::format_to(std::back_inserter(to), "{}", value);
  }
  template <class Number>
  static constexpr std::size_t columns = 10;
};

template <class Number, class Style>
void print_array(std::string& text, std::string_view type, std::size_t number,
                 std::mt19937_64& random) {
  constexpr std::size_t kRow = std::bit_floor(kColumns / Style::template columns<Number>);
  fmt::format_to(std::back_inserter(text),
                 "static const {} __attribute__((section(\".rodata.tvm\"), aligned(16))) "
                 "fused_constant_{}[{}] = {{\n",
                 type, number, kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    if (i % kRow == 0) text += "    ";
    Style::print(text, weight<Number>(random));
    if (i + 1 < kElements) text += ", ";
    if ((i + 1) % kRow == 0 || i + 1 == kElements) text += '\n';
  }
  text += "};\n";
}

void print_kernel(std::string& text, std::string_view type, std::size_t number) {
  fmt::format_to(std::back_inserter(text),
                 "TVM_DLL int32_t tvmgen_default_fused_{0}({1}* T_copy) {{\n"
                 "  for (int32_t i = 0; i < {2}; ++i) {{\n"
                 "    T_copy[i] = (({1}*)fused_constant_{0})[i];\n  }}\n  return 0;\n}}\n\n",
                 number, type, kElements);
}

template <class Number>
constexpr std::string_view kCType = "double";
template <>
constexpr std::string_view kCType<float> = "float";
template <>
constexpr std::string_view kCType<std::int8_t> = "int8_t";
template <>
constexpr std::string_view kCType<std::uint8_t> = "uint8_t";
template <>
constexpr std::string_view kCType<std::int16_t> = "int16_t";
template <>
constexpr std::string_view kCType<std::int32_t> = "int32_t";
template <>
constexpr std::string_view kCType<std::int64_t> = "int64_t";

template <class Number, class Style>
ConstantFile constant_file(std::size_t bytes) {
  std::mt19937_64 random(1);
  std::string text =
      "// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n"
      "#include \"tvm/runtime/c_runtime_api.h\"\n#include <math.h>\n#include <stdbool.h>\n";
  text.reserve(bytes + bytes / 8);
  std::size_t arrays = 0;
  while (text.size() < bytes) print_array<Number, Style>(text, kCType<Number>, arrays++, random);
  for (std::size_t i = 0; i < arrays; ++i) print_kernel(text, kCType<Number>, i);
  return {std::move(text), arrays * kElements * sizeof(Number)};
}

}  // namespace

std::vector<Spelling> spellings() {
  return {{"int8", kIntegerGoal, constant_file<std::int8_t, Hexadecimal>},
          {"uint8", kIntegerGoal, constant_file<std::uint8_t, Hexadecimal>},
          {"int16", kIntegerGoal, constant_file<std::int16_t, Hexadecimal>},
          {"int32", kIntegerGoal, constant_file<std::int32_t, Hexadecimal>},
          {"int64", kIntegerGoal, constant_file<std::int64_t, Hexadecimal>},
          {"float32", kFloatGoal, constant_file<float, Hexadecimal>},
          {"float64", kFloatGoal, constant_file<double, Hexadecimal>},
          {"int32 in decimal", 0, constant_file<std::int32_t, Decimal>},
          {"float32 in decimal", 0, constant_file<float, Decimal>}};
}

}  // namespace mlf::bench
