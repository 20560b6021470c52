#include "tir/c/metadata.h"

#include <charconv>
#include <map>

#include "support/error.h"
#include "tir/c/language.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kShapeEnd = "_shape";
constexpr std::string_view kInputs = "kTvmgenMetadata_inputs";
constexpr std::string_view kOutputs = "kTvmgenMetadata_outputs";
constexpr std::string_view kRoot = "kTvmgenMetadata";

using Shapes = std::map<std::string_view, std::vector<std::int64_t>, std::less<>>;

std::int64_t number(Cursor& cursor) {
  const Token token = cursor.advance();
  std::string_view text = cursor.text(token);
  if (text.ends_with('L')) text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    cursor.fail(token, "expected a number");
  }
  return value;
}

std::string_view string(Cursor& cursor) {
  const std::string_view text = cursor.text();
  if (cursor.peek().kind != TokenKind::string || text.size() < 2) cursor.fail("expected a string");
  cursor.advance();
  return text.substr(1, text.size() - 2);
}

/// `1L, 8L`
std::vector<std::int64_t> read_shape(Cursor& cursor) {
  std::vector<std::int64_t> shape;
  while (!cursor.at_end()) {
    shape.push_back(number(cursor));
    if (!cursor.accept(sign(","))) break;
  }
  return shape;
}

/// `{"name", shape, 2L, {code, bits, lanes}}`, one after another.
std::vector<TensorType> read_tensors(Cursor& cursor, const Shapes& shapes) {
  std::vector<TensorType> tensors;
  while (cursor.accept(sign("{"))) {
    string(cursor);
    cursor.expect(",");
    const Token name = cursor.peek();
    const auto shape = shapes.find(cursor.expect_name("the name of a shape"));
    if (shape == shapes.end()) cursor.fail(name, "a shape that is not defined");
    cursor.expect(",");
    number(cursor);
    cursor.expect(",");
    cursor.expect("{");
    const std::int64_t code = number(cursor);
    cursor.expect(",");
    const std::int64_t bits = number(cursor);
    cursor.expect(",");
    const std::int64_t lanes = number(cursor);
    cursor.expect("}");
    cursor.expect("}");
    cursor.accept(sign(","));
    const auto dtype = dtype_of(code, bits, lanes);
    if (!dtype || dtype->is_void()) cursor.fail(name, "a tensor of an unknown type");
    tensors.push_back({*dtype, shape->second});
  }
  return tensors;
}

/// The last string of the root is the prefix of the module.
std::string read_prefix(Cursor& cursor) {
  std::string prefix;
  while (!cursor.at_end()) {
    if (cursor.peek().kind == TokenKind::string)
      prefix = string(cursor);
    else
      cursor.advance();
  }
  return prefix;
}

std::string_view name_of(const support::SourceText& source, const Item& item) {
  std::string_view head = source.text.substr(item.head.begin, item.head.end - item.head.begin);
  head = head.substr(0, head.rfind('['));
  return head.substr(std::min(head.rfind(' ') + 1, head.size()));
}

CMetadata read(const support::SourceText& source, const FileItems& items) {
  Shapes shapes;
  CMetadata metadata;
  for (const Item& item : items.items) {
    if (item.kind != ItemKind::other || item.body.end <= item.body.begin) continue;
    const std::string_view name = name_of(source, item);
    if (!name.starts_with(kRoot)) continue;
    const bool is_wanted =
        name.ends_with(kShapeEnd) || name == kInputs || name == kOutputs || name == kRoot;
    if (!is_wanted) continue;
    Cursor cursor(source, tokenize(source.text, item.body.begin, item.body.end));
    if (name.ends_with(kShapeEnd)) shapes[name] = read_shape(cursor);
    if (name == kInputs) metadata.inputs = read_tensors(cursor, shapes);
    if (name == kOutputs) metadata.outputs = read_tensors(cursor, shapes);
    if (name == kRoot) metadata.module = read_prefix(cursor);
  }
  return metadata;
}

}  // namespace

std::optional<CMetadata> read_metadata(const support::SourceText& source, const FileItems& items) {
  try {
    CMetadata metadata = read(source, items);
    if (metadata.module.empty()) return std::nullopt;
    return metadata;
  } catch (const support::Error&) {
    return std::nullopt;
  }
}

}  // namespace mlf::tir::c
