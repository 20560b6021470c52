// Every archive of the corpus.
#include <gtest/gtest.h>

#include <filesystem>

#include "mlf/model_library.h"
#include "support/corpus_directory.h"
#include "unit/model_library/archive_contents.h"

namespace mlf {
namespace {

namespace fs = std::filesystem;

void expect_complete(const ModelLibrary& library) {
  for (const Module& module : library.modules) {
    EXPECT_FALSE(module.files.sources.empty() && module.files.objects.empty()) << module.name;
    EXPECT_FALSE(module.targets.empty());
    for (const ModuleTarget& entry : module.targets) EXPECT_EQ(entry.target.device_type, 1);
    if (module.style == Style::operator_only) {
      EXPECT_FALSE(module.memory.operators.empty());
      continue;
    }
    EXPECT_TRUE(module.files.parameters.has_value());
    EXPECT_TRUE(module.files.relay.has_value());
    EXPECT_EQ(module.memory.main.size(), 1u);
    const bool graph = module.executors == std::vector{Executor::graph};
    EXPECT_EQ(module.files.graph.has_value(), graph);
    EXPECT_EQ(module.memory.storage_ids.empty(), !graph);
  }
  EXPECT_TRUE(library.shared.other.empty()) << library.shared.other.front().name;
}

void expect_readable_params(const ModelLibrary& library,
                            const std::vector<test::ArchiveMember>& members) {
  for (const Module& module : library.modules) {
    if (!module.files.parameters) continue;
    const std::string bytes = test::bytes_of(members, module.files.parameters->name);
    const auto params = read_params(std::as_bytes(std::span(bytes)), "params");
    EXPECT_TRUE(params.has_value()) << to_string(params.error());
  }
}

TEST(Corpus, IsUnderstoodWithoutRest) {
  std::size_t archives = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(test::corpus_directory())) {
    if (entry.path().filename() != "module.tar") continue;
    SCOPED_TRACE(entry.path().string());
    const auto members = test::members_of(entry.path());
    const auto library =
        read_model_library(test::bytes_of(members, "metadata.json"), test::file_refs(members));
    ASSERT_TRUE(library.has_value()) << to_string(library.error());
    EXPECT_EQ(library->version, 7);
    expect_complete(*library);
    expect_readable_params(*library, members);
    ++archives;
  }
  EXPECT_GT(archives, test::of_corpus(100, 10));
}

}  // namespace
}  // namespace mlf
