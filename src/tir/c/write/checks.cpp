#include "tir/c/write/checks.h"

#include <fmt/core.h>

#include "mlf/tir/visit.h"
#include "support/error.h"

namespace mlf::tir::c {
namespace {

bool fits(Node node, Expects expects) {
  switch (expects) {
    case Expects::expr:
      return node.category() == Category::expr;
    case Expects::stmt:
      return node.category() == Category::stmt;
    case Expects::var:
      return node.is(Kind::Var) || node.is(Kind::SizeVar);
    case Expects::buffer:
      return node.is(Kind::Buffer);
    default:
      return true;
  }
}

[[noreturn]] void fail(Node node, const FieldInfo& field, std::string_view how) {
  throw support::Error(ErrorKind::invalid_input,
                       fmt::format("{} of {} is {}", field.name, node.info().name, how));
}

void check_field(Node node, std::uint8_t position) {
  const FieldInfo& field = node.info().fields[position];
  if (field.type == FieldType::node) {
    const Node held = node.node(position);
    if (!held && !field.nullable) fail(node, field, "undefined");
    if (held && !fits(held, field.expects)) fail(node, field, "of the wrong kind");
  } else if (field.type == FieldType::list) {
    for (const Node held : node.list(position)) {
      if (!held) fail(node, field, "undefined");
      if (!fits(held, field.expects)) fail(node, field, "of the wrong kind");
    }
  }
}

}  // namespace

void require_whole(Node root) {
  for_each_pre_order(root, [](Node node) {
    for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) check_field(node, i);
  });
}

}  // namespace mlf::tir::c
