#include "tir/json/place.h"

#include "support/error.h"

namespace mlf::tir::json {
namespace {

using support::JsonMember;
using support::JsonValue;

std::string escaped(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

// One step towards `index`: the part of `container` that holds it.
JsonValue descend(JsonValue container, std::uint32_t index, std::string& pointer) {
  JsonValue found = container;
  if (container.is_array()) {
    std::size_t position = 0;
    std::size_t at = 0;
    for (const JsonValue element : container.elements()) {
      if (element.index() > index) break;
      found = element;
      at = position++;
    }
    pointer += "/" + std::to_string(at);
    return found;
  }
  std::string_view key;
  for (const JsonMember member : container.members()) {
    if (member.key.index() > index) break;
    found = member.value;
    key = member.key.text();
  }
  pointer += "/" + escaped(key);
  return found;
}

}  // namespace

std::string pointer_to(JsonValue value) {
  std::string pointer;
  JsonValue at = value.document().root();
  while (at.index() < value.index()) at = descend(at, value.index(), pointer);
  return pointer;
}

void fail(JsonValue value, std::string message) {
  Location where = value.document().source().locate(value.offset(), value.length());
  where.json_pointer = pointer_to(value);
  throw support::Error(ErrorKind::invalid_input, std::move(message), std::move(where));
}

}  // namespace mlf::tir::json
