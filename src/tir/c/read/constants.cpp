#include "tir/c/read/constants.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "support/error.h"
#include "tir/c/language.h"
#include "tir/c/read/array_rows.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kParamSuffix = "_var";
// What TVM writes where nothing is known of the memory behind a pool.
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

/// `__attribute__((…, aligned(16)))`: the alignment it asks for.
std::int64_t pass_attribute(Cursor& cursor) {
  std::int64_t alignment = 1;
  cursor.expect("__attribute__");
  std::size_t depth = 0;
  do {
    if (cursor.looks_like("aligned ( $ )")) {
      alignment = static_cast<std::int64_t>(number(cursor, cursor.peek(2)));
    }
    if (cursor.at(sign("("))) ++depth;
    if (cursor.at(sign(")"))) --depth;
    cursor.advance();
  } while (depth > 0 && !cursor.at_end());
  return std::clamp<std::int64_t>(alignment, 1, 1 << 20);
}

struct Declared {
  std::string_view name{};
  DType element{};
  std::uint64_t count = 0;
  SourceRange type;
};

/// `T [attribute] name[N]`.
Declared read_declaration(Cursor& cursor) {
  const Token type = cursor.peek();
  const auto element = scalar_type(cursor.expect_name("the type of a constant"));
  if (!element || !is_array_element(*element)) cursor.fail(type, "a constant of an unknown type");
  if (cursor.at_word("__attribute__")) pass_attribute(cursor);
  Declared declared{.element = *element, .type = {type.begin, type.end}};
  declared.name = cursor.expect_name("the name of a constant");
  cursor.expect("[");
  declared.count = number(cursor, cursor.advance());
  cursor.expect("]");
  return declared;
}

/// Shapes are flat: C has the product of the dimensions only.
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

/// `128u` is 128.
std::string_view without_suffix(std::string_view number) {
  const std::size_t digits = number.find_first_not_of("0123456789");
  const std::string_view rest = digits == number.npos ? std::string_view() : number.substr(digits);
  return rest.find_first_not_of("uUlL") == rest.npos ? number.substr(0, digits) : number;
}

/// Bytes of an element of the array whose name is at this token; nothing for types that generated C
/// does not have.
std::optional<std::int64_t> bytes_of_element(const Cursor& cursor, std::size_t name) {
  std::size_t type = name - 1;
  // An attribute is between type and name.
  for (std::size_t depth = 0; type > 0; --type) {
    if (cursor.at(sign(")"), type)) ++depth;
    if (cursor.at(sign("("), type)) --depth;
    const bool is_attribute =
        depth > 0 || cursor.at(sign("("), type) || cursor.at_word("__attribute__", type);
    if (!is_attribute) break;
  }
  if (cursor.at_word("char", type)) return 1;
  const auto element = cursor.at_name(type) ? scalar_type(cursor.text(type)) : std::nullopt;
  if (!element || element->is_void()) return std::nullopt;
  return static_cast<std::int64_t>(element->element_bytes());
}

/// The rows of `.name = {…}`, from `at` on; `at` moves behind them.
Bytes next_rows(const support::SourceText& source, Bytes body, std::uint32_t& at) {
  const std::size_t open = source.text.find('{', at);
  const std::size_t close = source.text.find('}', std::min<std::size_t>(open, body.end));
  if (open >= body.end || close >= body.end) {
    support::fail_at(source, body.begin, "the pool has fewer values than members");
  }
  at = static_cast<std::uint32_t>(close + 1);
  return {static_cast<std::uint32_t>(open + 1), static_cast<std::uint32_t>(close)};
}

/// `.name = {…},` between two others; `begin` is behind the brace of the one before, `end` behind
/// its own.
SourceRange initializer_at(const support::SourceText& source, std::uint32_t begin,
                           std::uint32_t end) {
  begin = static_cast<std::uint32_t>(std::min<std::size_t>(source.text.find('.', begin), end));
  if (end < source.text.size() && source.text[end] == ',') ++end;
  return {begin, end};
}

}  // namespace

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
                         .values = {item.body.begin, item.body.end},
                         .initializer = {}});
  return {declared.name, declared.element, declared.count, data};
}

/// Members have no offset of their own in C but in a comment. The compiler lays them out by their
/// alignment, and so does this: the offsets are those that the comments state.
Pool read_constant_pool(ModuleContext& context, const support::SourceText& source,
                        const Item& item) {
  Cursor cursor = cursor_over(source, item.head);
  Pool pool{.is_constant = true};
  if (cursor.at_word("__attribute__")) pass_attribute(cursor);
  cursor.accept_word("static");
  cursor.accept_word("const");
  cursor.expect("struct");
  pool.name = cursor.expect_name("the name of a pool");
  cursor.expect("{");
  std::uint32_t at = item.body.begin;
  while (!cursor.at(sign("}"))) {
    const std::uint32_t begin = cursor.peek().begin;
    const Declared declared = read_declaration(cursor);
    const std::int64_t alignment = cursor.at_word("__attribute__") ? pass_attribute(cursor) : 1;
    cursor.expect(";");
    // As the compiler pads it.
    const std::int64_t offset = (pool.bytes + alignment - 1) / alignment * alignment;
    const std::uint32_t initializer = at;
    const Bytes rows = next_rows(source, item.body, at);
    const NodeId data = array_node(context, source, rows, declared);
    context.note_constant({.array = data,
                           .file = context.file,
                           .declaration = {begin, cursor.end_before()},
                           .type = declared.type,
                           .values = {rows.begin, rows.end},
                           .initializer = initializer_at(source, initializer, at),
                           .alignment = alignment});
    pool.members.push_back({declared.name, declared.element, declared.count, offset, data});
    pool.bytes =
        offset + static_cast<std::int64_t>(declared.count * declared.element.element_bytes());
  }
  return pool;
}

