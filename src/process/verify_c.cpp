#include "process/verify_c.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "deployment/tir_name.h"
#include "mlf/tir/c.h"
#include "mlf/tir/compare.h"
#include "support/error.h"

namespace mlf::process {
namespace {

using support::get_or_throw;

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

/// Texts do not say the names of parameters and pointers that are behind a buffer, and leave out
/// what pools are.
bool is_lost_in_text(const tir::Document& captured, const tir::Difference& difference) {
  if (captured.source.dialect == tir::Dialect::save_json) return false;
  if (difference.in == tir::DifferenceIn::name) return true;
  return difference.in == tir::DifferenceIn::attribute &&
         has_lost(captured, tir::LossCode::attr_object);
}

/// Both sides are brought to what C can show (`c_normal_form`): the code generator's passes and its
/// missing types are then no difference.
class CheckOfC {
 public:
  explicit CheckOfC(const Deployment& deployment) : deployment_(deployment) {}

  ComparisonWithC run() &&;

 private:
  void check(std::size_t module, const TirSource& c);
  void check_types(const TirSource& c);
  void compare(std::size_t module, const TirSource& captured, const TirSource& c);
  bool belongs_to(const TirSource& captured, std::size_t module, const Target* target);

  const std::vector<Module>& modules() const { return deployment_.library().modules; }

  const Deployment& deployment_;
  ComparisonWithC result_{};
};

bool CheckOfC::belongs_to(const TirSource& captured, std::size_t module, const Target* target) {
  // Other stages are from before or after the passes that C has gone through.
  if (captured.c || captured.stage != deployment::kDefaultStage) return false;
  const TirOwners owners = get_or_throw(deployment_.owners_of(captured));
  // A capture over several modules has functions that this C is without.
  return owners.modules == std::vector{module} && owners.target == target;
}

void CheckOfC::compare(std::size_t module, const TirSource& source, const TirSource& c) {
  const auto held_captured = get_or_throw(deployment_.document(source));
  const auto held_read = get_or_throw(deployment_.document(c));
  const tir::Document& captured = *held_captured;
  const tir::Document& read = *held_read;
  const tir::VersionRange& version = read.source.tvm_version;
  // What C cannot show is gone from both; what the captured text has lost, C may still say.
  const tir::Comparison comparison =
      tir::compare(tir::c_normal_form(read.module, version).module,
                   tir::c_normal_form(captured.module, version).module,
                   tir::Tolerance::of(captured.source.dialect));
  std::set<std::string_view> differing;
  for (const tir::Difference& difference : comparison.differences) {
    // Functions of one target may be spread over several captures, or over several files of C.
    if (difference.in == tir::DifferenceIn::function) continue;
    if (is_lost_in_text(captured, difference)) continue;
    if (is_kept_as_text(read, difference) || lacks_pools(read, difference)) continue;
    differing.insert(difference.function);
    result_.findings.push_back({.severity = graph::Severity::error,
                                .code = FindingCode::c_mismatch,
                                .module = modules()[module].name,
                                .detail = "the generated C, " + c.name + ", and " +
                                          captured.source.member +
                                          " (second) differ: " + to_string(difference)});
  }
  result_.functions += comparison.functions;
  result_.differing += differing.size();
}

void CheckOfC::check(std::size_t module, const TirSource& c) {
  // C and capture are of one target, or they do not show the same functions.
  const Target* target = get_or_throw(deployment_.owners_of(c)).target;
  for (const TirSource& captured : deployment_.tir_sources()) {
    if (belongs_to(captured, module, target)) compare(module, captured, c);
  }
}

/// TVM prints float16 as `half` on every target that has C, and only CUDA and OpenCL have it.
bool uses_half(const tir::Module& module) {
  for (std::uint32_t i = 1; i < module.size(); ++i) {
    const tir::Node node = module.node(static_cast<tir::NodeId>(i));
    if (node.category() != tir::Category::expr) continue;
    if (node.dtype().element() == tir::DType::Float(16)) return true;
  }
  return false;
}

void CheckOfC::check_types(const TirSource& c) {
  if (!uses_half(get_or_throw(deployment_.document(c))->module)) return;
  const std::vector<std::size_t> owners = get_or_throw(deployment_.owners_of(c)).modules;
  result_.findings.push_back(
      {.severity = graph::Severity::warning,
       .code = FindingCode::c_type,
       .module = owners.empty() ? "" : modules()[owners.front()].name,
       .detail = "the generated C, " + c.name +
                 ", uses the type half, which C does not have: it compiles only where somebody "
                 "defines it"});
}

ComparisonWithC CheckOfC::run() && {
  // Generated C is slow to read: not where there is nothing to compare it with.
  const bool any_captured = std::ranges::any_of(deployment_.tir_sources(),
                                                [](const TirSource& source) { return !source.c; });
  for (std::size_t i = 0; any_captured && i < modules().size(); ++i) {
    for (const TirSource& c : get_or_throw(deployment_.generated_c(i))) {
      check_types(c);
      check(i, c);
    }
  }
  // Without a capture, generated C is what the networks were made from.
  for (const TirSource& source : deployment_.tir_sources()) {
    if (source.c && !any_captured) check_types(source);
  }
  return std::move(result_);
}

}  // namespace

ComparisonWithC compare_with_c(const Deployment& deployment) {
  return CheckOfC(deployment).run();
}

}  // namespace mlf::process
