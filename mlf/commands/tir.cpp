// mlf tir: converts one module.
#include <fmt/core.h>

#include <optional>
#include <string>

#include "arguments.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"

namespace mlf::program {
namespace {

enum class TirFormat { json, save_json, tvmscript, c };

/// How to treat attributes of which the text contains only a reference.
enum class Missing { error, omit };

struct TirArguments {
  std::string source;
  TirFormat format = TirFormat::json;
  tir::ConstantPlace constants = tir::ConstantPlace::inside;
  Missing missing = Missing::error;
  bool pretty = false;
  std::optional<tir::VersionRange> tvm_version{};
};

/// Describes valid versions before it reads anything.
CLI::Validator tvm_version_validator() {
  return {
      [](const std::string& text) {
        return tir::tvm_version_named(text)
                   ? std::string()
                   : fmt::format(
                         "expected a version of TVM from 0.{} to 0.{}, such as 0.16 or 0.16.dev0",
                         tir::kOldestTvm, tir::kNewestTvm);
      },
      ""};
}

void declare_tir_options(CLI::App& app, TirArguments& options) {
  app.add_option(
         "SOURCE", options.source,
         "A file with TIR in any dialect, or an archive (ARCHIVE or ARCHIVE:MEMBER, such as "
         "module.tar:tir-1); - is standard input")
      ->required();
  add_enum_option(app, "--format", options.format,
                  {{"json", TirFormat::json, "mlf's own form, schemas/tir.md"},
                   {"save_json", TirFormat::save_json, "for tvm.ir.load_json"},
                   {"tvmscript", TirFormat::tvmscript, "for tvm.script.from_source"},
                   {"c", TirFormat::c,
                    "as TVM's target c prints it after its host passes, for TIR that was read from "
                    "such C"}},
                  {"FORMAT", "Output"}, "Form of the module");
  add_json_flag(app, options.format, TirFormat::json);
  add_enum_option(app, "--constants", options.constants,
                  {{"inline", tir::ConstantPlace::inside, "written"},
                   {"none", tir::ConstantPlace::none,
                    "left out: json has digests, tvmscript refers to missing metadata, "
                    "save_json and c fail if there are constants"}},
                  {"PLACE", "Output"}, "Data of constants");
  add_enum_option(app, "--missing", options.missing,
                  {{"error", Missing::error, "an error"},
                   {"omit", Missing::omit, "left out and listed on standard error"}},
                  {"ACTION", "Output"},
                  "For save_json and tvmscript, attributes and annotations that the format "
                  "cannot express: references into a missing metadata section, objects in "
                  "tvmscript before v0.12");
  app.add_option_function<std::string>(
         "--tvm-version",
         [&options](const std::string& text) {
           options.tvm_version = tir::tvm_version_named(text);
         },
         "TVM version to write save_json, tvmscript or c for (default: that of the source). "
         "mlf warns of tvmscript that its parser cannot read")
      ->check(tvm_version_validator())
      ->type_name("VERSION")
      ->group("Output");
  add_flag(app, "--pretty", options.pretty, "Output", "Indent the JSON of --format json");
}

Result<void> write_json(const tir::Document& document, const TirArguments& options,
                        const DeploymentOptions& limits, const Sink& sink) {
  // Standard output has no directory for .npy files, so constants are inside of the document or
  // omitted.
  const tir::JsonOptions json{.layout = options.pretty ? JsonLayout::pretty : JsonLayout::compact,
                              .constants = options.constants,
                              .npy_threshold = 0,
                              .npy_directory = {},
                              .max_written_nodes = limits.tir_limits.max_written_nodes};
  return tir::write_tir_json(document, json, sink).map([](const auto&) {});
}

/// json lists missing objects, and c has only attributes that become code.
bool needs_all_objects(TirFormat format) {
  return format == TirFormat::save_json || format == TirFormat::tvmscript;
}

std::string omitted_note(const tir::OmittedAttribute& omitted) {
  const std::string owner = omitted.function.empty() ? "the module" : omitted.function;
  return fmt::format("left out: '{}' of {}, which the format cannot express", omitted.name, owner);
}

/// JSON lists the facts that the module lacks; other formats have no place for them.
void warn_of_missing_functions(const tir::Document& document, const Console& console) {
  for (const tir::Loss& loss : document.losses) {
    const bool is_foreign = loss.code == tir::LossCode::foreign_function;
    if (!is_foreign && loss.code != tir::LossCode::undefined_name) continue;
    console.warn(
        fmt::format("left out: function '{}', which {}", loss.name,
                    is_foreign ? "is not TIR" : "uses a name that nothing in the source defines"));
  }
}

/// save_json and C cannot contain a constant without its data.
bool needs_all_data(TirFormat format) {
  return format == TirFormat::save_json || format == TirFormat::c;
}

/// Names the option that leaves out what a text without its metadata section lacks.
Diagnostic with_advice(Diagnostic error) {
  const bool is_missing = error.message.starts_with("metadata[");
  if (is_missing) error.message += "; --missing=omit leaves out attributes that refer to it";
  return error;
}

/// Ignores constants that the module no longer uses, because they are not written.
bool has_constants(const tir::Document& document) {
  bool has = false;
  tir::for_each_pre_order(document.module.root(),
                          [&](tir::Node node) { has = has || node.is(tir::Kind::NDArray); });
  return has;
}

/// A text for a requested version may be for its parser, which does not read all that its printer
/// writes.
void warn_if_not_parsable(const tir::Document& document, const Console& console) {
  const auto parsable = tir::require_parsable(document);
  if (parsable) return;
  support::throw_unless_invalid(parsable.error());
  console.warn(parsable.error().message);
}

Result<void> write_tir(const tir::Document& document, const TirArguments& options,
                       const DeploymentOptions& limits, const Sink& sink) {
  if (options.constants == tir::ConstantPlace::none && needs_all_data(options.format) &&
      has_constants(document)) {
    const std::string_view format = options.format == TirFormat::c ? "c" : "save_json";
    return tl::make_unexpected(Diagnostic{
        ErrorKind::invalid_input,
        fmt::format("the module has constants, and {} cannot be written without their data",
                    format),
        {}});
  }
  switch (options.format) {
    case TirFormat::json:
      break;
    case TirFormat::save_json:
      return tir::write_save_json(document, sink);
    case TirFormat::tvmscript:
      return tir::write_tvmscript(document,
                                  {.max_written_nodes = limits.tir_limits.max_written_nodes,
                                   .constants = options.constants},
                                  sink);
    case TirFormat::c:
      return tir::write_c(document, sink, limits.tir_limits.max_written_nodes);
  }
  return write_json(document, options, limits, sink);
}

int run_tir(const TirArguments& options, const Context& context) {
  // The reader detects the dialect by content.
  tir::Document document = read_tir_argument(options.source, context.limits);
  // Writers use the version of the document, found or requested.
  if (options.tvm_version) document.source.tvm_version = *options.tvm_version;
  if (options.missing == Missing::omit && needs_all_objects(options.format)) {
    const auto dialect =
        options.format == TirFormat::tvmscript ? tir::Dialect::tvmscript : tir::Dialect::save_json;
    for (const tir::OmittedAttribute& omitted : tir::omit_missing(document, dialect)) {
      context.console.note(omitted_note(omitted));
    }
  }
  if (options.format == TirFormat::tvmscript && options.tvm_version) {
    warn_if_not_parsable(document, context.console);
  }
  if (options.format != TirFormat::json) warn_of_missing_functions(document, context.console);
  std::string text;
  support::get_or_throw(write_tir(document, options, context.limits, [&](std::string_view bytes) {
                          text += bytes;
                        }).map_error([&](Diagnostic error) {
    return of_source(with_advice(std::move(error)), options.source);
  }));
  print(text);
  return 0;
}

}  // namespace

Command tir_command(CLI::App& parent) {
  return make_command(
      parent, "tir",
      "Print one TIR module as JSON, TVM's save_json, TVMScript or C. The input is in any dialect "
      "that mlf reads, detected by content: JSON, save_json, TVMScript, legacy text or C "
      "that TVM generated",
      declare_tir_options, run_tir);
}

}  // namespace mlf::program
