#include "tir/c/read/constants.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>

#include "support/characters.h"
#include "support/error.h"
#include "support/numbers.h"
#include "tir/c/language.h"
#include "tir/c/read/printed_rows.h"
#include "tir/elements.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::tir::c {

// --- Rows of arrays ----------------------------------------------------------------------------
// Most bytes of most archives are such rows. printed_rows.h decodes the form that TVM prints; this
// code reads any other form that C allows, and reports errors.

namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

const char* skip_digits(const char* at, const char* end, bool is_hexadecimal) {
  const auto is_digit = [&](char c) {
    const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'f';
    return (c >= '0' && c <= '9') || (is_hexadecimal && is_letter);
  };
  while (at < end && is_digit(*at)) ++at;
  return at;
}

/// The end of a float as C spells it, without sign and prefix; null if there is none.
/// std::from_chars accepts more: words, a second sign.
const char* float_end(const char* at, const char* end, bool is_hexadecimal) {
  const char* const whole = skip_digits(at, end, is_hexadecimal);
  const char* stop = whole;
  if (stop < end && *stop == '.') stop = skip_digits(stop + 1, end, is_hexadecimal);
  const bool has_digits = whole > at || stop > whole + 1;
  if (!has_digits) return nullptr;
  if (stop == end || (*stop | 0x20) != (is_hexadecimal ? 'p' : 'e')) return stop;
  ++stop;
  if (stop < end && (*stop == '-' || *stop == '+')) ++stop;
  const char* const exponent = stop;
  stop = skip_digits(stop, end, false);
  return stop > exponent ? stop : nullptr;
}

/// A literal without sign and suffix.
struct Magnitude {
  std::uint64_t value = 0;
  bool is_negative = false;
};

class RowReader {
 public:
  RowReader(const support::SourceText& source, Bytes rows, DType element, std::uint64_t count)
      : source_(source),
        element_(element),
        count_(count),
        at_(source.text.data() + rows.begin),
        end_(source.text.data() + rows.end) {}

  template <class Number>
  std::vector<std::byte> read() {
    constexpr std::uint64_t kRow = Printed<Number>::kElements;
    std::vector<std::byte> data(count_ * sizeof(Number));
    std::byte* to = data.data();
    for (std::uint64_t i = 0; i < count_; i += kRow, to += kRow * sizeof(Number)) {
      skip_blanks();
      // Reads a whole row at once; if that fails, element by element, which also finds the error.
      if (take_printed<Number>(i, to)) continue;
      const std::uint64_t left = std::min(kRow, count_ - i);
      for (std::uint64_t k = 0; k < left; ++k) {
        take_element<Number>(i + k, to + k * sizeof(Number));
      }
    }
    skip_blanks();
    if (at_ != end_)
      fail(at_, fmt::format("expected '}}' after the {} elements of the array", count_));
    return data;
  }

 private:
  /// U, L, LL and combinations, in any order and case.
  void take_integer_suffix() {
    const bool is_unsigned = take_either('U', 'u');
    const char* const letters = at_;
    const bool is_long = take_either('L', 'l');
    if (is_long) take(*letters);
    if (is_long && !is_unsigned) take_either('U', 'u');
  }

