// Archives with another plan: every representation says the new one, and nothing else changes.
#include "optimize/steps.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "mlf/optimize.h"
#include "mlf/process.h"
#include "mlf/tir/write.h"
#include "mlf/verify.h"
#include "support/corpus_directory.h"
#include "support/written_moves.h"
#include "unit/archive/archive_fixture.h"
#include "unit/optimize/bundled.h"

namespace mlf::test {
namespace {

using graph::PoolKind;
using optimize::PoolMove;

/// Every buffer of workspace pools `by` bytes further on, or back.
std::vector<PoolMove> shifted(const Deployment& deployment, std::int64_t by) {
  const auto add = [&](std::uint64_t value) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value) + by);
  };
  std::vector<PoolMove> moves;
  const Networks networks = deployment.networks().value();
  for (const Network& network : networks.found) {
    const graph::Topology& topology = network.topology;
    for (std::size_t i = 0; i < topology.pools.size(); ++i) {
      const graph::Pool& pool = topology.pools[i];
      if (pool.kind != PoolKind::workspace) continue;
      PoolMove move{.module = network.module,
                    .pool = pool.name,
                    .old_size = pool.bytes.value(),
                    .buffers = {},
                    .after = {.size = add(pool.bytes.value())}};
      const auto is_here = [&](const auto& buffer) {
        return buffer.pool && graph::index(*buffer.pool) == i;
      };
      for (const graph::Storage& storage : topology.storages) {
        if (!is_here(storage)) continue;
        move.buffers.push_back({.source = topology.provenance.source,
                                .function = topology.provenance.function,
                                .variable = storage.name,
                                .offset = storage.offset.value()});
      }
      for (const graph::Kernel& kernel : topology.kernels) {
        for (const graph::KernelBuffer& buffer : kernel.workspaces) {
          if (!is_here(buffer)) continue;
          move.buffers.push_back({.source = kernel.source,
                                  .function = kernel.function,
                                  .variable = buffer.name,
                                  .offset = buffer.offset.value()});
        }
      }
      for (const plan::PlannedBuffer& one : move.buffers) {
        move.after.offsets.push_back(add(one.offset));
      }
      moves.push_back(std::move(move));
    }
  }
  return moves;
}

std::vector<std::string> usmp_archives() {
  std::vector<std::string> paths{data(kUsmp)};
  const std::filesystem::path corpus = test::corpus_directory();
  for (const auto& version : std::filesystem::directory_iterator(corpus)) {
    if (!version.is_directory()) continue;
    for (const auto& build : std::filesystem::directory_iterator(version)) {
      const auto path = build.path() / "module.tar";
      if (build.path().string().find("usmp") != std::string::npos &&
          std::filesystem::exists(path)) {
        paths.push_back(path.string());
      }
    }
  }
  return paths;
}

class Offsets : public ArchiveTest {
 protected:
  Result<std::vector<std::string>> write(const std::string& from, const std::string& to,
                                         const std::vector<PoolMove>& moves) const {
    return write_moves(open_deployment(from), moves, to);
  }

  std::string refusal_of(const std::vector<PoolMove>& moves) const {
    const auto result = write(data(kUsmp), path("out.tar"), moves);
    EXPECT_FALSE(std::filesystem::exists(path("out.tar")));
    if (result) return "it was written";
    EXPECT_EQ(result.error().kind, ErrorKind::check_failed);
    return result.error().message;
  }

  /// There and back again: all checks hold on the way, and the end is the beginning.
  void expect_round_trip(const std::string& archive) const {
    SCOPED_TRACE(archive);
    const Deployment before = open_deployment(archive);
    const std::vector<PoolMove> moves = shifted(before, 1024);
    if (moves.empty()) return;  // a network of one kernel has no workspace
    const auto there = write(archive, path("there.tar"), moves);
    ASSERT_TRUE(there) << to_string(there.error());
    EXPECT_FALSE(there->empty());
    const Verification verification = verify_archive(path("there.tar")).value();
    for (const VerifyFinding& finding : verification.findings) {
      EXPECT_NE(finding.severity, graph::Severity::error) << finding.detail;
    }
    const Deployment after = open_deployment(path("there.tar"));
    const std::vector<PoolMove> back = shifted(after, -1024);
    ASSERT_EQ(back.size(), moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
      EXPECT_EQ(back[i].old_size, moves[i].after.size);
      ASSERT_EQ(back[i].buffers.size(), moves[i].buffers.size());
      for (std::size_t k = 0; k < moves[i].buffers.size(); ++k) {
        EXPECT_EQ(back[i].buffers[k].offset, moves[i].after.offsets[k]);
      }
    }
    const auto returned = write(path("there.tar"), path("back.tar"), back);
    ASSERT_TRUE(returned) << to_string(returned.error());
    EXPECT_TRUE(read_file(path("back.tar")) == read_file(archive)) << "other bytes";
  }
};

