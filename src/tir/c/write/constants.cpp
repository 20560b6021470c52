#include "tir/c/write/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

#include "tir/c/language.h"
#include "tir/elements.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {
namespace {

constexpr std::size_t kLineLength = 80;
constexpr std::size_t kRowIndent = 4;
constexpr std::size_t kPiece = std::size_t{1} << 16;  // characters that are passed to the sink
                                                      // together
constexpr std::int64_t kPoolAlignment = 16;
constexpr std::string_view kOpenC = "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
constexpr std::string_view kCloseC = "#ifdef __cplusplus\n}  // extern \"C\"\n#endif\n";

/// Rows of `count` elements, each of which `print` appends to a string.
template <class Print>
void write_rows(const Sink& sink, std::size_t count, std::size_t width, Print&& print) {
  // A power of two, if more than one fits. The last row is shorter and has no comma at its end.
  const std::size_t per_row =
      std::bit_floor(std::max<std::size_t>((kLineLength - kRowIndent) / width, 1));
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % per_row == 0) text.append(kRowIndent, ' ');
    print(text, i);
    if (i + 1 < count) text += ", ";
    if (i % per_row == per_row - 1 || i + 1 == count) text += '\n';
    if (text.size() < kPiece) continue;
    sink(text);
    text.clear();
  }
  sink(text);
}

/// As many digits as `bytes` have.
void append_hexadecimal(std::string& text, std::uint64_t value, std::size_t bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t shift = 8 * bytes; shift > 0; shift -= 4) {
    text += kDigits[(value >> (shift - 4)) % kDigits.size()];
  }
}

/// Signed ones with their signs, then all hexadecimal digits.
template <class T>
void write_integers(const Sink& sink, std::span<const std::byte> data) {
  constexpr bool kIsSigned = std::is_signed_v<T>;
  constexpr bool kIsLong = sizeof(T) == 8;
  constexpr std::string_view kSuffix = !kIsLong ? "" : kIsSigned ? "LL" : "ULL";
  // Two for "0x", two for ", "; TVM counts digits in units of four bytes.
  const std::size_t width = sizeof(T) / 4 + 4 + (kIsSigned ? 1 : 0) + kSuffix.size();
  write_rows(sink, data.size() / sizeof(T), width, [&](std::string& text, std::size_t i) {
    const T value = element<T>(data, i);
    const bool is_negative = value < T{};
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    const std::uint64_t magnitude = is_negative ? 0 - bits : static_cast<std::uint64_t>(value);
    if (kIsSigned) text += is_negative ? '-' : '+';
    text += "0x";
    append_hexadecimal(text, magnitude, sizeof(T));
    text += kSuffix;
  });
}

/// The bits of float16.
void write_half_floats(const Sink& sink, std::span<const std::byte> data) {
  write_rows(sink, data.size() / 2, 4, [&](std::string& text, std::size_t i) {
    fmt::format_to(std::back_inserter(text), "0x{:<4x}", element<std::uint16_t>(data, i));
  });
}

template <class T>
void write_floats(const Sink& sink, std::span<const std::byte> data) {
  // Hexadecimal digits, "0x", ", ", sign, point, sign and digits of the exponent.
  constexpr std::size_t kWidth = sizeof(T) / 4 + 7 + (sizeof(T) == 8 ? 2 : 1);
  write_rows(sink, data.size() / sizeof(T), kWidth, [&](std::string& text, std::size_t i) {
    const T value = element<T>(data, i);
    if (std::isinf(value)) {
      fmt::format_to(std::back_inserter(text), "{}{:<{}}", value < 0 ? "-" : " ", "INFINITY",
                     kWidth - 1);
    } else if (std::isnan(value)) {
      fmt::format_to(std::back_inserter(text), "{:<{}}", "NAN", kWidth);
    } else {
      const std::string digits = fmt::format("{:a}", static_cast<double>(value));
      fmt::format_to(std::back_inserter(text), "{:<{}}", digits, kWidth);
    }
  });
}

