#include "tir/c/read/version_inference.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "tir/c/versions.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {
namespace {

/// A spelling that the versions with a feature print, and no others.
struct Mark {
  std::string_view spelling;
  TvmFeature feature;
};

constexpr std::string_view kConditional = " condval";
constexpr std::string_view kEndlessLoop = "while (1) {";
constexpr std::string_view kCountBefore = "( (TVMValue*) stack_value , (int*) stack_tcode, ";
constexpr std::string_view kStoredBefore = "stack_value)[";
constexpr std::string_view kStatusCompared = "if (status != ARM_CMSIS_NN_SUCCESS) {";

constexpr std::array kBodyMarks = {
    Mark{kConditional, TvmFeature::c_condval},
    Mark{kEndlessLoop, TvmFeature::c_endless_while},
    Mark{" v_ = ", TvmFeature::c_temporaries_v},
    Mark{" v__1 = ", TvmFeature::c_temporaries_v},
    Mark{" __1 = ", TvmFeature::c_two_underscores},
    Mark{" _1 = ", TvmFeature::c_one_underscore},
    Mark{"(void)", TvmFeature::c_void_calls},
    Mark{"arm_status status = ", TvmFeature::c_cmsis_math_status},
    Mark{"switch (!status) {", TvmFeature::c_cmsis_status_switch},
    Mark{"void* stack_value = stack1;", TvmFeature::c_numbers_follow_names},
};
// What versions without a feature print instead.
constexpr std::array kOtherBodyMarks = {
    Mark{"arm_cmsis_nn_status status = ", TvmFeature::c_cmsis_math_status},
    Mark{"void* stack_value = stack_1;", TvmFeature::c_numbers_follow_names},
};
// Heads of functions: names of what Relay passes in.
constexpr std::array kHeadMarks = {
    Mark{" placeholder", TvmFeature::c_placeholders},
    Mark{" p0,", TvmFeature::c_p_names},
    Mark{" p0)", TvmFeature::c_p_names},
    Mark{"void* arg0", TvmFeature::c_numbered_params},
};

std::string_view text_of(const support::SourceText& source, Bytes range) {
  return source.text.substr(range.begin, range.end - range.begin);
}

void observe(VersionInference& versions, TvmFeature feature, bool is_there) {
  is_there ? versions.observe(feature) : versions.observe_absence(feature);
}

/// What only the whole file can tell.
struct FileForms {
  bool compares_status = false;  ///< of CMSIS-NN, as v0.10 and v0.11 do
  bool is_of_16 = false;         ///< statements that set `condval`, `while (1)`, short counts
  bool has_data_first = false;   ///< in prologues
};

/// Whether a packed call prints one argument less than were stored for it, as since v0.16.
std::optional<bool> counts_short(std::string_view body) {
  const std::size_t call = body.find(kCountBefore);
  if (call == body.npos) return std::nullopt;
  const std::size_t stored = body.rfind(kStoredBefore, call);
  if (stored == body.npos) return std::nullopt;
  const auto number = [&](std::size_t at) {
    std::size_t value = 0;
    std::from_chars(body.data() + at, body.data() + body.size(), value);
    return value;
  };
  const std::size_t last = number(stored + kStoredBefore.size());
  return number(call + kCountBefore.size()) == last;
}

/// The short count is one of the forms of v0.16.
void look_at_calls(std::string_view body, FileForms& forms, VersionInference& versions) {
  const auto is_short = counts_short(body);
  if (!is_short) return;
  observe(versions, TvmFeature::c_short_count, *is_short);
  forms.is_of_16 |= *is_short;
}

/// Up to v0.12 handles are `arg_x`; since v0.16 the data pointer is read last of a tensor's fields.
/// `placeholder` is what Relay called inputs up to v0.9.
void look_at_prologue(std::string_view body, FileForms& forms, VersionInference& versions) {
  const std::size_t handle = body.find(".v_handle);");
  if (handle == body.npos) return;
  const bool has_prefix = body.substr(0, handle).find("void* arg_") != body.npos;
  observe(versions, TvmFeature::c_handle_prefix, has_prefix);
  if (body.substr(0, handle).find("void* arg_placeholder") != body.npos) {
    versions.observe(TvmFeature::c_placeholders);
  }
  const std::size_t data = body.find("[0].data);");
  const std::size_t shape = body.find("[0].shape);");
  if (data == body.npos || shape == body.npos) return;
  if (shape < data) versions.observe(TvmFeature::c_data_last);
  forms.has_data_first |= data < shape;
}

/// Searches for spellings in whole bodies: no tokens are needed for that.
void look_at_function(const support::SourceText& source, const Item& item, FileForms& forms,
                      VersionInference& versions) {
  const std::string_view head = text_of(source, item.head);
  const std::string_view body = text_of(source, item.body);
  for (const auto& [spelling, feature] : kHeadMarks) {
    if (head.find(spelling) != head.npos) versions.observe(feature);
  }
  for (const auto& [spelling, feature] : kBodyMarks) {
    if (body.find(spelling) != body.npos) versions.observe(feature);
  }
  for (const auto& [spelling, feature] : kOtherBodyMarks) {
    if (body.find(spelling) != body.npos) versions.observe_absence(feature);
  }
  for (const std::string_view form : {kConditional, kEndlessLoop}) {
    forms.is_of_16 |= body.find(form) != body.npos;
  }
  forms.compares_status |= body.find(kStatusCompared) != body.npos;
  look_at_calls(body, forms, versions);
  look_at_prologue(body, forms, versions);
  if (item.name.ends_with("_run_model")) versions.observe(TvmFeature::c_main_is_run_model);
  if (item.name.ends_with("___tvm_main__")) {
    versions.observe_absence(TvmFeature::c_main_is_run_model);
  }
}

/// Prototypes of the file's own functions come before their bodies since v0.15.
bool has_own_prototypes(const FileItems& file) {
  const auto function = std::ranges::find(file.items, ItemKind::function, &Item::kind);
  return function != file.items.end() &&
         std::ranges::any_of(file.items.begin(), function, [&](const Item& item) {
           return item.kind == ItemKind::prototype && item.name == function->name;
         });
}

}  // namespace