  template <class Number>
  void convert(Number& number, bool is_hexadecimal) {
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<Number>) {
      const char* const end = float_end(at_, end_, is_hexadecimal);
      if (end == nullptr) fail_as_element(first_);
      const auto format = is_hexadecimal ? std::chars_format::hex : std::chars_format::general;
      result = std::from_chars(at_, end, number, format);
      if (result.ec == std::errc() && result.ptr != end) fail_as_element(first_);
    } else {
      result = std::from_chars(at_, end_, number, is_hexadecimal ? 16 : 10);
    }
    if (result.ec == std::errc::result_out_of_range) {
      fail(first_, fmt::format("the element is out of the range of {}", to_string(element_)));
    }
    if (result.ec != std::errc()) fail_as_element(first_);
    at_ = result.ptr;
  }

  /// TVM prints no octal numbers. 010 is 8 in C but looks like 10, so it is an error.
  Magnitude take_magnitude() {
    Magnitude magnitude;
    magnitude.is_negative = take_sign();
    const bool is_hexadecimal = take_hex_prefix();
    const bool is_octal =
        !is_hexadecimal && end_ - at_ > 1 && at_[0] == '0' && at_[1] >= '0' && at_[1] <= '9';
    if (is_octal) fail(first_, "an octal number");
    convert(magnitude.value, is_hexadecimal);
    take_integer_suffix();
    return magnitude;
  }

  template <class Integer>
  void take_number(Integer& number) requires std::is_integral_v<Integer> {
    const Magnitude magnitude = take_magnitude();
    constexpr std::uint64_t kMost = std::numeric_limits<Integer>::max();
    constexpr std::uint64_t kLeast = std::is_signed_v<Integer> ? kMost + 1 : 0;
    if (magnitude.value > (magnitude.is_negative ? kLeast : kMost)) {
      fail(first_, fmt::format("the element is out of the range of {}", to_string(element_)));
    }
    number = static_cast<Integer>(magnitude.is_negative ? 0 - magnitude.value : magnitude.value);
  }

  template <class Float>
  void take_number(Float& number) requires std::is_floating_point_v<Float> {
    const bool is_negative = take_sign();
    if (take_word("INFINITY")) {
      number = std::numeric_limits<Float>::infinity();
    } else if (take_word("NAN")) {
      number = std::numeric_limits<Float>::quiet_NaN();
    } else {
      convert(number, take_hex_prefix());
      if (sizeof(Float) == sizeof(float)) take_either('f', 'F');
    }
    if (is_negative) number = -number;
  }

  /// A comma, which is optional after the last element.
  void take_separator(std::uint64_t i) {
    skip_blanks();
    const bool has_comma = take(',');
    if (has_comma || i + 1 == count_ || at_ == end_) return;
    fail(at_, "expected ',' after an element of the array");
  }

  template <class Number>
  void take_element(std::uint64_t i, std::byte* to) {
    skip_blanks();
    if (at_ == end_) {
      fail(at_, fmt::format("the array ends after {} of its {} elements", i, count_));
    }
    first_ = at_;
    Number number{};
    take_number(number);
    take_separator(i);
    std::memcpy(to, &number, sizeof number);
  }

  /// A row in TVM's form. Returns false, without moving, if there is none.
  template <class Number>
  bool take_printed(std::uint64_t i, std::byte* to) {
    using Row = Printed<Number>;
    if (count_ - i < Row::kElements) return false;
    if (static_cast<std::size_t>(end_ - at_) < Row::kMostBytes) return false;
    std::array<Number, Row::kElements> numbers;
    const char* const end = Row::take(at_, numbers.data());
    if (end == nullptr) return false;
    std::memcpy(to, numbers.data(), sizeof numbers);
    at_ = end;
    return true;
  }

  void skip_blanks() {
    while (at_ < end_ && is_blank(*at_)) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take_either(char one, char other) { return take(one) || take(other); }
  bool take_word(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool take_sign() {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    return is_negative;
  }
  bool take_hex_prefix() {
    const bool is_there = end_ - at_ > 1 && at_[0] == '0' && (at_[1] | 0x20) == 'x';
    if (is_there) at_ += 2;
    return is_there;
  }

  [[noreturn]] void fail(const char* at, std::string message) const {
    support::fail_at(source_, static_cast<std::size_t>(at - source_.text.data()),
                     std::move(message));
  }
  [[noreturn]] void fail_as_element(const char* at) const {
    fail(at, "expected an element of the array");
  }

  const support::SourceText& source_;
  DType element_;
  std::uint64_t count_;
  const char* at_;
  const char* end_;
  const char* first_ = nullptr;  // of the current element
};

// What TVM writes if it knows nothing about the memory of a pool.
constexpr std::int64_t kUnknownProperty = -1;
constexpr std::int64_t kUnknownLatency = 0;
constexpr std::int64_t kUnknownBurst = 1;

std::uint64_t number(const Cursor& cursor, const Token& token) {
  const auto value = decimal(cursor.text(token));
  if (!value) cursor.fail(token, "expected a number of elements");
  return static_cast<std::uint64_t>(*value);
}

Cursor cursor_over(const support::SourceText& source, Bytes range) {
  return {source, tokenize(source.text, range.begin, range.end)};
}

/// The alignment in `__attribute__((…, aligned(16)))`.
std::int64_t pass_attribute(Cursor& cursor, std::int64_t natural = 1) {
  std::int64_t alignment = 1;
  cursor.expect("__attribute__");
  std::size_t depth = 0;
  do {
    if (cursor.looks_like("aligned($)")) {
      alignment = static_cast<std::int64_t>(number(cursor, cursor.peek(2)));
    }
    if (cursor.at_word("packed")) natural = 1;
    if (cursor.at(sign("("))) ++depth;
    if (cursor.at(sign(")"))) --depth;
    cursor.advance();
  } while (depth > 0 && !cursor.at_end());
  return std::clamp<std::int64_t>(alignment, natural, 1 << 20);
}

struct Declared {
  std::string_view name{};
  DType element{};
  std::uint64_t count = 0;
  std::int64_t alignment = 1;
  SourceRange type{};
  SourceRange count_text{};
};

/// `T [attribute] name[N]`.
Declared read_declaration(Cursor& cursor) {
  const Token type = cursor.peek();
  const auto element = scalar_type(cursor.expect_name("the type of a constant"));
  if (!element || !is_array_element(*element)) cursor.fail(type, "a constant of an unknown type");
  Declared declared{.element = *element, .type = {type.begin, type.end}};
  if (cursor.at_word("__attribute__")) declared.alignment = pass_attribute(cursor);
  declared.name = cursor.expect_name("the name of a constant");
  cursor.expect("[");
  const Token count = cursor.advance();
  declared.count = number(cursor, count);
  declared.count_text = {count.begin, count.end};
  cursor.expect("]");
  return declared;
}

/// C has only the product of the dimensions, so the shape has one dimension.
NodeId array_node(ModuleContext& context, const support::SourceText& source, Bytes rows,
                  const Declared& declared) {
  Builder& builder = context.builder;
  const std::array shape = {static_cast<std::int64_t>(declared.count)};
  const bool is_text = source.text[rows.begin] == '"';
  std::vector<std::byte> data =
      is_text ? decode_text(source, rows, declared.count * declared.element.element_bytes())
              : decode_rows(source, rows, declared.element, declared.count);
  return builder.make(Kind::NDArray,
                      {declared.element, builder.integers(shape), builder.bytes(std::move(data))});
}

/// The rows of `.name = {…}` from `at` on; moves `at` after them.
Bytes next_rows(const support::SourceText& source, Bytes body, std::uint32_t& at) {
  const std::size_t open = source.text.find('{', at);
  const std::size_t close = source.text.find('}', std::min<std::size_t>(open, body.end));
  if (open >= body.end || close >= body.end) {
    support::fail_at(source, body.begin, "the pool has fewer values than members");
  }
  at = static_cast<std::uint32_t>(close + 1);
  return {static_cast<std::uint32_t>(open + 1), static_cast<std::uint32_t>(close)};
}

/// `.name = {…},` between two others; `begin` is after the brace of the previous one, `end` after
/// its own.
SourceRange initializer_at(const support::SourceText& source, std::uint32_t begin,
                           std::uint32_t end) {
  begin = static_cast<std::uint32_t>(std::min<std::size_t>(source.text.find('.', begin), end));
  if (end < source.text.size() && source.text[end] == ',') ++end;
  return {begin, end};
}

}  // namespace

