// The inverse of read/cmsis_nn.cpp.
#include "tir/c/write/cmsis_nn.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tir/c/cmsis_nn_text.h"

namespace mlf::tir::c {
namespace {

class LayerWriter {
 public:
  LayerWriter(ExprWriter& exprs, const CmsisCall& call, NodeList args)
      : exprs_(exprs), call_(call), args_(args) {}

  /// The form with its arguments in the places of its `$`.
  std::string text_of(const CmsisForm& form) {
    std::string text;
    auto what = form.arguments.begin();
    std::size_t part = 0;
    for (const char c : form.text) {
      if (c != '$') {
        text += c;
        continue;
      }
      text += value(*what, part++);
      if (part < width_of(*what)) continue;
      ++what;
      part = 0;
    }
    return text;
  }

 private:
  std::string value(CmsisArgument what, std::size_t part) {
    if (!call_.has(what)) return std::string(kNoCmsisContext);  // a bias
    const Node argument = args_[call_.position(what) + part];
    if (argument.is(Kind::IntImm)) return fmt::format("{}", argument.integer(f::IntImm::value));
    if (argument.is(Kind::StringImm)) return std::string(argument.text(f::StringImm::value));
    return exprs_(argument);
  }

  ExprWriter& exprs_;
  const CmsisCall& call_;
  NodeList args_;
};

/// Numbers must be literals, memory variables: nothing else is in the structs.
bool can_be_in_struct(Node argument, CmsisArgument what) {
  if (!is_memory(what)) return argument.is(Kind::IntImm);
  return argument.is(Kind::Var) || what == CmsisArgument::context;
}

const CmsisStatusTest& status_test(const Forms& forms) {
  const auto tests = cmsis_status_tests();
  if (forms.has(TvmFeature::c_cmsis_math_status)) return tests[kCmsisMathStatus];
  return tests[forms.has(TvmFeature::c_cmsis_status_switch) ? kCmsisStatusSwitch : kCmsisStatus];
}

}  // namespace

bool is_cmsis_layer(Node call) {
  const auto layer = CmsisCall::of(call);
  if (!layer || cmsis_text_of(layer->function().layer) == nullptr) return false;
  const NodeList args = call.list(f::Call::args);
  for (const CmsisArgument what : layer->arguments()) {
    for (std::size_t part = 0; layer->has(what) && part < width_of(what); ++part) {
      if (!can_be_in_struct(args[layer->position(what) + part], what)) return false;
    }
  }
  // What a convolution has instead of a multiplier is not printed.
  return layer->function().layer != CmsisLayer::convolution ||
         layer->number(CmsisArgument::depth_multiplier) == kNoDepthMultiplier;
}

void write_cmsis_layer(Code& code, ExprWriter& exprs, const Forms& forms, Node call) {
  const CmsisCall layer = *CmsisCall::of(call);
  const CmsisText& text = *cmsis_text_of(layer.function().layer);
  LayerWriter writer(exprs, layer, call.list(f::Call::args));
  for (const CmsisForm& form : text.structs) code.plain_line(writer.text_of(form));
  const CmsisStatusTest& test = status_test(forms);
  code.line("{} status = {}({});", test.type, layer.function().name, writer.text_of(text.passed));
  for (const std::string_view line : test.lines) code.plain_line(line);
}

}  // namespace mlf::tir::c
