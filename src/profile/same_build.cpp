#include "profile/same_build.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "deployment/member_text.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf::profile {
namespace {

[[noreturn]] void refuse_profile(std::string why) {
  throw support::Error(ErrorKind::usage, std::move(why));
}

}  // namespace

std::string code_digest(const Deployment& deployment, std::size_t module) {
  support::Sha256 digest;
  const ModuleFiles& files = deployment.library().modules[module].files;
  for (const auto* list : {&files.sources, &files.objects}) {
    for (const FileRef& file : *list) {
      const std::string_view text = deployment::member_text(deployment.archive(), file);
      digest.update(fmt::format("{}\n{}\n", file.name, text.size()));
      digest.update(text);
    }
  }
  return digest.hex();
}

void require_same_build(const Profile& profile, const Deployment& deployment, std::size_t module,
                        std::span<const std::string> kernels) {
  const std::string& name = deployment.library().modules[module].name;
  if (profile.module != name) {
    refuse_profile(fmt::format("the profile is of module '{}', not of '{}'", profile.module, name));
  }
  if (kernels.size() != profile.calls.size()) {
    refuse_profile(fmt::format("the profile has {} calls, and module '{}' has {}",
                               profile.calls.size(), name, kernels.size()));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (profile.calls[i].kernel == kernels[i]) continue;
    refuse_profile(fmt::format("call {} is of '{}' in the profile and of '{}' in module '{}'", i,
                               profile.calls[i].kernel, kernels[i], name));
  }
  if (!profile.code.empty() && profile.code != code_digest(deployment, module)) {
    refuse_profile(
        fmt::format("the profile is of another build: the C of module '{}' is not what ran; "
                    "profile this archive",
                    name));
  }
}

std::string origin_of(const Profile& profile) {
  std::string text(to_string(profile.source));
  for (const std::string& one : {profile.cpu, profile.machine, profile.compiler_version}) {
    if (!one.empty()) text += ", " + one;
  }
  // Of the flags, those of later ones count.
  const auto level = std::find_if(profile.flags.rbegin(), profile.flags.rend(),
                                  [](const std::string& flag) { return flag.starts_with("-O"); });
  if (level != profile.flags.rend()) text += " " + *level;
  if (profile.runs > 1) text += fmt::format(", {} runs", profile.runs);
  if (profile.clock)
    text += fmt::format(", {} MHz", static_cast<double>(profile.clock->hertz) / 1e6);
  if (profile.clock && profile.clock->cycles_per_instruction) {
    text += ", cycles per instruction by " + profile.clock->cycles_per_instruction->source;
  }
  return text;
}

}  // namespace mlf::profile