TEST_F(Offsets, ChangesEveryRepresentationAndBackToTheSameBytes) {
  expect_round_trip(data(kUsmp));
}

TEST_F(Offsets, ChangesEveryArchiveOfTheCorpus) {
  const std::vector<std::string> archives = usmp_archives();
  for (const std::string& archive : archives) expect_round_trip(archive);
}

/// The archive with the lossless twin of its text, as mlf prints it.
std::string with_twin(const std::string& archive, const std::string& to) {
  const auto captured = std::filesystem::path(archive).parent_path() / "save-1.json";
  const std::string text = read_file(captured.string());
  const tir::Document document =
      tir::read({.file = captured.string(), .member = {}, .text = text}).value();
  std::string twin;
  EXPECT_TRUE(tir::write_save_json(document, [&](std::string_view part) { twin += part; }));
  const archive::Archive original = open_good(archive);
  archive::Changes changes;
  changes.add.push_back(new_member("src/tir-1.tvm.json", twin, *original.find("src/tir-1.txt")));
  archive::write_to_path(original, changes, to);
  return to;
}

TEST_F(Offsets, ChangesTextAndLosslessTwin) {
  expect_round_trip(with_twin(data(kUsmp), path("twin.tar")));
}

TEST_F(Offsets, ChangesLosslessTwinsOfTheCorpus) {
  const std::vector<std::string> archives = usmp_archives();
  for (const std::string& archive : archives) {
    SCOPED_TRACE(archive);
    expect_round_trip(with_twin(archive, path("twin.tar")));
  }
}

TEST_F(Offsets, WithoutAMoveGivesTheSameArchive) {
  const Deployment deployment = open_deployment(data(kUsmp));
  const auto report = write(data(kUsmp), path("out.tar"), shifted(deployment, 0));
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_TRUE(report->empty());
  EXPECT_TRUE(read_file(path("out.tar")) == read_file(data(kUsmp)));
}

TEST_F(Offsets, NamesTheMembersThatChange) {
  const Deployment deployment = open_deployment(data(kUsmp));
  const auto report = write(data(kUsmp), path("out.tar"), shifted(deployment, 16));
  ASSERT_TRUE(report) << to_string(report.error());
  const archive::Archive before = open_good(data(kUsmp));
  const archive::Archive after = open_good(path("out.tar"));
  ASSERT_EQ(names(before), names(after));
  for (std::size_t i = 0; i < before.members().size(); ++i) {
    const archive::Member& member = before.members()[i];
    if (member.type != archive::MemberType::file) continue;
    const bool changed = before.read(member).value() != after.read(after.members()[i]).value();
    EXPECT_EQ(changed, std::count(report->begin(), report->end(), member.name) == 1) << member.name;
    EXPECT_EQ(member.mtime, after.members()[i].mtime);
    EXPECT_EQ(member.mode, after.members()[i].mode);
  }
}

TEST_F(Offsets, MakesTheOutputsOfProcessAnew) {
  const std::string processed = path("processed.tar");
  ASSERT_TRUE(process_archive(data(kUsmp), {.output = processed}));
  const Deployment deployment = open_deployment(processed);
  ASSERT_TRUE(write(processed, path("out.tar"), shifted(deployment, 16)));
  const ProcessReport again = process_archive(path("out.tar")).value();
  EXPECT_FALSE(again.changed());
  // As if it had been written first and processed then.
  ASSERT_TRUE(write(data(kUsmp), path("other.tar"), shifted(open_deployment(data(kUsmp)), 16)));
  ASSERT_TRUE(process_archive(path("other.tar")));
  EXPECT_TRUE(read_file(path("other.tar")) == read_file(path("out.tar")));
}

