// The codes of losses, and the log that collects them.
#include <fmt/core.h>

#include <algorithm>

#include "mlf/tir/document.h"
#include "tir/reader.h"

namespace mlf::tir {
namespace {

constexpr LossInfo kLosses[] = {
#define MLF_LOSS(name, code, meaning) {LossCode::name, code, meaning},
#include "mlf/tir/losses.def"
#undef MLF_LOSS
};

struct DialectLoss {
  Dialect dialect;
  LossSite site;
  LossCode code;
  std::string_view detail;
};
// Facts of a dialect are rows, so that readers of one dialect cannot forget one in some corner.
constexpr DialectLoss kDialectLosses[] = {
#define MLF_DIALECT_LOSS(dialect, site, code, detail) \
  {Dialect::dialect, LossSite::site, LossCode::code, detail},
#include "tir/dialect_losses.def"
};

}  // namespace

std::span<const LossInfo> all_losses() {
  return kLosses;
}

const LossInfo& info(LossCode loss) {
  return kLosses[static_cast<std::size_t>(loss)];
}

std::optional<LossCode> loss_named(std::string_view code) {
  const auto found = std::ranges::find(kLosses, code, &LossInfo::code);
  return found == std::end(kLosses) ? std::nullopt : std::optional(found->loss);
}

// Counted by place and detail: a loss of every loop of a function is one entry.
void LossLog::add(LossCode code, std::string_view where, std::string_view detail,
                  std::size_t times) {
  counts_[Key{code, std::string(where), std::string(detail)}] += times;
}

void LossLog::add_all(Dialect dialect, LossSite site, std::string_view where) {
  for (const DialectLoss& loss : kDialectLosses) {
    if (loss.dialect == dialect && loss.site == site) add(loss.code, where, loss.detail);
  }
}

// A reader reports a constant as lost when it meets it; the data may turn up in another file later.
void LossLog::withdraw(LossCode code, std::string_view detail) {
  std::erase_if(counts_, [&](const auto& entry) {
    return entry.first.code == code && entry.first.detail == detail;
  });
}

// In the order of code, place and detail: equal modules give equal documents.
std::vector<Loss> LossLog::finish() const {
  std::vector<Loss> losses;
  losses.reserve(counts_.size());
  for (const auto& [key, count] : counts_) {
    losses.push_back({key.code, key.where,
                      count == 1 ? key.detail : fmt::format("{} ({} times)", key.detail, count)});
  }
  return losses;
}

}  // namespace mlf::tir
