#include "tir/tvmscript/forms.h"

#include <iterator>
#include <unordered_map>
#include <vector>

#include "tir/tvm_features.h"

namespace mlf::tir::tvmscript {
namespace {

template <class... Arguments>
constexpr Form make_form(Form form, std::uint8_t until, Arguments... arguments) {
  form.until = until;
  form.count = sizeof...(arguments);
  form.all_arguments = {arguments...};
  return form;
}

constexpr Form kForms[] = {
#define ARG(type, field)                               \
  FormArgument {                                       \
    ArgumentType::type, Need::positional, F::field, {} \
  }
#define NAMED(type, field)                            \
  FormArgument {                                      \
    ArgumentType::type, Need::named, F::field, #field \
  }
#define OPTIONAL(type, field)                            \
  FormArgument {                                         \
    ArgumentType::type, Need::optional, F::field, #field \
  }
// The lambda gives the fields of the row's kind one name, F, for the arguments. What follows
// `since` is the last version and the arguments: rows without any still have something there.
#define MLF_FORM(place, use, kind, prefix, name, since, ...)               \
  [] {                                                                     \
    using F [[maybe_unused]] = f::kind;                                    \
    constexpr Form kForm{Form::Place::place,   Form::Use::use, Kind::kind, \
                         Form::Prefix::prefix, name,           since};     \
    return make_form(kForm, __VA_ARGS__);                                  \
  }(),
#define MLF_FORM_BY(place, reader, use, kind, prefix, name, since, until) \
  Form{Form::Place::place, Form::Use::use, Kind::kind, Form::Prefix::prefix, name, since, until},
#define MLF_DEFINITION(reader, kind, name, since, until) \
  MLF_FORM_BY(definition, reader, written, kind, tir, name, since, until)
#include "tir/tvmscript/forms.def"
#undef ARG
#undef NAMED
#undef OPTIONAL
#undef MLF_FORM
#undef MLF_FORM_BY
#undef MLF_DEFINITION
};

using FormsByName = std::unordered_map<std::string_view, const Form*>;

/// Names are unique in their place and behind their prefix.
const FormsByName& forms_of(Form::Place place, Form::Prefix prefix) {
  constexpr std::size_t kPlaces = 4;
  constexpr std::size_t kPrefixes = 3;
  static const auto tables = [] {
    std::array<std::array<FormsByName, kPrefixes>, kPlaces> result;
    for (const Form& form : kForms) {
      result[static_cast<std::size_t>(form.place)][static_cast<std::size_t>(form.prefix)].emplace(
          form.name, &form);
    }
    return result;
  }();
  return tables[static_cast<std::size_t>(place)][static_cast<std::size_t>(prefix)];
}

}  // namespace

std::span<const Form> all_forms() {
  return kForms;
}

std::size_t position_of(const Form& form) {
  return static_cast<std::size_t>(&form - kForms);
}

const Form* find_form(Form::Place place, Form::Prefix prefix, std::string_view name) {
  const FormsByName& forms = forms_of(place, prefix);
  const auto found = forms.find(name);
  return found == forms.end() ? nullptr : found->second;
}

const Form* form_of(Kind kind, std::uint8_t minor) {
  // The writer asks once for every node: rows are looked up by kind.
  static const auto written = [] {
    std::vector<std::vector<const Form*>> by_kind(all_kinds().size());
    for (const Form& form : kForms) {
      if (form.use == Form::Use::read) continue;
      by_kind[static_cast<std::size_t>(form.kind)].push_back(&form);
    }
    return by_kind;
  }();
  for (const Form* const form : written[static_cast<std::size_t>(kind)]) {
    if (form->since <= minor && minor <= form->until) return form;
  }
  return nullptr;
}

}  // namespace mlf::tir::tvmscript
