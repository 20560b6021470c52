// Indices as sums of multiples of terms: one form for all who compare or bound them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/node_queries.h"

namespace mlf::tir {

/// A constant plus terms times factors, none of which is 0. What a term is depends on the user: two
/// are the same if they are equal. Each function returns false if a number would overflow, which
/// TVM and C would wrap around or leave undefined; the sum is then not valid.
template <class Term>
struct LinearSum {
  std::int64_t constant = 0;
  std::map<Term, std::int64_t> factors{};

  bool add_number(std::int64_t number, std::int64_t times) {
    return add_to(constant, number, times);
  }

  bool add_term(const Term& term, std::int64_t factor) {
    const auto at = factors.try_emplace(term).first;
    if (!add_to(at->second, factor, 1)) return false;
    if (at->second == 0) factors.erase(at);
    return true;
  }

  bool add(const LinearSum& other, std::int64_t times) {
    for (const auto& [term, factor] : other.factors) {
      std::int64_t product = 0;
      if (!add_to(product, factor, times) || !add_term(term, product)) return false;
    }
    return add_number(other.constant, times);
  }

  bool is_constant() const { return factors.empty(); }
  friend bool operator==(const LinearSum&, const LinearSum&) = default;

 private:
  static bool add_to(std::int64_t& sum, std::int64_t number, std::int64_t times) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(number, times, &product) &&
           !__builtin_add_overflow(sum, product, &sum);
  }
};

/// Sums of such types do not wrap around in generated C: overflow there is an error of the program.
inline bool is_plain_integer(DType dtype) {
  return dtype.is_int() && dtype.is_scalar() && dtype.bits >= 32;
}

/// Takes sums, differences and products with numbers apart, and adds them `factor` times to `sum`.
/// `look(part)` returns the expression to read in place of a part, or nothing if the part is a term
/// as it is. `add_term(part, factor)` adds a term, or returns false to give up. Returns false then,
/// on overflow, and beyond `most_parts`: on a stack, because the input determines the nesting.
template <class Term, class Look, class AddTerm>
bool add_parts(Node expression, std::int64_t factor, std::size_t most_parts, LinearSum<Term>& sum,
               Look look, AddTerm add_term) {
  std::vector<std::pair<Node, std::int64_t>> stack{{expression, factor}};
  for (std::size_t part = 0; !stack.empty(); ++part) {
    const auto [whole, times] = stack.back();
    stack.pop_back();
    if (part == most_parts || !whole) return false;
    const Node node = whole.is(Kind::IntImm) ? whole : look(whole);
    if (!node) {
      if (!add_term(whole, times)) return false;
    } else if (node.is(Kind::IntImm)) {
      if (!sum.add_number(node.integer(f::IntImm::value), times)) return false;
    } else if (node != whole) {
      stack.emplace_back(node, times);
    } else if (node.is(Kind::Add) || node.is(Kind::Sub)) {
      std::int64_t opposite = 0;
      if (__builtin_sub_overflow(opposite, times, &opposite)) return false;
      stack.emplace_back(node[f::Sub::b], node.is(Kind::Add) ? times : opposite);
      stack.emplace_back(node[f::Add::a], times);
    } else {
      const auto number = [&](Node operand) {
        const Node seen = operand.is(Kind::IntImm) ? operand : look(operand);
        return seen ? int_imm_of(seen) : std::nullopt;
      };
      const bool is_product = node.is(Kind::Mul);
      const auto right = is_product ? number(node[f::Mul::b]) : std::nullopt;
      const auto left = is_product && !right ? number(node[f::Mul::a]) : std::nullopt;
      std::int64_t product = 0;
      const bool is_multiple =
          (right || left) && !__builtin_mul_overflow(times, right ? *right : *left, &product);
      if (is_multiple) {
        stack.emplace_back(node[right ? f::Mul::a : f::Mul::b], product);
      } else if (!add_term(node, times)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace mlf::tir
