// Networks on the memories of a board.
#include <gtest/gtest.h>

#include <algorithm>

#include "mlf/budget.h"

namespace mlf {
namespace {

using analysis::Count;

/// A network whose C has a pool `sram`, and one function.
BoardArchive archive_with(const std::string& name, std::uint64_t pool) {
  ModuleReport module;
  module.name = "default";
  module.network.emplace().pools.push_back({.name = "sram", .bytes = pool});
  module.ram.pools = pool;
  CompiledCode& code = module.code.emplace();
  code.bss = pool;
  code.text = 100;
  code.rodata = 10;
  code.read_sections = {{".text.run", {true, 100, 0}}, {".rodata.tvm", {false, 10, 0}}};
  code.variables["sram"] = {pool, true};
  code.exported.insert("run_" + name);
  BoardArchive archive{name, {}};
  archive.report.modules.push_back(std::move(module));
  return archive;
}

ModuleReport& module_of(BoardArchive& archive) {
  return archive.report.modules.front();
}

/// Without stack, which these modules do not tell.
Board board_of(std::uint64_t ram, std::uint64_t flash) {
  return {{{"ram", ram, {{"pools", {}}, {"io", {}}, {"heap", {}}, {"data", {}}}},
           {"flash", flash, {{"flash", {}}}},
           {"stacks", 1, {{"stack", {}}}}},
          false};
}

CheckResults checked(const Board& board, const std::vector<BoardArchive>& archives) {
  return check(board, archives).value();
}

const BudgetResult& on(const CheckResults& results, std::string_view memory) {
  return *std::ranges::find_if(results.limits,
                               [&](const BudgetResult& one) { return one.limit.memory == memory; });
}

TEST(Board, HasTheSumOfAllNetworks) {
  const std::vector<BoardArchive> archives{archive_with("a", 1000), archive_with("b", 3000)};
  const CheckResults results = checked(board_of(4000, 220), archives);
  EXPECT_EQ(on(results, "ram").needed, Count(4000));
  EXPECT_EQ(on(results, "ram").verdict, Verdict::fits);
  EXPECT_EQ(on(results, "flash").verdict, Verdict::fits);
  const CheckResults less = checked(board_of(3999, 219), archives);
  EXPECT_EQ(on(less, "ram").remarks.front(), "1 bytes too many");
  EXPECT_EQ(on(less, "flash").verdict, Verdict::exceeds);
}

TEST(Board, NeverHasANumberWithoutAnUpperBound) {
  std::vector<BoardArchive> archives{archive_with("a", 1000)};
  EXPECT_EQ(on(checked(board_of(1'000'000, 1'000'000), archives), "stacks").verdict,
            Verdict::undecided);
  module_of(archives.front()).code->uncompiled.emplace_back("a file");
  const CheckResults results = checked(board_of(1'000'000, 1'000'000), archives);
  EXPECT_EQ(on(results, "flash").verdict, Verdict::undecided);
  EXPECT_EQ(on(results, "ram").verdict, Verdict::undecided);
  EXPECT_FALSE(results.all_hold());
}

TEST(Board, NeverHasAPoolOfUnknownSize) {
  std::vector<BoardArchive> archives{archive_with("a", 1000)};
  module_of(archives.front()).ram.pools = Count(1000, std::nullopt);
  EXPECT_EQ(on(checked(board_of(1'000'000, 1'000'000), archives), "ram").verdict,
            Verdict::undecided);
}

TEST(Board, DoesNotKnowWhoseAPoolIsWithoutACompiler) {
  std::vector<BoardArchive> archives{archive_with("a", 1000), archive_with("b", 3000)};
  for (BoardArchive& one : archives) module_of(one).code.reset();
  Board board = board_of(0, 0);
  board.memories.front().holds = {{"sram", {}}};
  board.in_turn = true;
  EXPECT_EQ(on(checked(board, archives), "ram").needed, Count(3000, std::nullopt));
  board.in_turn = false;
  EXPECT_EQ(on(checked(board, archives), "ram").needed, Count(4000, std::nullopt));
}

TEST(Board, CountsThePaddingInFrontOfAPool) {
  std::vector<BoardArchive> archives{archive_with("a", 1000)};
  module_of(archives.front()).code->written_padding = 15;
  Board board = board_of(1000, 1000);
  board.memories.front().holds = {{"sram", {}}};
  board.memories.push_back({"rest", 1000, {{"data", {}}}});
  EXPECT_EQ(on(checked(board, archives), "ram").needed, Count(1000, 1015));
  EXPECT_EQ(on(checked(board, archives), "ram").verdict, Verdict::undecided);
}

TEST(Board, HasFunctionsOutsideOfTheArchivesOnce) {
  std::vector<BoardArchive> archives{archive_with("a", 1000), archive_with("b", 3000)};
  for (BoardArchive& one : archives) module_of(one).code->missing = {"expf"};
  Board board = board_of(4000, 1220);
  const auto with_library = [&] { return check(board, archives, {.flash = 1000}).value(); };
  EXPECT_EQ(on(with_library(), "flash").needed, Count(220, 1220));
  // In either memory, where each has the code of one network.
  board.memories.push_back({"other", 1110, {{"b:flash", {}}}});
  EXPECT_EQ(on(with_library(), "flash").needed, Count(110, 1110));
  EXPECT_EQ(on(with_library(), "other").needed, Count(110, 1110));
}

TEST(Board, SharesWhatNetworksInTurnUseOnlyWhileTheyRun) {
  std::vector<BoardArchive> archives{archive_with("a", 1000), archive_with("b", 3000)};
  for (BoardArchive& one : archives) module_of(one).ram.heap = 500;
  Board board = board_of(5000, 1000);
  EXPECT_EQ(on(checked(board, archives), "ram").needed, Count(5000));
  board.in_turn = true;
  // An array of the C is there all the time.
  EXPECT_EQ(on(checked(board, archives), "ram").needed, Count(4500));
  for (BoardArchive& one : archives) {
    module_of(one).code->variables.clear();
    module_of(one).code->bss = 0;
  }
  // The application aligns its array.
  EXPECT_EQ(on(checked(board, archives), "ram").needed, Count(3500, 3515));
  module_of(archives.front()).ram.heap = Count(0, std::nullopt);
  EXPECT_EQ(on(checked(board, archives), "ram").needed, Count(3500, std::nullopt));
}

TEST(Board, ThatLacksAPlaceForAPartDoesNotFit) {
  const std::vector<BoardArchive> archives{archive_with("a", 1000)};
  Board board = board_of(1000, 1000);
  board.memories.front().holds = {{"data", {}}};
  const CheckResults results = checked(board, archives);
  EXPECT_EQ(on(results, "").verdict, Verdict::exceeds);
  EXPECT_EQ(on(results, "").remarks.front(), "no memory holds these parts");
}

TEST(Board, PlacesAPartByItsMostSpecificName) {
  const std::vector<BoardArchive> archives{archive_with("a", 1000), archive_with("b", 3000)};
  Board board = board_of(9999, 9999);
  board.memories.push_back({"fast", 9999, {{"b:sram", {}}, {".text", {}}, {"a:.rodata.tvm", {}}}});
  const CheckResults results = checked(board, archives);
  EXPECT_EQ(on(results, "ram").needed, Count(1000));
  EXPECT_EQ(on(results, "fast").needed, Count(3000 + 200 + 10));
  // Code that runs in RAM is loaded from flash.
  EXPECT_EQ(on(results, "flash").needed, Count(10 + 200 + 10));
}

TEST(Board, RefusesNamesThatNoArchiveHasAndNamesInTwoPlaces) {
  const std::vector<BoardArchive> archives{archive_with("a", 1000)};
  for (const char* name : {"srm", "b:heap", ".data", "pools"}) {
    Board board = board_of(1000, 1000);
    board.memories.push_back({"more", 1, {{name, {.line = 7}}}});
    const auto result = check(board, archives);
    ASSERT_FALSE(result.has_value()) << name;
    EXPECT_EQ(result.error().kind, ErrorKind::invalid_input);
    EXPECT_EQ(result.error().where.line, 7u) << name;
  }
}

TEST(Board, SaysWhatToMoveAndThatNetworksInTurnWouldFit) {
  std::vector<BoardArchive> archives{archive_with("a", 1000), archive_with("b", 3000)};
  Board board = board_of(3500, 1000);
  board.memories.push_back({"slow", 2000, {{"executor", {}}}});
  for (BoardArchive& one : archives) module_of(one).ram.executor = 10;
  const BudgetResult ram = on(checked(board, archives), "ram");
  EXPECT_EQ(ram.remarks.back(), "it fits with a:sram (1000 bytes) in 'slow'");
  for (BoardArchive& one : archives) module_of(one).ram.heap = 600;
  board.memories.front().bytes = 4600;
  board.memories.back().bytes = 20;
  EXPECT_EQ(on(checked(board, archives), "ram").remarks.back(),
            "it fits if networks run in turn (in_turn = true)");
}

TEST(Board, HasEachSymbolOnce) {
  std::vector<BoardArchive> archives{archive_with("a", 0), archive_with("b", 0)};
  EXPECT_TRUE(checked(board_of(1000, 1000), archives).clashes.empty());
  module_of(archives.front()).code->exported.insert("run_b");
  const CheckResults results = checked(board_of(1000, 1000), archives);
  ASSERT_EQ(results.clashes.size(), 1u);
  EXPECT_EQ(results.clashes.front().symbol, "run_b");
  EXPECT_EQ(results.clashes.front().archives, (std::vector<std::string>{"a", "b"}));
}

TEST(Board, DoesNotFitIfAnArchiveContradictsItself) {
  std::vector<BoardArchive> archives{archive_with("a", 1000)};
  module_of(archives.front()).contradictions.push_back({.code = "c-mismatch", .detail = "x"});
  const CheckResults results = checked(board_of(1000, 1000), archives);
  EXPECT_EQ(on(results, "ram").verdict, Verdict::undecided);
  EXPECT_EQ(results.contradictions.front().module, "a:default");
}

}  // namespace
}  // namespace mlf
