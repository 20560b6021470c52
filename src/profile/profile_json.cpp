// Writes profiles as JSON, key by key in the order of schemas/profile.schema.json, and reads them.
#include <fmt/core.h>

#include "analysis/count_json.h"
#include "json/document.h"
#include "json/write_document.h"
#include "mlf/profile.h"
#include "profile/numbers.h"
#include "support/error.h"
#include "support/numbers.h"

namespace mlf {
namespace profile {
namespace {

using json::Value;
using json::Writer;

// --- Writing ------------------------------------------------------------------------------------

void write_spread(Writer& out, const ProfileSpread& spread) {
  out.member("min", spread.min);
  out.member("median", spread.median);
  out.member("max", spread.max);
}

void write_numbers(Writer& out, const ProfileNumbers& numbers) {
  out.member("instructions", numbers.instructions);
  out.object("cycles", numbers.cycles, write_spread);
  out.object("nanoseconds", numbers.nanoseconds, write_spread);
}

void write_costs(Writer& out, const ProfiledCall& call) {
  write_numbers(out, call.numbers);
  out.member("mac", call.mac);
  out.member("loaded", call.loaded);
  out.member("divisions", call.divisions);
}

void write_call(Writer& out, const ProfiledCall& call) {
  out.member("call", call.call);
  out.member("kernel", call.kernel);
  out.text_or_null("layer", call.layer);
  write_costs(out, call);
}

void write_kernel(Writer& out, const ProfiledKernel& kernel) {
  out.member("kernel", kernel.sum.kernel);
  out.member("calls", kernel.calls);
  write_costs(out, kernel.sum);
}

void write_cycles(Writer& out, const CyclesPerInstruction& cycles) {
  out.member("min", cycles.min);
  out.member("max", cycles.max);
  out.member("source", cycles.source);
}

void write_clock(Writer& out, const ProfileClock& clock) {
  out.member("hertz", clock.hertz);
  out.object("cycles_per_instruction", clock.cycles_per_instruction, write_cycles);
}

void write_output(Writer& out, const ProfiledOutput& output) {
  out.member("name", output.name);
  out.member("sha256", output.sha256);
}

// --- Reading ------------------------------------------------------------------------------------

std::uint64_t number_in(const Value& value) {
  const std::int64_t number = value.as_integer();
  if (number < 0) value.fail("a number below 0");
  return static_cast<std::uint64_t>(number);
}

template <class Read>
auto if_not_null(const Value& value, Read read) -> std::optional<decltype(read(value))> {
  if (value.is_null()) return std::nullopt;
  return read(value);
}

std::string text_or_empty(const Value& value) {
  return value.is_null() ? std::string() : std::string(value.as_string());
}

analysis::Count count_in(const Value& value) {
  if (!value.is_object()) {
    const auto number = if_not_null(value, number_in);
    return number ? analysis::Count(*number) : analysis::Count::unknown();
  }
  return {number_in(value.at("min")), if_not_null(value.at("max"), number_in)};
}

double real_in(const Value& value) {
  const auto number =
      value.is_number() ? support::whole_number<double>(value.source()) : std::nullopt;
  if (!number || *number < 0) value.fail("not a number from 0 on");
  return *number;
}

ProfileSpread spread_in(const Value& value) {
  return {.min = number_in(value.at("min")),
          .median = if_not_null(value.at("median"), number_in),
          .max = if_not_null(value.at("max"), number_in)};
}

ProfileNumbers numbers_in(const Value& value) {
  return {.instructions = if_not_null(value.at("instructions"), number_in),
          .cycles = if_not_null(value.at("cycles"), spread_in),
          .nanoseconds = if_not_null(value.at("nanoseconds"), spread_in)};
}

ProfiledCall call_in(const Value& value) {
  return {.call = number_in(value.at("call")),
          .kernel = std::string(value.at("kernel").as_string()),
          .layer = text_or_empty(value.at("layer")),
          .numbers = numbers_in(value),
          .mac = count_in(value.at("mac")),
          .loaded = count_in(value.at("loaded")),
          .divisions = count_in(value.at("divisions"))};
}

CyclesPerInstruction cycles_in(const Value& value) {
  return {.min = real_in(value.at("min")),
          .max = if_not_null(value.at("max"), real_in),
          .source = std::string(value.at("source").as_string())};
}

ProfileClock clock_in(const Value& value) {
  return {.hertz = number_in(value.at("hertz")),
          .cycles_per_instruction = if_not_null(value.at("cycles_per_instruction"), cycles_in)};
}

ProfileSource source_in(const Value& value) {
  for (const ProfileSource one :
       {ProfileSource::emulated, ProfileSource::timed, ProfileSource::measured}) {
    if (value.as_string() == to_string(one)) return one;
  }
  value.fail("not a source of numbers");
}

Profile profile_in(const Value& root) {
  if (root.at("format").as_string() != "mlf-profile") root.at("format").fail("not a profile");
  if (root.at("version").as_integer() != kProfileVersion) {
    root.at("version").fail(fmt::format("only version {} is known", kProfileVersion));
  }
  Profile profile{.module = std::string(root.at("module").as_string()),
                  .source = source_in(root.at("source")),
                  .cpu = text_or_empty(root.at("cpu")),
                  .machine = text_or_empty(root.at("machine")),
                  .emulator = text_or_empty(root.at("emulator")),
                  .compiler = text_or_empty(root.at("compiler")),
                  .compiler_version = text_or_empty(root.at("compiler_version")),
                  .runs = number_in(root.at("runs")),
                  .clock = if_not_null(root.at("clock"), clock_in),
                  .total = numbers_in(root.at("total")),
                  .network = if_not_null(root.at("network"), numbers_in)};
  for (const Value flag : root.at("flags").as_array()) {
    profile.flags.emplace_back(flag.as_string());
  }
  for (const Value call : root.at("calls").as_array()) profile.calls.push_back(call_in(call));
  for (const Value output : root.at("outputs").as_array()) {
    profile.outputs.push_back(
        {std::string(output.at("name").as_string()), std::string(output.at("sha256").as_string())});
  }
  // Documents of earlier versions lack it.
  if (const auto code = root.find("code")) profile.code = text_or_empty(*code);
  require_total_of_calls(profile);
  return profile;
}

}  // namespace
}  // namespace profile

std::string to_json(const Profile& profile, const DocumentForm& form) {
  return json::document_text(form, "mlf-profile", kProfileVersion, [&](json::Writer& out) {
    out.member("module", profile.module);
    out.member("source", to_string(profile.source));
    out.member("unit", profile.unit());
    out.text_or_null("cpu", profile.cpu);
    out.text_or_null("machine", profile.machine);
    out.text_or_null("emulator", profile.emulator);
    out.text_or_null("compiler", profile.compiler);
    out.text_or_null("compiler_version", profile.compiler_version);
    out.member("flags", profile.flags);
    out.member("runs", profile.runs);
    out.object("clock", profile.clock, profile::write_clock);
    out.objects("calls", profile.calls, profile::write_call);
    out.object("total", profile.total, profile::write_numbers);
    out.object("network", profile.network, profile::write_numbers);
    out.objects("outputs", profile.outputs, profile::write_output);
    out.objects("kernels", kernels_of(profile), profile::write_kernel);
    out.text_or_null("code", profile.code);
  });
}

Result<Profile> read_profile(std::string_view json) {
  return support::to_result([&] {
    const json::Document document(support::SourceText{.file = {}, .member = {}, .text = json});
    return profile::profile_in(document.root());
  });
}

Result<Profile> load_profile(const std::string& path) {
  return load_tir_file(path).and_then([&](const TirFile& file) {
    return read_profile(file.text).map_error([&](Diagnostic diagnostic) {
      diagnostic.message += "; mlf profile --json writes such a file";
      return in_file(std::move(diagnostic), path);
    });
  });
}

}  // namespace mlf