TEST_F(Offsets, KeepsTheCompression) {
  const std::string packed = path("in.tar.gz");
  ASSERT_EQ(std::system(("gzip -nc " + data(kUsmp) + " > " + packed).c_str()), 0);
  ASSERT_TRUE(write(packed, path("out.tar.gz"), shifted(open_deployment(packed), 16)));
  const archive::Archive after = open_good(path("out.tar.gz"));
  EXPECT_EQ(after.storage(), archive::Storage::tar_gzip);
  EXPECT_EQ(names(after), names(open_good(data(kUsmp))));
}

// --- Archives that are not as TVM made them -----------------------------------------------------

/// The test archive with `from` for `to` in one member, and without captured TIR if asked for.
enum class Captured { stays, goes };

class OffsetsOfChanged : public Offsets {
 protected:
  std::string changed(std::string_view member, const std::string& from, const std::string& to,
                      Captured captured) const {
    const archive::Archive archive = open_good(data(kUsmp));
    std::string text(archive.read(*archive.find(member)).value());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    archive::Changes changes{.remove = {}, .add = {}, .edit = {{std::string(member), text}}};
    for (const archive::Member& one : archive.members()) {
      if (captured == Captured::goes && one.name.starts_with("src/tir-")) {
        changes.remove.push_back(one.name);
      }
    }
    archive::write_to_path(archive, changes, path("changed.tar"));
    return path("changed.tar");
  }

  /// The error for it, with the moves that were right before.
  std::string refusal_of_changed(const std::string& archive) const {
    const auto moves = shifted(open_deployment(archive), 16);
    EXPECT_FALSE(moves.empty());
    const auto result = write(archive, path("out.tar"), moves);
    EXPECT_FALSE(std::filesystem::exists(path("out.tar")));
    return result ? "it was written" : result.error().message;
  }
};

TEST_F(OffsetsOfChanged, RefusesCThatDoesNotAgreeWithTheTir) {
  const std::string archive = changed(kKernels, "_let = (&(global_workspace_1_var[",
                                      "_let = (&(global_workspace_1_var[1", Captured::stays);
  EXPECT_EQ(
      refusal_of_changed(archive),
      "the generated C, codegen/host/src/default_lib1.c:113, has 1800 where src/tir-1.txt has "
      "800: functions[\"__tvm_main__\"].body.value.args[0].indices[0].value; the C counts, and "
      "if it is meant so, remove the capture");
}

TEST_F(OffsetsOfChanged, RefusesAPoolWhoseSizeIsNotANumber) {
  const std::string archive = changed(kPools, "static uint8_t global_workspace[",
                                      "static uint8_t global_workspace[1 * ", Captured::stays);
  const auto result = write(archive, path("out.tar"), shifted(open_deployment(data(kUsmp)), 16));
  EXPECT_FALSE(std::filesystem::exists(path("out.tar")));
  EXPECT_EQ(result.error().message,
            "the generated C has neither an array nor a macro of the size of pool "
            "'global_workspace'");
}

TEST_F(OffsetsOfChanged, RefusesAPoolWhoseSizeIsNotInBytes) {
  const std::string archive =
      changed(kPools, "static uint8_t global_workspace[",
              "static uint16_t global_workspace[720];\nstatic uint8_t other[", Captured::stays);
  EXPECT_EQ(refusal_of_changed(archive),
            "the generated C has neither an array nor a macro of the size of pool "
            "'global_workspace'");
}

TEST_F(OffsetsOfChanged, RefusesAnotherSizeInMetadata) {
  const std::string archive =
      changed("metadata.json", "\"workspace_size_bytes\": ", "\"workspace_size_bytes\": 1",
              Captured::stays);
  EXPECT_EQ(refusal_of_changed(archive),
            "workspace_size_bytes of main is not 1440, the sum of its pools");
}

TEST_F(OffsetsOfChanged, RefusesAnotherSizeInTheHeader) {
  const std::string archive =
      changed("codegen/host/include/tvmgen_default.h", "TVMGEN_DEFAULT_WORKSPACE_SIZE ",
              "TVMGEN_DEFAULT_WORKSPACE_SIZE 1", Captured::stays);
  EXPECT_EQ(refusal_of_changed(archive),
            "TVMGEN_DEFAULT_WORKSPACE_SIZE is not 1440, its value in the plan");
}

