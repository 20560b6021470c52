// Memory pools, which the printer describes field by field.
#include "mlf/tir/write.h"
#include "reading.h"
#include "tir/reader.h"
#include "unit/tir/write/writing.h"

namespace mlf::tir::repr {
namespace {

using write_test::expect_same;
using write_test::save_json_of;
using write_test::script_of;
using write_test::tir_json_of;

std::string with_attribute(std::string_view value) {
  return "PrimFunc([]) attrs={\"a\": " + std::string(value) + "} {\n  0\n}\n";
}

constexpr std::string_view kPool =
    "WorkspacePoolInfoNode(\n  pool_name=sram (fast),\n  targets=[c -keys=cpu -mcpu=x, llvm "
    "-keys=cpu],\n  size_hint_bytes=-1,\n  clock_frequency_hz=-1,\n  "
    "read_bandwidth_bytes_per_cycle=8,\n  write_bandwidth_bytes_per_cycle=-1,\n  "
    "read_latency_cycles=0,\n  write_latency_cycles=0,\n  target_burst_bytes={c -keys=cpu: 16},\n  "
    "is_internal=1)\n";

constexpr std::string_view kConstant =
    "ConstantInfoNode(\nname_hint=w0,\n byte_offset=16,\n data=runtime.NDArray(0x1f))";

bool has_loss(const Document& document, std::string_view name) {
  return std::ranges::any_of(document.losses, [&](const Loss& loss) {
    return loss.code == LossCode::attr_object && loss.name == name;
  });
}

TEST(ReprObjects, PoolsHaveTheFieldsThatArePrinted) {
  const Document d = read_text(with_attribute(kPool));
  const Node pool = attribute(d, "a");
  ASSERT_EQ(pool.kind(), Kind::WorkspacePoolInfo);
  EXPECT_EQ(pool.text(f::WorkspacePoolInfo::pool_name), "sram (fast)");
  const NodeList targets = pool.list(f::WorkspacePoolInfo::targets);
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[1][f::Target::kind].text(f::TargetKind::name), "llvm");
  const Node bandwidth = pool[f::WorkspacePoolInfo::read_bandwidth_bytes_per_cycle];
  EXPECT_EQ(bandwidth.integer(f::IntImm::value), 8);
  const NodeMap bursts = pool[f::WorkspacePoolInfo::target_burst_bytes].map(f::ObjectMap::entries);
  ASSERT_EQ(bursts.size(), 1u);
  EXPECT_EQ(bursts.key(0).kind(), Kind::Target);
  EXPECT_EQ(pool.integer(f::WorkspacePoolInfo::is_internal), 1);
  EXPECT_FALSE(lost(d, LossCode::attr_object));
}

TEST(ReprObjects, MayBeNested) {
  const Document d = read_text(with_attribute(
      "[AllocatedPoolInfoNode(\npool_info=" + std::string(kPool) + ",\n  allocated_size=512), 7]"));
  const NodeList list = attribute(d, "a").list(f::Array::elements);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0][f::AllocatedPoolInfo::pool_info].kind(), Kind::WorkspacePoolInfo);
  EXPECT_EQ(list[0][f::AllocatedPoolInfo::allocated_size].integer(f::IntImm::value), 512);
}

TEST(ReprObjects, WithoutAFieldSaySo) {
  const Document d = read_text(
      with_attribute("AllocatedPoolInfoNode(\npool_info=(nullptr),\n  allocated_size=8)"));
  EXPECT_FALSE(attribute(d, "a")[f::AllocatedPoolInfo::pool_var_idx]);
  EXPECT_TRUE(has_loss(d, "AllocatedPoolInfo.pool_var_idx"));
}

TEST(ReprObjects, WithAFieldThatNoVersionHasSaySo) {
  const Document d = read_text(with_attribute("WorkspaceMemoryPoolsNode(\npools=[], colour=3)"));
  EXPECT_EQ(attribute(d, "a").list(f::WorkspaceMemoryPools::pools).size(), 0u);
  EXPECT_TRUE(has_loss(d, "WorkspaceMemoryPools.colour"));
}

TEST(ReprObjects, ConstantsTakeTheirDataFromElsewhere) {
  const std::string text = with_attribute(kConstant);
  const std::vector<std::byte> bytes(2);
  const ConstantFinder finder = [&](const ConstantQuery& query) -> std::optional<FoundConstant> {
    EXPECT_EQ(query.name, "w0");
    EXPECT_EQ(query.pool_offset, 16);
    return FoundConstant{.dtype = DType::Int(8), .shape = {2}, .data = bytes, .source = "params"};
  };
  const Reading reading = read_repr_text({"test.txt", "", text}, {}, finder);
  ASSERT_EQ(reading.recovered.size(), 1u);
  EXPECT_EQ(reading.recovered[0].source, "params");
  EXPECT_EQ(std::ranges::find(reading.losses, LossCode::attr_object, &Loss::code),
            reading.losses.end());
}

TEST(ReprObjects, GoThroughJsonAndNameWhatCannotBeWritten) {
  const Document d = read_text(with_attribute(kPool));
  const std::string saved = save_json_of(d);
  expect_same(d.module, read_text(saved).module);
  EXPECT_EQ(save_json_of(read_text(tir_json_of(d))), saved);
  const Document constant = read_text(with_attribute(kConstant));
  const std::string error =
      "metadata[\"runtime.NDArray\"][0] is not known: the text had no metadata";
  EXPECT_NE(save_json_of(constant).find(error), std::string::npos);
  EXPECT_NE(script_of(constant).find(error), std::string::npos);
  EXPECT_EQ(tir_json_of(read_text(tir_json_of(constant))), tir_json_of(constant));
}

TEST(ReprObjects, ThatAreMalformedAreNamed) {
  const auto message = [](std::string_view value) {
    const std::string error = error_of(with_attribute(value));
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(message("ConstantInfoNode(\n7)"), "2:1: expected a field of ConstantInfo, found '7'");
  EXPECT_EQ(message("WorkspaceMemoryPoolsNode(\npools=7)"),
            "2:8: pools of WorkspaceMemoryPools cannot have this value");
  EXPECT_EQ(message("WorkspaceMemoryPoolsNode(\npools=[]"),
            "2:9: expected ',' or ')' behind a value, found '}'");
}

}  // namespace
}  // namespace mlf::tir::repr