/// TVM prints float16 as the bits of its elements, so it is read like integers of 16 bits.
std::vector<std::byte> decode_rows(const support::SourceText& source, Bytes rows, DType element,
                                   std::uint64_t count) {
  // Every element takes a character and a comma, so a wrong count cannot request much memory.
  if (count > (rows.end - rows.begin + 1u) / 2 + 1) {
    support::fail_at(source, rows.begin,
                     fmt::format("the array has fewer than its {} elements", count));
  }
  RowReader reader(source, rows, element, count);
  std::vector<std::byte> data;
  with_number(element == DType::Float(16) ? DType::UInt(16) : element,
              [&]<class T>(T) { data = reader.read<T>(); });
  return data;
}

std::vector<std::byte> decode_text(const support::SourceText& source, Bytes text,
                                   std::uint64_t count) {
  constexpr std::uint32_t kPerByte = 4;  // characters
  const std::uint32_t first = text.begin + 1;
  const std::uint32_t characters = text.end - text.begin - std::min(text.end - text.begin, 2u);
  if (characters % kPerByte != 0 || characters / kPerByte != count) {
    support::fail_at(source, text.begin, fmt::format("expected {} bytes as \\xHH", count));
  }
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(count));
  for (std::uint32_t at = first; bytes.size() < count; at += kPerByte) {
    const char* const digits = source.text.data() + at + 2;
    std::uint8_t value = 0;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    if (source.text.substr(at, 2) != "\\x" || error != std::errc() || end != digits + 2) {
      support::fail_at(source, at, "expected a byte as \\xHH");
    }
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

// --- Arrays and pools ----------------------------------------------------------------------------

ConstantArray read_array(ModuleContext& context, const support::SourceText& source,
                         const Item& item) {
  Cursor cursor = cursor_over(source, item.head);
  if (cursor.at_word("__attribute__")) pass_attribute(cursor);
  while (cursor.accept_word("static") || cursor.accept_word("const")) {
  }
  const Declared declared = read_declaration(cursor);
  const NodeId data = array_node(context, source, item.body, declared);
  context.note_constant({.array = data,
                         .file = context.file,
                         .declaration = {item.head.begin, item.end},
                         .type = declared.type,
                         .count = declared.count_text,
                         .values = {item.body.begin, item.body.end},
                         .initializer = {},
                         .alignment = declared.alignment});
  return {declared.name, declared.element, declared.count, data, context.file};
}

NodeId array_variable(ModuleContext& context, const ConstantArray& array) {
  return context.make.var(array.name, context.make.pointer_to(array.element, "global"));
}

/// C states the offsets of members only in comments. The compiler places members by their
/// alignment, and this code does the same: the offsets equal those in the comments.
Pool read_constant_pool(ModuleContext& context, const support::SourceText& source,
                        const Item& item) {
  Cursor cursor = cursor_over(source, item.head);
  Pool pool{.is_constant = true};
  if (cursor.at_word("__attribute__")) pass_attribute(cursor);
  cursor.accept_word("static");
  cursor.accept_word("const");
  cursor.expect("struct");
  cursor.expect_name("the name of a pool");
  cursor.expect("{");
  std::int64_t largest = 1;
  std::uint32_t at = item.body.begin;
  while (!cursor.at(sign("}"))) {
    const std::uint32_t begin = cursor.peek().begin;
    const Declared declared = read_declaration(cursor);
    const auto natural =
        std::max(static_cast<std::int64_t>(declared.element.element_bytes()), declared.alignment);
    const std::int64_t alignment =
        cursor.at_word("__attribute__") ? pass_attribute(cursor, natural) : natural;
    cursor.expect(";");
    // With the compiler's padding.
    const std::int64_t offset = support::round_up(pool.bytes, alignment);
    largest = std::max(largest, alignment);
    const std::uint32_t initializer = at;
    const Bytes rows = next_rows(source, item.body, at);
    const NodeId data = array_node(context, source, rows, declared);
    context.note_constant({.array = data,
                           .file = context.file,
                           .declaration = {begin, cursor.end_before()},
                           .type = declared.type,
                           .count = declared.count_text,
                           .values = {rows.begin, rows.end},
                           .initializer = initializer_at(source, initializer, at),
                           .alignment = alignment});
    pool.members.push_back(
        {declared.name, declared.element, declared.count, data, context.file, offset});
    pool.bytes =
        offset + static_cast<std::int64_t>(declared.count * declared.element.element_bytes());
  }
  pool.padding = support::round_up(pool.bytes, largest) - pool.bytes;
  Cursor object = cursor_over(source, {item.head.end, item.body.begin});
  pool.name = object.expect_name("the name of a pool");
  object.expect("=");
  return pool;
}

/// The element type is the word before the name, after storage classes, attributes and macros of
/// the board: `EXT_RAM_ATTR static uint8_t name[N]`. A pointer, or a size that is not known, gives
/// nothing.
std::optional<Pool> read_workspace_pool(const support::SourceText& source, const Item& item,
                                        const Directives& directives) {
  const Cursor words(source, without_attributes(source.text, item.head));
  std::size_t name = 1;
  while (!words.at(sign("["), name + 1) && words.peek(name).kind != TokenKind::end) ++name;
  std::size_t close = name + 2;
  while (!words.at(sign("]"), close) && words.peek(close).kind != TokenKind::end) ++close;
  const bool is_array = words.at_name(name) && words.at(sign("]"), close) &&
                        words.peek(close + 1).kind == TokenKind::end;
  const std::string_view type = words.text(name - 1);
  // `vector_size(16)` and the like change the size of elements.
  const std::string_view head = item.head.in(source.text);
  constexpr std::array<std::string_view, 5> kOtherSizes{"_Complex", "__complex__", "long",
                                                        "vector_size", "mode"};
  const auto is_in_head = [&](std::string_view word) {
    return support::find_word(head, word) != std::string_view::npos;
  };
  if (std::ranges::any_of(kOtherSizes, is_in_head)) return std::nullopt;
  const auto element = type == "char" ? DType::Int(8) : scalar_type(type);
  const Token& first = words.peek(name + 2);
  if (!is_array || !element || element->is_void()) return std::nullopt;
  Pool pool{.name = words.text(name), .size = {first.begin, words.peek(close - 1).end}};
  const auto literal =
      close == name + 3 ? decimal(without_suffix(words.text(first))) : std::nullopt;
  const auto count = literal ? literal : directives.integer(source, pool.size);
  const auto width = static_cast<std::int64_t>(element->element_bytes());
  if (!count || __builtin_mul_overflow(*count, width, &pool.bytes)) return std::nullopt;
  if (width == 1 && literal) pool.size_place = Place{0, {pool.size.begin, pool.size.end}};
  for (Cursor all = cursor_over(source, item.head); !all.at_end(); all.advance()) {
    if (!all.looks_like("aligned($)")) continue;
    const auto number = decimal(without_suffix(all.text(2)));
    const bool is_alignment =
        number && *number > 0 && std::has_single_bit(static_cast<std::uint64_t>(*number));
    if (is_alignment) pool.alignment = static_cast<std::uint64_t>(*number);
  }
  return pool;
}

const Pool* pool_of_param(const ModuleFacts& facts, std::string_view param) {
  const std::string_view name = pool_name(param);
  const auto found = std::ranges::find(facts.pools, name, &Pool::name);
  return name.empty() || found == facts.pools.end() ? nullptr : &*found;
}

/// tvmc receives the speed, latency and targets of a pool and never prints them: these are the
/// defaults of PoolInfoProperties.
NodeId pool_info(ModuleContext& context, Pool& pool) {
  if (pool.info != NodeId::none) return pool.info;
  Builder& builder = context.builder;
  const auto property = [&](std::int64_t value) { return context.make.int32(value); };
  std::vector<FieldValue> fields = {builder.string(pool.name),  builder.list({}),
                                    property(kUnknownProperty), property(kUnknownProperty),
                                    property(kUnknownProperty), property(kUnknownProperty),
                                    property(kUnknownLatency),  property(kUnknownLatency),
                                    property(kUnknownBurst),    true};
  if (!pool.is_constant) {
    pool.info = builder.make(Kind::WorkspacePoolInfo, fields);
    return pool.info;
  }
  std::vector<NodeId> constants;
  for (const ConstantArray& member : pool.members) {
    constants.push_back(builder.make(
        Kind::ConstantInfo,
        {builder.string(member.name), context.make.int32(member.offset), member.data}));
  }
  fields.emplace_back(builder.list(constants));
  pool.info = builder.make(Kind::ConstantPoolInfo, fields);
  return pool.info;
}

constexpr std::int64_t kNone = -1;  // storage ids are at least 0

/// `case 3: ((uint64_t*)out_ret_value)[0] = (uint64_t) (uintptr_t) __tvm_param__p1;`
void read_linked_param_ids(const support::SourceText& source, const Item& function,
                           LinkedParamIds& ids) {
  Cursor cursor(source, tokenize(source.text, function.body.begin, function.body.end));
  std::int64_t id = kNone;
  for (; !cursor.at_end(); cursor.advance()) {
    if (cursor.at_word("default")) id = kNone;
    if (cursor.at_word("case")) id = decimal(cursor.text(1)).value_or(kNone);
    const bool is_param = cursor.at_name() && cursor.text().starts_with(kLinkedParamPrefix);
    if (id == kNone || !is_param) continue;
    ids.try_emplace(cursor.text().substr(kLinkedParamPrefix.size()), id);
  }
}

std::optional<NodePair> linked_params_function(ModuleContext& context, const LinkedParamIds& ids) {
  Builder& builder = context.builder;
  text::ExprFactory& make = context.make;
  std::vector<NamedNode> params;
  for (const ConstantArray& array : context.facts.arrays) {
    if (!array.name.starts_with(kLinkedParamPrefix)) continue;
    const std::string_view name = array.name.substr(kLinkedParamPrefix.size());
    const auto known = ids.find(name);
    const std::int64_t id = known == ids.end() ? kNone : known->second;
    params.push_back({builder.string(name), builder.make(Kind::LinkedParam, {id, array.data})});
  }
  if (params.empty()) return std::nullopt;
  const NodeId map = builder.make(Kind::StringMap, {builder.map(params)});
  const NodeId attrs = builder.make(
      Kind::DictAttrs, {builder.map(std::vector<NamedNode>{
                           {builder.string("global_symbol"), make.string(kLinkedParamsFunction)},
                           {builder.string(kLinkedParams), map}})});
  const NodeId nothing = builder.make(Kind::SeqStmt, {builder.list({})});
  const NodeId function = builder.make(
      Kind::PrimFunc, {builder.list({}), make.void_type(), builder.map(std::span<const NodePair>()),
                       ListId::none, attrs, nothing});
  return NodePair{make.global_var(kLinkedParamsFunction), function};
}

}  // namespace mlf::tir::c