void infer_version(const support::SourceText& source, const FileItems& file,
                   VersionInference& versions) {
  // The generator for CMSIS-NN is that of C with a few forms more.
  const std::string_view kind = file.target.substr(0, file.target.find(' '));
  const bool is_kernels = kind == "c" || kind == "cmsis-nn";
  if (is_kernels) {
    observe(versions, TvmFeature::c_includes_stdbool, file.includes_stdbool);
    if (file.target.find("-link-params=") != file.target.npos) {
      versions.observe(TvmFeature::c_link_params);
    }
    if (has_own_prototypes(file)) versions.observe(TvmFeature::c_own_prototypes);
  }
  FileForms forms;
  for (const Item& item : file.items) {
    if (item.kind == ItemKind::function && is_kernels)
      look_at_function(source, item, forms, versions);
    if (item.kind != ItemKind::pool) continue;
    const bool is_const =
        text_of(source, item.head).find("static const struct") != std::string_view::npos;
    observe(versions, TvmFeature::c_constant_pools, is_const);
  }
  // Decided at the end: another function of the file may show what this one does not.
  const bool is_between = file.includes_stdbool && forms.compares_status;
  if (is_between && versions.range().first <= 12 && versions.range().last >= 12) {
    versions.exactly({12, 12, std::string(kBetween11And12)});
  }
  if (!forms.has_data_first) return;
  // Only a development version has both.
  if (forms.is_of_16) {
    versions.exactly({16, 16, std::string(kBetween15And16)});
  } else {
    versions.observe_absence(TvmFeature::c_data_last);
  }
}

/// Entry point, pools, metadata and registry begin with includes of the runtime; a module without
/// any of these is a single `;`.
bool is_support(const support::SourceText& source) {
  const std::string_view start = source.text.substr(0, 4096);
  constexpr std::array<std::string_view, 4> kMarks = {"tvm/runtime/c_runtime_api.h",
                                                      "tvm/runtime/metadata_types.h",
                                                      "_tvm_func_array", "TVMSystemLibEntryPoint"};
  return source.text == ";" || std::ranges::any_of(kMarks, [&](std::string_view mark) {
           return start.find(mark) != start.npos;
         });
}

}  // namespace mlf::tir::c
