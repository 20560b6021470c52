// One way into an archive: what is read once, what is let go, and what several threads may ask.
#include "mlf/deployment.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "unit/archive/archive_fixture.h"

namespace mlf {
namespace {

constexpr const char* kArchive = MLF_TEST_DATA "/archives/tvm-0.9-qnn_conv-aot-c.tar";

TEST(DeploymentTest, ADocumentIsReadOnce) {
  const auto deployment = Deployment::open(kArchive);
  ASSERT_TRUE(deployment);
  const TirSource& source = deployment->tir_sources().at(0);
  const auto first = deployment->document(source);
  const auto second = deployment->document(source);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->get(), second->get());
}

TEST(DeploymentTest, AReleasedDocumentStaysValidForItsHolders) {
  auto deployment = Deployment::open(kArchive);
  ASSERT_TRUE(deployment);
  const TirSource& source = deployment->tir_sources().at(0);
  auto held = *deployment->document(source);
  deployment->release_documents();
  EXPECT_EQ(*deployment->document(source), held);
  const std::weak_ptr<const tir::Document> watched = held;
  held.reset();
  deployment->release_documents();
  EXPECT_TRUE(watched.expired());
  EXPECT_TRUE(deployment->document(source));
}

TEST(DeploymentTest, SourcesHaveTheirStemAndTheirMemberForNames) {
  const auto deployment = Deployment::open(kArchive);
  ASSERT_TRUE(deployment);
  const TirSource& source = deployment->tir_sources().at(0);
  EXPECT_EQ(deployment->find_tir(source.stem), &source);
  EXPECT_EQ(deployment->find_tir(source.name), &source);
  EXPECT_EQ(deployment->find_tir("tir-99"), nullptr);
}

TEST(DeploymentTest, ModulesAreLimited) {
  EXPECT_TRUE(Deployment::open(kArchive, {.archive_limits = {.max_modules = 1}}));
  const auto refused = Deployment::open(kArchive, {.archive_limits = {.max_modules = 0}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(refused.error().message, "the archive has more than 0 modules (--limit modules=N)");
}

TEST(DeploymentTest, MovingLeavesWhatItReturnedInPlace) {
  auto deployment = Deployment::open(kArchive);
  ASSERT_TRUE(deployment);
  const TirSource* const source = deployment->tir_sources().data();
  const auto document = *deployment->document(*source);
  const Deployment moved = *std::move(deployment);
  EXPECT_EQ(moved.tir_sources().data(), source);
  EXPECT_EQ(*moved.document(*source), document);
}

TEST(DeploymentTest, AnArchiveInMemoryIsAsGoodAsAFile) {
  const std::string bytes = test::read_file(kArchive);
  auto archive = archive::Archive::from_bytes(bytes, "memory.tar");
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->path(), "memory.tar");
  const auto deployment = Deployment::open(*std::move(archive));
  ASSERT_TRUE(deployment);
  EXPECT_EQ(deployment->tir_sources().size(), Deployment::open(kArchive)->tir_sources().size());
}

TEST(DeploymentTest, BytesThatAreNotAnArchiveAreRefused) {
  const auto archive = archive::Archive::from_bytes("not a tar", "memory.tar");
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(archive.error().where.file, "memory.tar");
}

TEST(DeploymentTest, ThreadsShareOneDocument) {
  const auto deployment = Deployment::open(kArchive);
  ASSERT_TRUE(deployment);
  const TirSource& source = deployment->tir_sources().at(0);
  std::array<std::shared_ptr<const tir::Document>, 4> read;
  {
    std::array<std::jthread, 4> threads;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      threads[i] = std::jthread([&, i] {
        read[i] = deployment->document(source).value_or(nullptr);
        static_cast<void>(deployment->generated_c(0));
        static_cast<void>(deployment->networks());
      });
    }
  }
  ASSERT_NE(read[0], nullptr);
  for (const auto& one : read) EXPECT_EQ(one, read[0]);
}

}  // namespace
}  // namespace mlf
