#include "mlf/target.h"

#include <gtest/gtest.h>

#include <span>

namespace mlf {
namespace {

Target parsed(std::string_view text, TargetIntegers integers = TargetIntegers::decimal) {
  const Result<Target> target = parse_target(text, integers);
  if (target) return *target;
  ADD_FAILURE() << to_string(target.error());
  return {};
}

std::string error_of(std::string_view text) {
  const Result<Target> target = parse_target(text);
  return target ? "accepted" : to_string(target.error());
}

std::string show(const TargetValue& value) {
  struct Show {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(const std::string& text) const { return '"' + text + '"'; }
    std::string operator()(const JsonText& json) const { return "json:" + json.text; }
    std::string operator()(const std::vector<TargetValue>& list) const {
      std::string result;
      for (const TargetValue& element : list) result += (result.empty() ? "" : " ") + show(element);
      return '[' + result + ']';
    }
  };
  return std::visit(Show{}, value.value);
}

// kind/tag [keys] name=value … @device <host
std::string show(const Target& target) {
  std::string result = target.kind + (target.tag.empty() ? "" : '/' + target.tag) + " [";
  for (const std::string& key : target.keys) result += (result.back() == '[' ? "" : ",") + key;
  result += ']';
  for (const TargetAttr& attr : target.attrs) result += ' ' + attr.name + '=' + show(attr.value);
  if (target.device_type) result += " @" + std::to_string(*target.device_type);
  if (target.host) result += " <" + show(*target.host) + '>';
  return result;
}

struct Row {
  std::string_view text;
  std::string_view meaning;
};

void expect_meanings(std::span<const Row> rows) {
  for (const Row& row : rows) {
    const Target target = parsed(row.text);
    EXPECT_EQ(show(target), row.meaning);
    EXPECT_EQ(target.text, row.text);
  }
}

// Texts that TVM 0.9 and 0.16 printed, with what they had been made from.
constexpr Row kCommandLines[] = {
    Row{"c", "c [] @1"},
    Row{"c -keys=cpu ", "c [cpu] @1"},
    Row{"c -keys=cpu -link-params=0", "c [cpu] link-params=false @1"},
    Row{"c -keys=arm_cpu,cpu -link-params=0 -mcpu=cortex-m7 -model=host",
        "c [arm_cpu,cpu] link-params=false mcpu=\"cortex-m7\" model=\"host\" @1"},
    Row{"c -executor=aot -interface-api=c -keys=cpu -link-params=1 -runtime=c -unpacked-api=1",
        "c [cpu] executor=\"aot\" interface-api=\"c\" link-params=true runtime=\"c\" "
        "unpacked-api=true @1"},
    Row{"c -keys=cpu -constants-byte-alignment=8 -system-lib=1",
        "c [cpu] constants-byte-alignment=8 system-lib=true @1"},
    Row{"llvm -keys=cpu -libs=cblas,mkl -mattr=+neon,+v8",
        "llvm [cpu] libs=[\"cblas\" \"mkl\"] mattr=[\"+neon\" \"+v8\"] @1"},
    Row{"llvm -keys=cpu -link-params=0 '-mattr=+a b,\\'c,d\\',back\\slash' '-mcpu=a\\'b'",
        "llvm [cpu] link-params=false mattr=[\"+a b\" \"c,d\" \"back\\slash\"] "
        "mcpu=\"a'b\" @1"},
    Row{"llvm -keys=cpu -mcpu='a b' -model=a\\\\b -mtriple=x,y",
        "llvm [cpu] mcpu=\"a b\" model=\"a\\b\" mtriple=\"x,y\" @1"},
    Row{"llvm -mattr=\\'a,b", "llvm [] mattr=[\"'a\" \"b\"] @1"},
    Row{"llvm -keys=cpu -mcpu= -num-cores=-3", "llvm [cpu] mcpu=\"\" num-cores=-3 @1"},
    Row{"llvm -mcpu=7 -opt-level=7", "llvm [] mcpu=\"7\" opt-level=7 @1"},
    Row{"llvm --mcpu=skylake -num-cores 4 -system-lib",
        "llvm [] mcpu=\"skylake\" num-cores=4 system-lib=true @1"},
    Row{"llvm -x=9223372036854775808 -y=0.5 -z=a=b",
        "llvm [] x=\"9223372036854775808\" y=\"0.5\" z=\"a=b\" @1"},
    Row{"cuda -keys=cuda,gpu -arch=sm_50 -max_num_threads=1024 -host='llvm -mcpu=\\'x y\\''",
        "cuda [cuda,gpu] arch=\"sm_50\" max_num_threads=1024 @2 "
        "<llvm [] mcpu=\"x y\" @1>"},
    Row{"cmsis-nn", "cmsis-nn [] @1"},
    Row{"ethos-u -accelerator_config=ethos-u55-256",
        "ethos-u [] accelerator_config=\"ethos-u55-256\" @1"},
    Row{"vulkan -supports_float32=1", "vulkan [] supports_float32=true @7"},
    Row{"llvm -tag=foo -target_device_type=12", "llvm/foo [] target_device_type=12 @12"},
    Row{"my-npu -banks=4", "my-npu [] banks=4"}};

TEST(Target, ReadsCommandLines) {
  expect_meanings(kCommandLines);
}

constexpr Row kJson[] = {
    Row{R"({"kind":"c"})", "c [] @1"},
    Row{R"({"tag": "t", "link-params": 0, "kind": "c", "mcpu": "a b", "keys": ["arm", "cpu"]})",
        "c/t [arm,cpu] link-params=0 mcpu=\"a b\" @1"},
    Row{R"({"kind":"cuda","fast":true,"libs":["a","b"],"host":{"kind":"llvm","keys":["cpu"]}})",
        "cuda [] fast=true libs=[\"a\" \"b\"] @2 <llvm [cpu] @1>"},
    Row{R"({"kind":"cuda","host":"c -keys=cpu"})", "cuda [] @2 <c [cpu] @1>"},
    Row{R"({"kind":"c","host":null,"features":{"is_x": true},"ratio":0.5,"none":null})",
        "c [] features=json:{\"is_x\": true} ratio=json:0.5 none=json:null @1"}};

TEST(Target, ReadsJsonConfigurations) {
  expect_meanings(kJson);
}

constexpr Row kPrinted[] = {
    Row{"Target(kind='c', keys={'cpu'}, attrs={'link-params': (bool)0})",
        "c [cpu] link-params=false @1"},
    Row{"Target(kind='llvm', tag='t', keys={'arm_cpu', 'cpu'}, "
        "attrs={\"mcpu': \"x: 'y'\", \"link-params': (bool)1}, "
        "host=Target(kind='c', attrs={\"n': (int64)5}))",
        "llvm/t [arm_cpu,cpu] mcpu=\"x: 'y'\" link-params=true @1 <c [] n=5 @1>"},
    Row{"Target(id=55d0c8e0, kind='c', keys={'cpu'}, attrs={'a': 5, 'b': [\"x\", \"y\"], "
        "'c': []})",
        "c [cpu] a=5 b=[\"x\" \"y\"] c=[] @1"},
    Row{"Target(kind='composite', attrs={'devices': [cuda -keys=cuda,gpu, llvm -keys=cpu]})",
        "composite [] devices=[\"cuda -keys=cuda,gpu\" \"llvm -keys=cpu\"] @1"},
    Row{"Target(kind='c', host=Target(kind='c'), id=94)", "c [] @1 <c [] @1>"}};

TEST(Target, ReadsThePrintedDebugForm) {
  expect_meanings(kPrinted);
}

TEST(Target, ReadsTheHexadecimalIntegersOfTheLegacyPrinterWhenToldTo) {
  const std::string_view text = "Target(id=55d0c8e0, kind='c', attrs={'n': 10, 'm': (int40)ff})";
  EXPECT_EQ(show(parsed(text, TargetIntegers::hexadecimal)), "c [] n=16 m=255 @1");
}

TEST(Target, KeepsTheTextOfAHost) {
  EXPECT_EQ(parsed("cuda -host='llvm -mcpu=x'").host->text, "llvm -mcpu=x");
  EXPECT_EQ(parsed(R"({"kind":"cuda","host":{"kind": "c"}})").host->text, R"({"kind": "c"})");
  EXPECT_EQ(parsed("Target(kind='c', host=Target(kind='llvm'))").host->text, "Target(kind='llvm')");
}

TEST(Target, FindsAttributesByName) {
  const Target target = parsed("c -mcpu=x");
  ASSERT_NE(target.find("mcpu"), nullptr);
  EXPECT_EQ(*target.find("mcpu"), TargetValue{std::string("x")});
  EXPECT_EQ(target.find("march"), nullptr);
}

struct Device {
  std::string_view kind;
  std::optional<std::int32_t> type;
};

TEST(Target, KnowsTheDeviceTypeOfEveryKindTvmRegisters) {
  const Device devices[] = {
      {"c", 1},         {"llvm", 1},
      {"stackvm", 1},   {"hybrid", 1},
      {"composite", 1}, {"cmsis-nn", 1},
      {"ethos-u", 1},   {"ccompiler", 1},
      {"test", 1},      {"cuda", 2},
      {"nvptx", 2},     {"tensorrt", 2},
      {"opencl", 4},    {"sdaccel", 4},
      {"vulkan", 7},    {"metal", 8},
      {"rocm", 10},     {"ext_dev", 12},
      {"webgpu", 15},   {"hexagon", 16},
      {"aocl", 32},     {"my-npu", std::nullopt},
  };
  for (const Device& device : devices) {
    EXPECT_EQ(default_device_type(device.kind), device.type) << device.kind;
  }
}

constexpr Row kMalformed[] = {
    Row{"", "1:1: empty target"},
    Row{"  ", "1:1: empty target\n    \n  ^"},
    Row{"-mcpu=a", "1:1: expected the kind of the target\n  -mcpu=a\n  ^^^^^^^"},
    Row{"llvm mcpu=a",
        "1:6: expected an attribute, which begins with '-'\n  llvm mcpu=a\n       ^^^^^^"},
    Row{"llvm -", "1:6: expected an attribute, which begins with '-'\n  llvm -\n       ^"},
    Row{"llvm -=a", "1:6: attribute without a name\n  llvm -=a\n       ^^^"},
    Row{"llvm -mcpu=a -mcpu=b",
        "1:14: attribute mcpu given twice\n  llvm -mcpu=a -mcpu=b\n               ^^^^^^^"},
    Row{"llvm '-mcpu=a", "1:6: quote without end\n  llvm '-mcpu=a\n       ^"},
    Row{"llvm -mcpu='a b", "1:12: quote without end\n  llvm -mcpu='a b\n             ^"},
    Row{"c -link-params=maybe",
        "1:3: expected 0 or 1 as the value of link-params\n  c -link-params=maybe\n    "
        "^^^^^^^^^^^^^^^^^^"},
    Row{"cuda -host=-x",
        "1:6: malformed host: expected the kind of the target\n  cuda -host=-x\n       "
        "^^^^^^^^"},
    Row{R"({"kind": 1})",
        "1:10:/kind: expected a string, found an integer\n  "
        "{\"kind\": 1}\n           ^"},
    Row{R"({"keys": []})", "1:1: missing key \"kind\"\n  {\"keys\": []}\n  ^"},
    Row{R"({"kind": "c", "host": {}})",
        "1:23:/host: missing key \"kind\"\n  "
        "{\"kind\": \"c\", \"host\": {}}\n"
        "                        ^"},
    Row{R"({"kind": "c", "n": 9223372036854775808})",
        "1:20:/n: integer beyond 64 bits\n  {\"kind\": \"c\", \"n\": 9223372036854775808}\n"
        "                     ^^^^^^^^^^^^^^^^^^^"},
    Row{"Target(", "1:8: expected '='\n  Target(\n         ^"},
    Row{"Target(keys={'a'})", "1:1: target without a kind\n  Target(keys={'a'})\n  ^"},
    Row{"Target(kind=c)", "1:13: expected a quoted string\n  Target(kind=c)\n              ^"},
    Row{"Target(kind='c', shape='x')",
        "1:18: unknown field shape of a target\n  Target(kind='c', shape='x')\n"
        "                   ^^^^^"},
    Row{"Target(kind='c') x",
        "1:18: unexpected text behind the target\n  Target(kind='c') x\n                   ^"},
    Row{"Target(kind='c', attrs={'a': (bool)x})",
        "1:36: expected a 64-bit integer\n  Target(kind='c', attrs={'a': (bool)x})\n"
        "                                     ^"}};

TEST(MalformedTarget, IsRefusedWithThePlace) {
  for (const Row& row : kMalformed) EXPECT_EQ(error_of(row.text), row.meaning);
}

TEST(MalformedTarget, IncludesDeeplyNestedHosts) {
  std::string printed = "Target(kind='c'";
  for (int i = 0; i < 100'000; ++i) printed += ", host=Target(kind='c'";
  EXPECT_EQ(error_of(printed).substr(0, 42), "1:199: more than 8 hosts around a target\n ");

  std::string json = R"({"kind":"c")";
  for (int i = 0; i < 100'000; ++i) json += R"(,"host":{"kind":"c")";
  EXPECT_NE(error_of(json).find("nested deeper than 16"), std::string::npos);
}

TEST(MalformedTarget, IncludesDeeplyNestedLists) {
  const std::string printed = "Target(kind='c', attrs={'a': " + std::string(100'000, '[');
  EXPECT_NE(error_of(printed).find("more than 16 lists"), std::string::npos);
}

}  // namespace
}  // namespace mlf
