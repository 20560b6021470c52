#include "profile/code_digest.h"

#include <fmt/core.h>

#include "deployment/member_text.h"
#include "support/sha256.h"

namespace mlf::profile {

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

}  // namespace mlf::profile
