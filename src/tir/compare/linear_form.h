// Expressions as linear forms: they show that `(b + n) - b` is `n` however it is written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "mlf/tir/module.h"

namespace mlf::tir::compare_detail {

/// A name for a Var or Buffer that is the same for corresponding ones of both modules.
using IdentityName = std::function<std::string(Node)>;

/// constant + the sum of coefficient times term. Terms are spelled; integers wrap around.
struct LinearForm {
  std::int64_t constant = 0;
  std::map<std::string, std::int64_t> terms;
  friend bool operator==(const LinearForm&, const LinearForm&) = default;
};

/// What an integer expression adds up to. Everything but constants, `+`, `-` and products with
/// constants is a term of its own.
LinearForm linear_form(Node expr, const IdentityName& name_of);

/// The expression as it is written, without arithmetic.
std::string spelling(Node expr, const IdentityName& name_of);

}  // namespace mlf::tir::compare_detail
