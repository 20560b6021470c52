#include "tir/c/clues.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace mlf::tir::c {
namespace {

/// One spelling in the body of a function, and the versions (the x of 0.x) that print it.
struct Clue {
  std::string_view spelling;
  std::uint8_t first;
  std::uint8_t last;
};

constexpr std::string_view kConditional = " condval";
constexpr std::string_view kEndlessLoop = "while (1) {";
constexpr std::string_view kCountBefore = "( (TVMValue*) stack_value , (int*) stack_tcode, ";
constexpr std::string_view kStoredBefore = "stack_value)[";
constexpr std::string_view kBetween15And16 = "0.16.dev0";

constexpr std::array kBodyClues = {
    Clue{kConditional, 16, 18},
    Clue{kEndlessLoop, 16, 18},
    Clue{" v_ = ", 12, 18},
    Clue{" v__1 = ", 12, 18},
    Clue{" __1 = ", 10, 11},
    Clue{" _1 = ", 8, 9},
    Clue{"(void)", 8, 8},
    Clue{"arm_status status = ", 8, 9},
    Clue{"arm_cmsis_nn_status status = ", 10, 18},
    Clue{"switch (!status) {", 12, 18},
    Clue{"void* stack_value = stack1;", 8, 9},
    Clue{"void* stack_value = stack_1;", 10, 18},
};
// Heads of functions: names of what Relay passes in.
constexpr std::array kHeadClues = {
    Clue{" placeholder", 8, 9},
    Clue{" p0,", 10, 18},
    Clue{" p0)", 10, 18},
    Clue{"void* arg0", 8, 8},
};

std::string_view text_of(const support::SourceText& source, Bytes range) {
  return source.text.substr(range.begin, range.end - range.begin);
}

void apply(const Clue& clue, text::VersionClues& clues) {
  clues.at_least(clue.first);
  clues.at_most(clue.last);
}

/// What only the whole file can tell.
struct FileForms {
  bool is_of_16 = false;        ///< statements that set `condval`, `while (1)`, short counts
  bool has_data_first = false;  ///< in prologues
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

void look_at_calls(std::string_view body, FileForms& forms, text::VersionClues& clues) {
  const auto is_short = counts_short(body);
  if (!is_short) return;
  *is_short ? clues.at_least(16) : clues.at_most(15);
  forms.is_of_16 |= *is_short;
}

void look_at_prologue(std::string_view body, FileForms& forms, text::VersionClues& clues) {
  const std::size_t handle = body.find(".v_handle);");
  if (handle == body.npos) return;
  const bool has_prefix = body.substr(0, handle).find("void* arg_") != body.npos;
  has_prefix ? clues.at_most(12) : clues.at_least(13);
  if (body.substr(0, handle).find("void* arg_placeholder") != body.npos) clues.at_most(9);
  const std::size_t data = body.find("[0].data);");
  const std::size_t shape = body.find("[0].shape);");
  if (data == body.npos || shape == body.npos) return;
  if (shape < data) clues.at_least(16);
  forms.has_data_first |= data < shape;
}

void look_at_function(const support::SourceText& source, const Item& item, FileForms& forms,
                      text::VersionClues& clues) {
  const std::string_view head = text_of(source, item.head);
  const std::string_view body = text_of(source, item.body);
  for (const Clue& clue : kHeadClues) {
    if (head.find(clue.spelling) != head.npos) apply(clue, clues);
  }
  for (const Clue& clue : kBodyClues) {
    if (body.find(clue.spelling) != body.npos) apply(clue, clues);
  }
  for (const std::string_view form : {kConditional, kEndlessLoop}) {
    forms.is_of_16 |= body.find(form) != body.npos;
  }
  look_at_calls(body, forms, clues);
  look_at_prologue(body, forms, clues);
  // v0.8 calls its main otherwise.
  if (item.name.ends_with("_run_model")) clues.at_most(8);
  if (item.name.ends_with("___tvm_main__")) clues.at_least(9);
}

/// Prototypes of the file's own functions stand before their bodies since v0.15.
bool has_own_prototypes(const FileItems& file) {
  const auto function = std::ranges::find(file.items, ItemKind::function, &Item::kind);
  return function != file.items.end() &&
         std::ranges::any_of(file.items.begin(), function, [&](const Item& item) {
           return item.kind == ItemKind::prototype && item.name == function->name;
         });
}

}  // namespace

void look_for_clues(const support::SourceText& source, const FileItems& file,
                    text::VersionClues& clues) {
  // The generator for CMSIS-NN is that of C with a few forms more.
  const std::string_view kind = file.target.substr(0, file.target.find(' '));
  const bool is_kernels = kind == "c" || kind == "cmsis-nn";
  if (is_kernels) {
    file.includes_stdbool ? clues.at_least(12) : clues.at_most(11);
    if (file.target.find("-link-params=") != file.target.npos) clues.at_most(9);
    if (has_own_prototypes(file)) clues.at_least(15);
  }
  FileForms forms;
  for (const Item& item : file.items) {
    if (item.kind == ItemKind::function && is_kernels) look_at_function(source, item, forms, clues);
    if (item.kind != ItemKind::pool) continue;
    const bool is_const =
        text_of(source, item.head).find("static const struct") != std::string_view::npos;
    is_const ? clues.at_least(17) : clues.at_most(16);
  }
  if (!forms.has_data_first) return;
  // Only a development version has both.
  if (forms.is_of_16) {
    clues.exactly({16, 16, std::string(kBetween15And16)});
  } else {
    clues.at_most(15);
  }
}

bool is_between_15_and_16(const VersionRange& version) {
  return version.exact.starts_with(kBetween15And16);
}

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
