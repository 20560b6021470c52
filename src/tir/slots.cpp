#include "tir/slots.h"

namespace mlf::tir {

bool fits(Kind kind, Expects slot) {
  const Category category = info(kind).category;
  switch (slot) {
    case Expects::expr:  // or a reference into a metadata section that was left out
      return category == Category::expr || kind == Kind::MissingObject;
    case Expects::var:
      return kind == Kind::Var || kind == Kind::SizeVar;
    case Expects::buffer:
      return category == Category::buffer;
    case Expects::stmt:
      return category == Category::stmt;
    case Expects::range:
      return kind == Kind::Range;
    case Expects::iter_var:
      return kind == Kind::IterVar;
    case Expects::buffer_region:
      return kind == Kind::BufferRegion;
    case Expects::match_buffer_region:
      return kind == Kind::MatchBufferRegion;
    case Expects::comm_reducer:
      return kind == Kind::CommReducer;
    case Expects::type:  // or one that came after our table
      return category == Category::type || kind == Kind::Opaque;
    case Expects::function:
      return category == Category::function || kind == Kind::RelayFunction || kind == Kind::Opaque;
    case Expects::callee:
      return category == Category::object;
    case Expects::constant:
    case Expects::tensor:
      return category == Category::constant || kind == Kind::MissingObject;
    default:
      return true;
  }
}

}  // namespace mlf::tir