/// The bytes to print; fails for a constant whose text lacked its data.
std::span<const std::byte> data_of(Node array, std::string_view name) {
  const auto data = tir::data_of(array);
  if (!data) cannot_print(fmt::format("the constant '{}', whose data are not known,", name));
  if (!is_array_element(array.dtype(f::NDArray::dtype))) {
    cannot_print("a constant of " + to_string(array.dtype(f::NDArray::dtype)));
  }
  return *data;
}

std::size_t count_of(DType dtype, std::span<const std::byte> data) {
  return data.size() / std::max<std::size_t>(dtype.element_bytes(), 1);
}

}  // namespace

void write_data(const Sink& sink, DType dtype, std::span<const std::byte> data) {
  if (dtype == DType::Float(16)) return write_half_floats(sink, data);
  const bool is_printed = with_number(dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      write_floats<T>(sink, data);
    } else {
      write_integers<T>(sink, data);
    }
  });
  if (!is_printed) cannot_print("a constant of " + to_string(dtype));
}

void require_printable(Node array, std::string_view name) {
  const std::span<const std::byte> data = data_of(array, name);
  write_data([](std::string_view) {}, array.dtype(f::NDArray::dtype), data.first(0));
}

/// In the section for linked parameters, with the alignment of the target
/// (`constants-byte-alignment`).
void write_array(const Sink& sink, std::string_view name, Node array, std::int64_t alignment) {
  const std::span<const std::byte> data = data_of(array, name);
  const DType dtype = array.dtype(f::NDArray::dtype);
  sink(kOpenC);
  sink(
      fmt::format("static const {} __attribute__((section(\".rodata.tvm\"), aligned({}))) {}[{}] "
                  "= {{\n",
                  type_text(dtype), alignment, name, count_of(dtype, data)));
  write_data(sink, dtype, data);
  sink("};\n");
  sink(kCloseC);
}

void write_constant_pool(const Sink& sink, const Forms& forms, const NamedPool& named) {
  const auto& [info, pool, bytes] = named;
  std::vector<Node> members;
  for (const Node member : info.list(f::ConstantPoolInfo::constant_info_array)) {
    members.push_back(member);
  }
  std::ranges::stable_sort(members, {}, [](Node member) {
    return int_imm_of(member[f::ConstantInfo::byte_offset]).value_or(0);
  });
  sink(fmt::format("__attribute__((section(\".rodata.tvm\"), ))\nstatic {}struct {} {{\n",
                   forms.has(TvmFeature::c_constant_pools) ? "const " : "", pool));
  for (const Node member : members) {
    const Node array = member[f::ConstantInfo::data];
    const std::string_view name = member.text(f::ConstantInfo::name_hint);
    const std::span<const std::byte> data = data_of(array, name);
    const DType dtype = array.dtype(f::NDArray::dtype);
    sink(fmt::format(
        "  {} {}[{}] __attribute__(({}aligned({}))); // {} bytes, aligned offset: {}\n",
        type_text(dtype), name, count_of(dtype, data), member == members.front() ? "" : "packed, ",
        kPoolAlignment, data.size(), int_imm_of(member[f::ConstantInfo::byte_offset]).value_or(0)));
  }
  sink(fmt::format("}} {} = {{\n", pool));
  for (const Node member : members) {
    const Node array = member[f::ConstantInfo::data];
    const std::string_view name = member.text(f::ConstantInfo::name_hint);
    sink(fmt::format("  .{} = {{\n", name));
    write_data(sink, array.dtype(f::NDArray::dtype), data_of(array, name));
    sink("  },\n");
  }
  sink(fmt::format("}};// of total size {} bytes\n", bytes));
}

void write_workspace_pool(const Sink& sink, const NamedPool& pool) {
  sink(
      fmt::format("__attribute__((section(\".bss.noinit.tvm\"), aligned({})))\nstatic uint8_t "
                  "{}[{}];\n",
                  kPoolAlignment, pool.name, pool.bytes));
}

}  // namespace mlf::tir::c
