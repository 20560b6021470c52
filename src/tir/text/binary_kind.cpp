#include "tir/text/binary_kind.h"

namespace mlf::tir::text {

std::optional<Kind> binary_kind(Sign sign) {
  switch (sign) {
    case Sign::plus:
      return Kind::Add;
    case Sign::minus:
      return Kind::Sub;
    case Sign::star:
      return Kind::Mul;
    case Sign::slash:
      return Kind::Div;
    case Sign::percent:
      return Kind::Mod;
    case Sign::equal:
      return Kind::EQ;
    case Sign::not_equal:
      return Kind::NE;
    case Sign::less:
      return Kind::LT;
    case Sign::less_equal:
      return Kind::LE;
    case Sign::greater:
      return Kind::GT;
    case Sign::greater_equal:
      return Kind::GE;
    case Sign::and_:
      return Kind::And;
    case Sign::or_:
      return Kind::Or;
    default:
      return std::nullopt;
  }
}

}  // namespace mlf::tir::text
