#include "tir/compare/linear_form.h"

#include <unordered_map>

#include "mlf/tir/visit.h"
#include "tir/compare/descriptions.h"

namespace mlf::tir::compare_detail {
namespace {

bool is_named(Node node) {
  return node.is(Kind::Var) || node.is(Kind::SizeVar) || node.is(Kind::Buffer);
}

/// Visits what an expression is made of, parts first; what has a name is not looked into.
template <class Visit>
void for_each_part(Node expr, Visit&& visit) {
  NodeSet seen(expr.module());
  walk(
      expr, seen,
      [](Node node) { return is_named(node) ? Descend::past_children : Descend::into_children; },
      visit);
}

// Sums wrap around as in the machine: what overflows on both sides alike is still equal.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

LinearForm scaled(const LinearForm& form, std::int64_t factor) {
  LinearForm result{wrapping_multiply(form.constant, factor), {}};
  for (const auto& [term, coefficient] : form.terms) {
    if (const std::int64_t product = wrapping_multiply(coefficient, factor)) {
      result.terms.emplace(term, product);
    }
  }
  return result;
}

LinearForm sum(const LinearForm& a, const LinearForm& b) {
  LinearForm result = a;
  result.constant = wrapping_add(a.constant, b.constant);
  for (const auto& [term, coefficient] : b.terms) {
    std::int64_t& total = result.terms[term];
    total = wrapping_add(total, coefficient);
    if (total == 0) result.terms.erase(term);
  }
  return result;
}

std::string spelled(const LinearForm& form) {
  std::string text = std::to_string(form.constant);
  for (const auto& [term, coefficient] : form.terms) {
    text += "+" + std::to_string(coefficient) + "*" + term;
  }
  return text;
}

template <class SpellChild>
std::string spelled_with(Node node, const IdentityName& name_of, SpellChild&& spell_child) {
  if (is_named(node)) return name_of(node);
  std::string text = scalar_fields(node) + "(";
  for_each_child(node, [&](Node child, const FieldInfo&) { text += spell_child(child) + ","; });
  return text + ")";
}

/// The forms of all parts of one expression, parts before the whole: no recursion on the input, and
/// shared parts are computed once.
class Forms {
 public:
  explicit Forms(const IdentityName& name_of) : name_of_(name_of) {}

  void add(Node node) { forms_.emplace(index(node.id()), make(node)); }
  const LinearForm& of(Node node) const { return forms_.at(index(node.id())); }

 private:
  LinearForm make(Node node) const {
    switch (node.kind()) {
      case Kind::IntImm:
        return {node.integer(f::IntImm::value), {}};
      case Kind::Add:
        return sum(of(node[f::Add::a]), of(node[f::Add::b]));
      case Kind::Sub:
        return sum(of(node[f::Sub::a]), scaled(of(node[f::Sub::b]), -1));
      case Kind::Mul:
        return product(of(node[f::Mul::a]), of(node[f::Mul::b]), node);
      default:
        return term(node);
    }
  }

  // A product is linear only where one side is a constant; any other is a term by its spelling.
  LinearForm product(const LinearForm& a, const LinearForm& b, Node node) const {
    if (b.terms.empty()) return scaled(a, b.constant);
    if (a.terms.empty()) return scaled(b, a.constant);
    return term(node);
  }

  LinearForm term(Node node) const {
    const auto spell_child = [&](Node child) { return spelled(of(child)); };
    return {0, {{spelled_with(node, name_of_, spell_child), 1}}};
  }

  const IdentityName& name_of_;
  std::unordered_map<std::uint32_t, LinearForm> forms_;
};

}  // namespace

LinearForm linear_form(Node expr, const IdentityName& name_of) {
  Forms forms(name_of);
  for_each_part(expr, [&](Node node) { forms.add(node); });
  return forms.of(expr);
}

std::string spelling(Node expr, const IdentityName& name_of) {
  std::unordered_map<std::uint32_t, std::string> spellings;
  const auto spell_child = [&](Node child) { return spellings.at(index(child.id())); };
  for_each_part(expr, [&](Node node) {
    spellings.emplace(index(node.id()), spelled_with(node, name_of, spell_child));
  });
  return spellings.at(index(expr.id()));
}

}  // namespace mlf::tir::compare_detail
