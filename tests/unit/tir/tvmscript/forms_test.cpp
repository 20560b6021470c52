// The table of the functions that TVMScript calls.
#include "tir/tvmscript/forms.h"

#include <set>
#include <tuple>

#include "mlf/tir/document.h"
#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

TEST(ScriptForms, HaveANameOnceInTheirPlaceAndBehindTheirPrefix) {
  std::set<std::tuple<Form::Construct, Form::Prefix, std::string_view>> names;
  for (const Form& form : all_forms()) {
    EXPECT_TRUE(names.emplace(form.construct, form.prefix, form.name).second) << form.name;
    EXPECT_EQ(find_form(form.construct, form.prefix, form.name), &form) << form.name;
    const bool defines =
        form.construct == Form::Construct::definition || form.construct == Form::Construct::scope;
    EXPECT_TRUE(form.read == nullptr || form.construct == Form::Construct::expression) << form.name;
    EXPECT_TRUE(form.name_reader == nullptr || defines) << form.name;
    EXPECT_TRUE(form.read_line == nullptr || form.construct == Form::Construct::line) << form.name;
  }
}

TEST(ScriptForms, BelongToARangeOfVersions) {
  for (const Form& form : all_forms()) {
    EXPECT_GE(form.since, kOldestTvm) << form.name;
    EXPECT_LE(form.since, form.until) << form.name;
  }
}

TEST(ScriptForms, FillEachFieldOnce) {
  for (const Form& form : all_forms()) {
    std::set<std::uint8_t> fields;
    for (const FormArgument& argument : form.arguments()) {
      EXPECT_LT(argument.field, info(form.kind).fields.size()) << form.name;
      EXPECT_TRUE(fields.insert(argument.field).second) << form.name;
    }
  }
}

TEST(ScriptForms, AreWrittenInTheVersionsThatHaveThem) {
  for (const Form& form : all_forms()) {
    for (std::uint8_t minor = kOldestTvm; minor <= kNewestTvm; ++minor) {
      const Form* const written = form_of(form.kind, minor);
      if (written == nullptr) continue;
      EXPECT_EQ(written->kind, form.kind);
      EXPECT_EQ(written->use, Form::Use::written) << written->name;
      EXPECT_LE(written->since, minor) << written->name;
      EXPECT_GE(written->until, minor) << written->name;
    }
  }
  EXPECT_EQ(form_of(Kind::Cast, 10)->name, "cast");
  EXPECT_EQ(form_of(Kind::Cast, 11)->name, "Cast");
  EXPECT_EQ(form_of(Kind::DeclBuffer, 9), nullptr);
  EXPECT_EQ(form_of(Kind::Store, 12), nullptr);
}

/// The versions that a function of the old dialect with this line may come from.
VersionRange versions_with(std::string_view line) {
  const std::string text =
      "# from tvm.script import tir as T\n@T.prim_func\ndef func(a: T.handle) -> None:\n    " +
      std::string(line) + "\n    T.evaluate(0)\n";
  return read_text(text).source.tvm_version;
}

TEST(ScriptForms, TellTheVersionOfTheText) {
  EXPECT_EQ(versions_with("T.evaluate(0)").first, 8);
  EXPECT_EQ(versions_with("B = T.decl_buffer([4], dtype=\"int32\")").first, 10);
  EXPECT_EQ(versions_with("c = T.allocate_const([1, 2,], \"int32\", [2])").first, 9);
  EXPECT_EQ(versions_with("T.evaluate(T.cast(1, \"int8\"))").last, 10);
}

}  // namespace
}  // namespace mlf::tir::tvmscript