/// The element type is the word before the name, behind storage classes, attributes and macros of
/// the board: `EXT_RAM_ATTR static uint8_t name[N]`. A pointer or a size that is no number says
/// nothing.
std::optional<Pool> read_workspace_pool(const support::SourceText& source, const Item& item) {
  Cursor cursor = cursor_over(source, item.head);
  std::size_t bracket = 0;
  while (!cursor.at(sign("["), bracket) && cursor.peek(bracket).kind != TokenKind::end) ++bracket;
  const bool is_array =
      bracket > 1 && cursor.at_name(bracket - 1) && cursor.at(sign("]"), bracket + 2);
  if (!is_array) return std::nullopt;
  const auto count = decimal(without_suffix(cursor.text(bracket + 1)));
  const auto width = bytes_of_element(cursor, bracket - 1);
  std::int64_t bytes = 0;
  if (!count || !width || __builtin_mul_overflow(*count, *width, &bytes)) return std::nullopt;
  Pool pool{.name = cursor.text(bracket - 1), .bytes = bytes};
  const Token& digits = cursor.peek(bracket + 1);
  if (*width == 1) pool.size_place = Place{0, {digits.begin, digits.end}};
  return pool;
}

/// AOT names them after the pool and a number that counts over all functions.
bool is_pool_param(std::string_view param) {
  if (!param.ends_with(kParamSuffix)) return false;
  param.remove_suffix(kParamSuffix.size());
  const std::size_t last = param.find_last_not_of("0123456789");
  return last != param.npos && last + 1 < param.size() && param[last] == '_';
}

const Pool* pool_of_param(const ModuleFacts& facts, std::string_view param) {
  if (!is_pool_param(param)) return nullptr;
  param = param.substr(0, param.rfind('_', param.size() - kParamSuffix.size() - 1));
  const auto found = std::ranges::find(facts.pools, param, &Pool::name);
  return found == facts.pools.end() ? nullptr : &*found;
}

/// Speed, latency and targets of a pool are given to tvmc and never printed: these are the defaults
/// of PoolInfoProperties.
NodeId pool_info(ModuleContext& context, Pool& pool) {
  if (pool.info != NodeId::none) return pool.info;
  Builder& builder = context.builder;
  const auto property = [&](std::int64_t value) { return context.make.int32(value); };
  std::vector<FieldValue> fields = {
      builder.string(pool.name),  builder.list(std::span<const NodeId>()),
      property(kUnknownProperty), property(kUnknownProperty),
      property(kUnknownProperty), property(kUnknownProperty),
      property(kUnknownLatency),  property(kUnknownLatency),
      property(kUnknownBurst),    true};
  if (!pool.is_constant) {
    pool.info = builder.make(Kind::WorkspacePoolInfo, fields);
    return pool.info;
  }
  std::vector<NodeId> constants;
  for (const PoolMember& member : pool.members) {
    constants.push_back(builder.make(
        Kind::ConstantInfo,
        {builder.string(member.name), context.make.int32(member.offset), member.data}));
  }
  fields.emplace_back(builder.list(constants));
  pool.info = builder.make(Kind::ConstantPoolInfo, fields);
  return pool.info;
}

/// `case 3: ((uint64_t*)out_ret_value)[0] = (uint64_t) (uintptr_t) __tvm_param__p1;`
void read_linked_param_ids(const support::SourceText& source, const Item& function,
                           LinkedParamIds& ids) {
  Cursor cursor(source, tokenize(source.text, function.body.begin, function.body.end));
  constexpr std::int64_t kNone = -1;  // storage ids are none below 0
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
    const std::int64_t id =
        known == ids.end() ? static_cast<std::int64_t>(params.size()) : known->second;
    params.push_back({builder.string(name), builder.make(Kind::LinkedParam, {id, array.data})});
  }
  if (params.empty()) return std::nullopt;
  const NodeId map = builder.make(Kind::StringMap, {builder.map(params)});
  const NodeId attrs = builder.make(
      Kind::DictAttrs, {builder.map(std::vector<NamedNode>{
                           {builder.string("global_symbol"), make.string(kLinkedParamsFunction)},
                           {builder.string(kLinkedParams), map}})});
  const NodeId nothing = builder.make(Kind::SeqStmt, {builder.list(std::span<const NodeId>())});
  const NodeId function = builder.make(
      Kind::PrimFunc, {builder.list(std::span<const NodeId>()), make.void_type(),
                       builder.map(std::span<const NodePair>()), ListId::none, attrs, nothing});
  return NodePair{make.global_var(kLinkedParamsFunction), function};
}

}  // namespace mlf::tir::c
