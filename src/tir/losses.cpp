// The codes of losses, and the log that collects them.
#include <algorithm>

#include "mlf/tir/document.h"
#include "tir/reader.h"

namespace mlf::tir {
namespace {

constexpr LossInfo kLosses[] = {
#define MLF_LOSS(name, code, severity, subject, fields, meaning) \
  {LossCode::name, code, LossSeverity::severity, LossSubject::subject, fields, meaning},
#include "mlf/tir/losses.def"
#undef MLF_LOSS
};

struct DialectLoss {
  Dialect dialect;
  LossScope scope;
  LossCode code;
};
// Losses of a dialect are rows, so that no reader of the dialect can miss one.
constexpr DialectLoss kDialectLosses[] = {
#define MLF_DIALECT_LOSS(dialect, scope, code, what) \
  {Dialect::dialect, LossScope::scope, LossCode::code},
#include "tir/dialect_losses.def"
};

}  // namespace

const LossInfo& info(LossCode loss) {
  return kLosses[static_cast<std::size_t>(loss)];
}

std::optional<LossCode> loss_named(std::string_view code) {
  const auto found = std::ranges::find(kLosses, code, &LossInfo::code);
  return found == std::end(kLosses) ? std::nullopt : std::optional(found->loss);
}

std::string_view to_string(LossSeverity severity) {
  constexpr std::string_view kNames[] = {"semantic", "approximate", "cosmetic"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::optional<std::string_view> to_string(LossSubject subject) {
  constexpr std::string_view kNames[] = {"",        "object",   "function",  "constant",
                                         "callee",  "buffer",   "intrinsic", "producer",
                                         "literal", "type_key", "field",     "construct"};
  if (subject == LossSubject::nothing) return std::nullopt;
  return kNames[static_cast<std::size_t>(subject)];
}

std::string_view to_string(LossScope scope) {
  constexpr std::string_view kNames[] = {"everywhere", "module", "function"};
  return kNames[static_cast<std::size_t>(scope)];
}

// Counted by place and name: a loss of every loop of a function is one entry.
void LossLog::add(LossCode code, std::string_view where, std::string_view name, std::size_t times) {
  const LossScope scope = where.empty() ? LossScope::module : LossScope::function;
  counts_[Key{code, scope, std::string(where), std::string(name)}] += times;
}

void LossLog::add_everywhere(LossCode code, std::string_view name) {
  ++counts_[Key{code, LossScope::everywhere, {}, std::string(name)}];
}

void LossLog::add_all(Dialect dialect) {
  for (const DialectLoss& loss : kDialectLosses) {
    if (loss.dialect == dialect) counts_[Key{loss.code, loss.scope, {}, {}}] = 1;
  }
}

// A reader reports a constant as lost when it meets it; another file may provide the data later.
void LossLog::withdraw(LossCode code, std::string_view name) {
  std::erase_if(counts_, [&](const auto& entry) {
    return entry.first.code == code && entry.first.name == name;
  });
}

// In the order of code, scope, place and name: equal modules give equal documents.
std::vector<Loss> LossLog::finish() const {
  std::vector<Loss> losses;
  losses.reserve(counts_.size());
  for (const auto& [key, count] : counts_) {
    losses.push_back({key.code, key.scope, key.where, key.name, count});
  }
  return losses;
}

}  // namespace mlf::tir
