// All rows of tables, for tests that go through them.
#pragma once

#include <vector>

#include "mlf/graph/topology.h"
#include "mlf/tir/document.h"

namespace mlf::graph {

inline std::vector<CheckInfo> all_checks() {
  return {
#define MLF_CHECK(name, code, severity, meaning) info(CheckCode::name),
#include "mlf/graph/checks.def"
#undef MLF_CHECK
  };
}

}  // namespace mlf::graph

namespace mlf::tir {

inline std::vector<LossInfo> all_losses() {
  return {
#define MLF_LOSS(name, code, severity, subject, fields, meaning) info(LossCode::name),
#include "mlf/tir/losses.def"
#undef MLF_LOSS
  };
}

}  // namespace mlf::tir