TEST_F(OffsetsOfChanged, ChangesTheHeaderInEachSpelling) {
  constexpr std::string_view kHeader = "codegen/host/include/tvmgen_default.h";
  const std::string archive =
      changed(kHeader, "#define TVMGEN_DEFAULT_WORKSPACE_SIZE ",
              "#  define TVMGEN_DEFAULT_WORKSPACE_SIZE   ", Captured::stays);
  ASSERT_TRUE(write(archive, path("out.tar"), shifted(open_deployment(archive), 16)));
  const archive::Archive after = open_good(path("out.tar"));
  const std::string_view header = after.read(*after.find(kHeader)).value();
  EXPECT_NE(header.find("#  define TVMGEN_DEFAULT_WORKSPACE_SIZE   1456\n"), header.npos);
}

TEST_F(OffsetsOfChanged, RefusesAHeaderWithSeveralValues) {
  const std::string archive =
      changed("codegen/host/include/tvmgen_default.h", "#define TVMGEN_DEFAULT_WORKSPACE_SIZE ",
              "#ifdef SMALL\n#define TVMGEN_DEFAULT_WORKSPACE_SIZE 8\n#endif\n"
              "#define TVMGEN_DEFAULT_WORKSPACE_SIZE ",
              Captured::stays);
  EXPECT_EQ(refusal_of_changed(archive), "TVMGEN_DEFAULT_WORKSPACE_SIZE may have other values");
}

TEST_F(OffsetsOfChanged, RefusesACalleeWithoutTir) {
  const std::string archive =
      changed(kKernels, "  if (tvmgen_default_", "  if (other_", Captured::goes);
  EXPECT_EQ(refusal_of_changed(archive),
            "'other_fused_cast_subtract' is given a pool, and its TIR is not in the archive");
}

TEST_F(OffsetsOfChanged, RefusesOtherUsesOfAPool) {
  const std::string archive = changed(kKernels, "  if (tvmgen_default_",
                                      "  ((uint8_t*)global_workspace_1_var)[0] = (uint8_t)1;\n"
                                      "  if (tvmgen_default_",
                                      Captured::goes);
  EXPECT_EQ(refusal_of_changed(archive),
            "function '__tvm_main__': pool 'global_workspace' is used by BufferStore, which TVM's "
            "planner does not generate");
}

// --- Moves that are not those of the archive ----------------------------------------------------

TEST_F(Offsets, RefusesABufferThatTheMovesDoNotHave) {
  std::vector<PoolMove> moves = shifted(open_deployment(data(kUsmp)), 16);
  const plan::PlannedBuffer last = moves[0].buffers.back();
  moves[0].buffers.pop_back();
  EXPECT_EQ(refusal_of(moves), "function '" + last.function + "': '" + last.variable + "' at " +
                                   std::to_string(last.offset) +
                                   " of pool 'global_workspace' is not in the plan");
}

TEST_F(Offsets, RefusesABufferThatTheArchiveDoesNotHave) {
  std::vector<PoolMove> moves = shifted(open_deployment(data(kUsmp)), 16);
  moves[0].buffers.push_back(moves[0].buffers[0]);
  moves[0].buffers.back().variable = "sid_99_let";
  moves[0].buffers.back().offset = 0;
  moves[0].after.offsets.push_back(16);
  EXPECT_EQ(refusal_of(moves),
            "the archive has no 'sid_99_let' at 0 of pool 'global_workspace' "
            "in function '" +
                moves[0].buffers[0].function + "'");
}

TEST_F(Offsets, RefusesAnotherOffsetThanThePresentOne) {
  std::vector<PoolMove> moves = shifted(open_deployment(data(kUsmp)), 16);
  moves[0].buffers[0].offset += 4;
  EXPECT_NE(refusal_of(moves).find("is not in the plan"), std::string::npos);
}

TEST_F(Offsets, RefusesAnotherSizeThanThePresentOne) {
  std::vector<PoolMove> moves = shifted(open_deployment(data(kUsmp)), 16);
  moves[0].old_size += 1;
  EXPECT_EQ(refusal_of(moves),
            "function '__tvm_main__': pool 'global_workspace' has 1440 bytes here, and 1441 in "
            "the plan");
}

}  // namespace
}  // namespace mlf::test
