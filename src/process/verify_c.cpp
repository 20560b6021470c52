#include "process/verify_c.h"

#include <algorithm>
#include <string_view>

#include "deployment/c_sources.h"
#include "deployment/tir_name.h"
#include "mlf/tir/c.h"
#include "mlf/tir/compare.h"

namespace mlf::process {
namespace {

bool has_lost(const tir::Document& document, tir::LossCode code) {
  return std::any_of(document.losses.begin(), document.losses.end(),
                     [&](const tir::Loss& loss) { return loss.code == code; });
}

bool has_lost(const tir::Document& document, tir::LossCode code, std::string_view function) {
  return std::any_of(document.losses.begin(), document.losses.end(), [&](const tir::Loss& loss) {
    return loss.code == code && loss.where == function;
  });
}

/// A function that the reader of C does not know contradicts nothing.
bool is_kept_as_text(const tir::Document& read, const tir::Difference& difference) {
  return has_lost(read, tir::LossCode::unknown_construct, difference.function);
}

/// The pools of a function say nothing where no file of C defines them.
bool lacks_pools(const tir::Document& read, const tir::Difference& difference) {
  return difference.in == tir::DifferenceIn::attribute &&
         has_lost(read, tir::LossCode::attr_object, difference.function);
}

/// Texts do not say the names of parameters and pointers that stand behind a buffer, and leave out
/// what pools are.
bool is_lost_in_text(const tir::Document& captured, const tir::Difference& difference) {
  if (captured.source.dialect == tir::Dialect::save_json) return false;
  if (difference.in == tir::DifferenceIn::name) return true;
  return difference.in == tir::DifferenceIn::attribute &&
         has_lost(captured, tir::LossCode::attr_object);
}

class CheckOfC {
 public:
  CheckOfC(const Job& job, Documents& documents) : job_(job), documents_(documents) {}

  std::vector<Finding> run() &&;

 private:
  void check(std::size_t module, const TirSource& c);
  void compare(std::size_t module, const tir::Document& captured, const TirSource& c);
  bool belongs_to(const TirSource& captured, std::size_t module, const Target* target);

  const Job& job_;
  Documents& documents_;
  std::vector<Finding> findings_;
};

bool CheckOfC::belongs_to(const TirSource& captured, std::size_t module, const Target* target) {
  if (captured.c || captured.stage != deployment::kDefaultStage) return false;
  const Ownership owners = owners_of(documents_.of(captured).module, captured.stem, job_.library);
  return owners.modules == std::vector{module} && owners.target == target;
}

void CheckOfC::compare(std::size_t module, const tir::Document& captured, const TirSource& c) {
  const tir::Document& read = documents_.of(c);
  const tir::VersionRange& version = read.source.tvm_version;
  // What C cannot show is gone from both; what the captured text has lost, C may still say.
  const tir::Comparison comparison =
      tir::compare(tir::c_normal_form(read.module, version).module,
                   tir::c_normal_form(captured.module, version).module,
                   tir::Tolerance::of(captured.source.dialect));
  for (const tir::Difference& difference : comparison.differences) {
    // Functions of one target may be spread over several captures, or over several files of C.
    if (difference.in == tir::DifferenceIn::function) continue;
    if (is_lost_in_text(captured, difference)) continue;
    if (is_kept_as_text(read, difference) || lacks_pools(read, difference)) continue;
    findings_.push_back({.severity = graph::Severity::error,
                         .code = FindingCode::c_mismatch,
                         .module = job_.library.modules[module].name,
                         .detail = "the generated C, " + c.name + ", and " +
                                   captured.source.member +
                                   " (second) differ: " + to_string(difference)});
  }
}

void CheckOfC::check(std::size_t module, const TirSource& c) {
  const Target* target = owners_of(documents_.of(c).module, c.stem, job_.library).target;
  for (const TirSource& captured : job_.sources) {
    if (belongs_to(captured, module, target)) compare(module, documents_.of(captured), c);
  }
}

std::vector<Finding> CheckOfC::run() && {
  const bool any_captured = std::any_of(job_.sources.begin(), job_.sources.end(),
                                        [](const TirSource& source) { return !source.c; });
  for (std::size_t i = 0; any_captured && i < job_.library.modules.size(); ++i) {
    for (const TirSource& c : deployment::generated_c(job_.archive, job_.library.modules[i], {})) {
      check(i, c);
    }
  }
  return std::move(findings_);
}

}  // namespace

std::vector<Finding> differences_from_c(const Job& job, Documents& documents) {
  return CheckOfC(job, documents).run();
}

}  // namespace mlf::process
